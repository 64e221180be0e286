/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - create, get, delete.
 *
 * A PUT of a bucket that is there is refused, whoever made it, so it comes first and a new bucket
 * needs no look.  What a bucket is stands in its tags:
 *
 *   nothing ─ PUT bucket ─► no marks ─ PUT ?tagging ─► finished                      (2 requests)
 *                              └─ cosi-making ─► settings, one by one ─► finished
 *
 * A create that was cut off goes on from what it finds, once no other daemon can be at it: at once
 * when it was this one that had made the bucket (made.h).
 */
#include <string.h>
#include <time.h>

#include "admin.h"
#include "s3/bucket.h"
#include "s3/empty.h"

#include "banned.h"

/* ---- create ---- */

struct creation {
	struct minio *minio;
	const struct cosi_bucket_req *req;
	int64_t settle_ms; /* how old a bucket is that no other daemon can be making */
	int64_t begun_ms;  /* monotonic */
	struct s3_tags tags;
};

/* The header x-minio-force-create must never be sent: it empties a bucket's record. */
static int
put_bucket(struct cosi_call *call, const struct creation *work, bool *out_exists)
{
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	const struct cosi_http_reply *reply = s3_call(
		call, &work->minio->s3, .method = "PUT",
		.path = s3_path(call, work->req->native, NULL), .headers = &lock,
		.nheaders = work->req->common->object_lock ? 1 : 0, .flags = COSI_HTTP_SAFE);

	*out_exists = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && reply->body.len == 0) {
		minio_made_add(&work->minio->made, work->req->native,
			       work->begun_ms + work->settle_ms);
		return 0;
	}
	*out_exists = s3_error_is(reply, 409, "BucketAlreadyOwnedByYou");
	if (*out_exists)
		return 0;
	return minio_fail(call, reply,
			  !work->req->common->object_lock
				  ? "s3:CreateBucket"
				  : "s3:CreateBucket, s3:PutBucketObjectLockConfiguration or "
				    "s3:PutBucketVersioning");
}

static int
put_marks(struct cosi_call *call, struct creation *work, bool finished)
{
	return s3_bucket_mark(call, &work->minio->s3, work->req->native, &work->tags,
			      &work->req->mark, finished);
}

static int
finish(struct cosi_call *call, struct creation *work)
{
	const struct cosi_bucket_req *req = work->req;

	if (minio_settings_wanted(req->common) &&
	    (put_marks(call, work, false) != 0 ||
	     minio_settings_apply(work->minio, call, req->native, req->common) != 0))
		return -1;
	if (put_marks(call, work, true) != 0)
		return -1;
	minio_made_remove(&work->minio->made, req->native);
	return 0;
}

static int
send_delete(const struct minio *minio, struct cosi_call *call, const char *native,
	    bool *out_not_empty)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->s3, .method = "DELETE", .path = s3_path(call, native, NULL));

	*out_not_empty = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 204 || s3_error_is(reply, 404, "NoSuchBucket"))
		return 0;
	*out_not_empty = s3_error_is(reply, 409, "BucketNotEmpty");
	return *out_not_empty ? 0 : minio_fail(call, reply, "s3:DeleteBucket");
}

/* Nobody was ever told of an unfinished bucket, so one that was begun with other parameters can go;
 * not with what somebody put in, though. */
static int
begin_anew(struct cosi_call *call, struct creation *work)
{
	bool not_empty, exists;

	if (send_delete(work->minio, call, work->req->native, &not_empty) != 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_EXISTS,
				 "it was begun with other parameters, and has objects already");
	if (put_bucket(call, work, &exists) != 0)
		return -1;
	if (exists)
		return cosi_fail(call, COSI_BUSY, "another daemon is making it");
	work->tags.n = 0;
	return finish(call, work);
}

static bool
is_made_here(const struct creation *work)
{
	return minio_made_has(&work->minio->made, work->req->native, work->begun_ms);
}

static int
resume(struct cosi_call *call, struct creation *work)
{
	const char *making = s3_tags_find(&work->tags, S3_MARK_MAKING);
	bool same = making != NULL && strcmp(making, work->req->mark.params) == 0;

	/* Begun with others, it may be another daemon's by now, even if it was made here. */
	if ((!same || !is_made_here(work)) &&
	    minio_adopt_settled(work->minio, call, work->req->native, work->settle_ms) != 0)
		return -1;
	return same ? finish(call, work) : begin_anew(call, work);
}

/* Marks come before settings, so what has been set by now and still bears no mark is somebody
 * else's; a look that met another daemon finds its marks. */
