/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - PUT bucket, and buckets that were left unfinished.
 *
 * The server refuses a PUT of a bucket that is there, so the PUT comes first, and a new bucket's
 * tags are not read.  An unfinished bucket is continued once no other daemon can be creating it: at
 * once when this instance created it, else when it is older than two calls can last, since
 * another daemon's call has no more time than this one.  MinIO's buckets have no owner: one without
 * tags is adopted when it is as PUT bucket leaves it and younger than adopt_window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "minio.h"
#include "text/xml.h"

#include "banned.h"

/* ---- what this instance is creating ---- */

/* Of that name, else the one to overwrite. */
static size_t
made_find(const struct minio_made *made, const char *native, bool *out_found)
{
	size_t first = 0;

	for (size_t i = 0; i < MINIO_MADE_MOST; i++) {
		*out_found = strcmp(made->list[i].native, native) == 0;
		if (*out_found)
			return i;
		if (made->list[i].until_ms < made->list[first].until_ms)
			first = i;
	}
	return first;
}

void
minio_made_add(struct minio_made *made, const char *native, int64_t until_ms)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	(void)snprintf(made->list[i].native, sizeof made->list[i].native, "%s", native);
	made->list[i].until_ms = until_ms;
	pthread_mutex_unlock(&made->mutex);
}

bool
minio_made_has(struct minio_made *made, const char *native, int64_t now_ms)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	found = found && now_ms < made->list[i].until_ms;
	pthread_mutex_unlock(&made->mutex);
	return found;
}

void
minio_made_remove(struct minio_made *made, const char *native)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	if (found)
		memset(&made->list[i], 0, sizeof made->list[i]);
	pthread_mutex_unlock(&made->mutex);
}

/* ---- PUT bucket ---- */

static struct minio *
minio_of(const struct s3_creation *creation)
{
	return (struct minio *)creation->store;
}

/* The age from which on no other daemon can be creating the bucket. */
static int64_t
minio_settle_ms(const struct s3_creation *creation)
{
	return 2 * creation->time_ms;
}

/* The header x-minio-force-create must never be sent: it empties a bucket's record. */
int
minio_put_bucket(struct cosi_call *call, struct s3_creation *creation, bool *out_exists)
{
	const struct cosi_bucket_req *req = creation->req;
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	const struct cosi_http_reply *reply =
		s3_call(call, &creation->store->client, .method = "PUT",
			.path = s3_path(call, req->native, NULL), .headers = &lock,
			.nheaders = req->common->object_lock ? 1 : 0, .flags = COSI_HTTP_SAFE);

	*out_exists = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && reply->body.len == 0) {
		minio_made_add(&minio_of(creation)->made, req->native,
			       creation->begun_ms + minio_settle_ms(creation));
		return 0;
	}
	*out_exists = s3_error_is(reply, 409, "BucketAlreadyOwnedByYou");
	if (*out_exists)
		return 0;
	return minio_fail(call, reply,
			  !req->common->object_lock
				  ? "s3:CreateBucket"
				  : "s3:CreateBucket, s3:PutBucketObjectLockConfiguration or "
				    "s3:PutBucketVersioning");
}

/* ---- location ---- */

/* The server accepts any region in the signature of this request, and answers with its own. */
int
minio_check_location(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_http_reply *reply)
{
	char region[MINIO_REGION_MAX];

	if (reply->status != 200)
		return minio_fail(call, reply, "s3:GetBucketLocation");
	if (!xml_find(reply->body, "LocationConstraint", region, sizeof region))
		return s3_fail(call, reply);
	if (region[0] == '\0' || strcmp(region, minio->config->region) == 0)
		return 0;
	return minio_fail_region(call, region);
}

