/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - PUT bucket, and buckets that were left unfinished.
 *
 * The server refuses a PUT of a bucket that is there, so the PUT comes first, and a new bucket's
 * tags are not read.  An unfinished bucket is continued once no other daemon can be creating it: at
 * once when this instance created it, else when it is older than two calls can last.  MinIO's
 * buckets have no owner: one without tags is adopted when it is as PUT bucket leaves it and younger
 * than adopt_window.  A server that is killed while it makes a bucket leaves a directory alone: a
 * bucket without a date, without tags and without object lock.  That one is deleted and made anew
 * after the same wait, from when this instance saw it first.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "minio.h"
#include "text/xml.h"

#include "banned.h"

/* ---- PUT bucket ---- */

static struct minio *
minio_of(const struct s3_creation *creation)
{
	return (struct minio *)creation->store;
}

/* The age from which on no other daemon can be creating the bucket: that of two calls, by the
 * longest one that was seen, since a caller may give less time than call_timeout. */
static int64_t
minio_settle_ms(struct minio *minio)
{
	return 2 * atomic_load(&minio->longest_ms);
}

static bool
minio_made_since(struct minio *minio, const char *native, int64_t now_ms)
{
	int64_t begun_ms = minio_times_get(&minio->made, native);

	return begun_ms != 0 && now_ms - begun_ms < minio_settle_ms(minio);
}

bool
minio_has_made(struct s3_store *store, const char *native)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return minio_made_since((struct minio *)store, native,
				(int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* The header x-minio-force-create must never be sent: it empties a bucket's record. */
int
minio_put_bucket(struct cosi_call *call, struct s3_creation *creation, bool *out_exists)
{
	const struct cosi_bucket_req *req = creation->req;
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	struct minio *minio = minio_of(creation);
	int64_t longest_ms = atomic_load(&minio->longest_ms);
	const struct cosi_http_reply *reply =
		s3_call(call, &creation->store->client, .method = "PUT",
			.path = s3_path(call, req->native, NULL), .headers = &lock,
			.nheaders = req->common->object_lock ? 1 : 0, .flags = COSI_HTTP_SAFE);

	*out_exists = false;
	while (longest_ms < creation->time_ms &&
	       !atomic_compare_exchange_weak(&minio->longest_ms, &longest_ms, creation->time_ms))
		;
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && reply->body.len == 0) {
		minio_times_set(&minio->made, req->native, creation->begun_ms);
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

struct minio_age {
	int64_t ms;
	bool undated; /* ms: since this instance saw it first */
};

/* By the server's clock only, which is in its reply. */
static int
minio_bucket_age(const struct s3_creation *creation, struct cosi_call *call, struct minio_age *out)
{
	const char *native = creation->req->native;
	struct minio *minio = minio_of(creation);
	const struct s3_bucket *bucket;
	struct s3_buckets all;
	int64_t first_ms;

	if (s3_buckets_read(call, &creation->store->client, &all) < 0)
		return -1;
	for (bucket = all.first; bucket != NULL; bucket = bucket->next)
		if (strcmp(bucket->name, native) == 0)
			break;
	if (bucket == NULL)
		return cosi_fail(call, COSI_BUSY, "the bucket was deleted by another request");
	if (all.now == 0)
		return cosi_fail(call, COSI_BUSY, "the server does not say what time it is");
	*out = (struct minio_age){ (all.now - bucket->created) * 1000, bucket->created == 0 };
	if (!out->undated)
		return 0;
	first_ms = minio_times_get(&minio->undated, native);
	if (first_ms == 0)
		minio_times_set(&minio->undated, native, first_ms = creation->begun_ms);
	out->ms = creation->begun_ms - first_ms;
	return 0;
}

static int
minio_check_settled(struct cosi_call *call, const struct s3_creation *creation, int64_t age_ms)
{
	int64_t left_ms = minio_settle_ms(minio_of(creation)) - age_ms;

	if (left_ms <= 0)
		return 0;
	return cosi_fail(
		call, COSI_BUSY,
		"the bucket is unfinished, and another daemon may be creating it for another "
		"%" PRId64 " s",
		left_ms / 1000 + 1);
}

int
minio_resume(struct cosi_call *call, struct s3_creation *creation)
{
	struct minio_age age;

	if (minio_made_since(minio_of(creation), creation->req->native, creation->begun_ms))
		return 0;
	if (minio_bucket_age(creation, call, &age) < 0)
		return -1;
	return minio_check_settled(call, creation, age.ms);
}

/* Tags come before settings, so a bucket with settings and without tags is not cosid's; another
 * daemon that is creating the bucket has tagged it by now. */
static int
minio_is_touched(struct cosi_call *call, struct s3_creation *creation)
{
	if (s3_get_tags(creation->store, call, creation->req->native, &creation->there) < 0)
		return -1;
	if (creation->there.tags.n > 0)
		return 0;
	return cosi_fail(call, COSI_EXISTS,
			 "the bucket has no tags and is not newly created: it has objects or "
			 "settings");
}

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
	struct minio *minio = minio_of(creation);
	struct minio_age age;
	int64_t quota = 0;
	bool is_new;

	if (minio_bucket_age(creation, call, &age) < 0 ||
	    s3_is_untouched(call, &store->client, native,
			    creation->req->common->object_lock && !age.undated, defaults,
			    sizeof defaults / sizeof defaults[0], &is_new) < 0)
		return -1;
	if (is_new && minio_get_quota(minio, call, native, &quota) < 0)
		return cosi_fail(call, 0, "cannot read the bucket's quota");
	if (!is_new || quota != 0)
		return minio_is_touched(call, creation);
	creation->there.exists = !age.undated;
	if (minio_made_since(minio, native, creation->begun_ms))
		return 0;
	if (age.ms > minio->config->adopt_window)
		return cosi_fail(call, COSI_EXISTS,
				 "the bucket has no tags and is older than adopt_window");
	if (minio_check_settled(call, creation, age.ms) < 0)
		return -1;
	cosi_log(call, COSI_NOTICE,
		 "takes over the bucket '%s', which has no tags, is empty and as new: this daemon "
		 "did not create it",
		 native);
	return 0;
}