static int
look_at_unmarked(struct cosi_call *call, struct creation *work, bool *out_new)
{
	const struct minio *minio = work->minio;
	const char *native = work->req->native;

	if (minio_adopt_looks_new(minio, call, native, work->req->common->object_lock, out_new) !=
	    0)
		return -1;
	if (*out_new && is_made_here(work))
		return 0;
	if (*out_new)
		return minio_adopt_check_age(minio, call, native, work->settle_ms);
	if (minio_bucket_tags(minio, call, native, &work->tags) != 0)
		return -1;
	if (work->tags.n > 0)
		return 0;
	return cosi_fail(call, COSI_EXISTS, "it bears no marks, and is not as a new bucket is");
}

static int
join(struct cosi_call *call, struct creation *work)
{
	const struct cosi_bucket_req *req = work->req;
	struct cosi_bucket there = { .ours = false };
	bool is_new = false;

	if (minio_bucket_tags(work->minio, call, req->native, &work->tags) != 0 ||
	    (work->tags.n == 0 && look_at_unmarked(call, work, &is_new) != 0))
		return -1;
	if (is_new)
		return finish(call, work);
	minio_bucket_judge(work->minio, &work->tags, &req->mark, &there);
	if (!there.ours)
		return cosi_fail(call, COSI_EXISTS, "it is not ours: its tags name another owner");
	if (there.unfinished)
		return resume(call, work);
	if (strcmp(there.params, req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS, "it was made with other parameters");
	return 0;
}

static int
create(struct cosi_call *call, struct creation *work)
{
	const struct cosi_bucket_req *req = work->req;
	bool exists;

	if (!minio_name_is_bucket(req->native))
		return cosi_fail(call, COSI_INVALID, "the server has no buckets of such names");
	if (req->common->object_lock && (req->common->set & COSI_P_VERSIONING) != 0 &&
	    !req->common->versioning)
		return cosi_fail(call, COSI_INVALID, "objectLock needs versioning");
	if (put_bucket(call, work, &exists) != 0)
		return -1;
	return exists ? join(call, work) : finish(call, work);
}

/* Another daemon's call has no more time than this one, so after twice that it is over. */
int
minio_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		    struct cosi_bucket *out)
{
	struct timespec now;
	struct creation work = {
		.minio = instance,
		.req = req,
		.settle_ms = 2 * call->host->time_left_ms(call),
	};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	work.begun_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (create(call, &work) != 0)
		return cosi_fail(call, 0, "cannot create bucket '%.255s'", req->native);
	*out = (struct cosi_bucket){
		.ours = true,
		.protocols = COSI_S3,
		.region = work.minio->config->region,
		.params = req->mark.params,
	};
	return 0;
}

/* ---- get ---- */

int
minio_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		 struct cosi_bucket *out)
{
	const struct minio *minio = instance;
	struct s3_tags tags;
	bool exists;

	if (minio_bucket_look(minio, call, req->native, &tags, &exists) != 0)
		return cosi_fail(call, 0, "cannot look at bucket '%.255s'", req->native);
	if (!exists)
		return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'", req->native);
	minio_bucket_judge(minio, &tags, &req->mark, out);
	return 0;
}

/* ---- delete ---- */

static int
purge(const struct minio *minio, struct cosi_call *call, const char *native)
{
	bool not_empty;

	if (s3_empty_bucket(call, &minio->s3, native) != 0 ||
	    send_delete(minio, call, native, &not_empty) != 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_BUSY, "objects come in while it is emptied");
	return 0;
}

static int
remove_bucket(const struct minio *minio, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct cosi_bucket there = { .ours = false };
	struct s3_tags tags;
	bool exists, not_empty;

	if (!minio_name_is_bucket(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	if (minio_bucket_look(minio, call, req->native, &tags, &exists) != 0)
		return -1;
	if (!exists)
		return 0;
	minio_bucket_judge(minio, &tags, &req->mark, &there);
	if (!there.ours)
		return cosi_fail(call, COSI_PRECONDITION, "it does not bear our marks");
	if (send_delete(minio, call, req->native, &not_empty) != 0)
		return -1;
	if (!not_empty)
		return 0;
	if (req->common->purge)
		return purge(minio, call, req->native);
	return cosi_fail(call, COSI_PRECONDITION,
			 "it is not empty (with whenNotEmpty = purge its objects would go first)");
}

int
minio_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct minio *minio = instance;

	minio_made_remove(&minio->made, req->native);
	if (remove_bucket(minio, call, req) != 0)
		return cosi_fail(call, 0, "cannot delete bucket '%.255s'", req->native);
	return 0;
}