int
minio_exists(const struct s3_store *store, struct cosi_call *call, const char *native, bool *out)
{
	const struct cosi_http_reply *reply;

	*out = false;
	if (!store->is_bucket(store, native))
		return 0;
	reply = s3_get_setting(call, &store->client, native, "location");
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "NoSuchBucket") || s3_error_is(reply, 400, "InvalidBucketName"))
		return 0;
	*out = true;
	return minio_check_location((const struct minio *)store, call, reply);
}

/* ---- unfinished buckets ---- */

/* By the server's clock only, which is in its reply. */
static int
minio_bucket_age(const struct s3_creation *creation, struct cosi_call *call, int64_t *out_ms)
{
	struct s3_buckets all;
	const struct s3_bucket *bucket;

	if (s3_buckets_read(call, &creation->store->client, &all) < 0)
		return -1;
	for (bucket = all.first; bucket != NULL; bucket = bucket->next)
		if (strcmp(bucket->name, creation->req->native) == 0)
			break;
	if (bucket == NULL || bucket->created == 0 || all.now == 0)
		return cosi_fail(call, COSI_BUSY,
				 "the server does not say when the bucket was created");
	*out_ms = (all.now - bucket->created) * 1000;
	return 0;
}

static bool
minio_is_made_here(const struct s3_creation *creation)
{
	return minio_made_has(&minio_of(creation)->made, creation->req->native, creation->begun_ms);
}

static int
minio_check_settled(struct cosi_call *call, const struct s3_creation *creation, int64_t age_ms)
{
	int64_t left_ms = minio_settle_ms(creation) - age_ms;

	if (left_ms <= 0)
		return 0;
	return cosi_fail(
		call, COSI_BUSY,
		"the bucket is unfinished, and another daemon may be creating it for another "
		"%" PRId64 " s",
		left_ms / 1000 + 1);
}

/* Begun with other parameters, it may be another daemon's by now, even if this one created it. */
int
minio_resume(struct cosi_call *call, struct s3_creation *creation, bool same)
{
	int64_t age_ms;

	if (same && minio_is_made_here(creation))
		return 0;
	if (minio_bucket_age(creation, call, &age_ms) < 0)
		return -1;
	return minio_check_settled(call, creation, age_ms);
}

/* Tags come before settings, so a bucket with settings and without tags is not cosid's; another
 * daemon that is creating the bucket has tagged it by now. */
int
minio_adopt(struct cosi_call *call, struct s3_creation *creation)
{
	static const struct s3_default defaults[] = {
		{ "lifecycle", "NoSuchLifecycleConfiguration", "" },
		{ "encryption", "ServerSideEncryptionConfigurationNotFoundError", "" },
		{ "replication", "ReplicationConfigurationNotFoundError", "" },
		{ "notification", "", "<Event>" },
		{ "object-lock", "ObjectLockConfigurationNotFoundError", "<Rule>" },
	};
	const struct s3_store *store = creation->store;
	const char *native = creation->req->native;
	int64_t age_ms, quota = 0;
	bool is_new;

	if (s3_is_untouched(call, &store->client, native, creation->req->common->object_lock,
			    defaults, sizeof defaults / sizeof defaults[0], &is_new) < 0)
		return -1;
	if (is_new && minio_get_quota(minio_of(creation), call, native, &quota) < 0)
		return cosi_fail(call, 0, "cannot read the bucket's quota");
	if (!is_new || quota != 0) {
		if (s3_get_tags(store, call, native, &creation->there) < 0)
			return -1;
		if (creation->there.tags.n > 0)
			return 0;
		return cosi_fail(call, COSI_EXISTS,
				 "the bucket has no tags and is not newly created: it has objects "
				 "or settings");
	}
	if (minio_is_made_here(creation))
		return 0;
	if (minio_bucket_age(creation, call, &age_ms) < 0)
		return -1;
	if (age_ms > minio_of(creation)->config->adopt_window)
		return cosi_fail(call, COSI_EXISTS,
				 "the bucket has no tags and is older than adopt_window");
	return minio_check_settled(call, creation, age_ms);
}
