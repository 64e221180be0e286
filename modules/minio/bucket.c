/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - PUT bucket, and buckets that were left unfinished.
 *
 * The server refuses a PUT of a bucket that is there, so the PUT comes first, and a new bucket's
 * tags are not read.  An unfinished bucket is continued once no other daemon can be creating it: at
 * once when this instance created it (made.c), else when it is older than two calls can last, since
 * another daemon's call has no more time than this one.  MinIO's buckets have no owner: one without
 * tags is adopted when it is as PUT bucket leaves it and younger than adopt_window.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "minio.h"
#include "s3/store.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

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

static int
minio_on_location(void *arg, const char *path, char *text, size_t len)
{
	char **out = arg;

	(void)len;
	if (strcmp(path, "LocationConstraint") == 0)
		*out = strdup(text);
	return 0;
}

/* The server accepts any region in the signature of this request, and answers with its own. */
int
minio_check_location(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_http_reply *reply)
{
	CLEANUP_FREE char *region = NULL;

	if (reply->status != 200)
		return minio_fail(call, reply, "s3:GetBucketLocation");
	if (xml_read(reply->body, minio_on_location, &region) < 0 || region == NULL)
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

/* A bucket with one of these settings is in use. */
static int
minio_looks_new(const struct s3_creation *creation, struct cosi_call *call, bool *out)
{
	static const struct s3_default defaults[] = {
		{ "lifecycle", "NoSuchLifecycleConfiguration", "" },
		{ "encryption", "ServerSideEncryptionConfigurationNotFoundError", "" },
		{ "replication", "ReplicationConfigurationNotFoundError", "" },
		{ "notification", "", "<Event>" },
		{ "object-lock", "ObjectLockConfigurationNotFoundError", "<Rule>" },
	};
	const struct s3_client *client = &creation->store->client;
	const char *native = creation->req->native;
	int64_t quota;

	if (s3_is_untouched(call, client, native, creation->req->common->object_lock, defaults,
			    sizeof defaults / sizeof defaults[0], out) < 0)
		return -1;
	if (!*out)
		return 0;
	if (minio_get_quota(minio_of(creation), call, native, &quota) < 0)
		return cosi_fail(call, 0, "cannot read the bucket's quota");
	*out = quota == 0;
	return 0;
}

/* Tags come before settings, so a bucket with settings and without tags is not cosid's; another
 * daemon that is creating the bucket has tagged it by now. */
int
minio_adopt(struct cosi_call *call, struct s3_creation *creation)
{
	const struct s3_store *store = creation->store;
	int64_t age_ms;
	bool is_new;

	if (minio_looks_new(creation, call, &is_new) < 0)
		return -1;
	if (!is_new) {
		if (s3_get_tags(store, call, creation->req->native, &creation->there) < 0)
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
