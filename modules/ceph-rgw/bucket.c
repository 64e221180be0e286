/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - create, get, delete.
 *
 * The gateway answers 200 to a PUT of a bucket that its owner has already, whatever was asked for,
 * so what a bucket is stands in its tags:
 *
 *   nothing ─ PUT bucket ─► no marks ─ PUT ?tagging ─► finished     (3 requests with the look)
 *                              └─ cosi-making ─► settings, one by one ─► finished
 *
 * A create that was cut off goes on from what it finds: without marks a bucket is taken over only
 * as long as nothing has happened to it; with cosi-making of the same parameters it is finished, of
 * others, made anew.
 */
#include <string.h>

#include "rgw.h"
#include "s3/bucket.h"
#include "s3/empty.h"

#include "banned.h"

/* Deletes meet at one lock of the gateway and then wait in steps of 5 s; up to 35 s were measured.
 */
enum { DELETE_TIMEOUT_MS = 60000 };

int
rgw_bucket_look(const struct rgw *rgw, struct cosi_call *call, const char *native,
		struct rgw_look *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->s3, .method = "GET", .path = s3_path(call, native, NULL),
			REST_QUERY({ "tagging", NULL }));

	*out = (struct rgw_look){ .exists = true };
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && s3_tags_read(call, reply->body, &out->tags) == 0)
		return 0;
	if (s3_error_is(reply, 404, "NoSuchTagSet"))
		return 0;
	out->refused = s3_error_is(reply, 403, "AccessDenied");
	if (out->refused)
		return 0;
	out->exists = false;
	if (s3_error_is(reply, 404, "NoSuchBucket") || s3_error_is(reply, 400, "InvalidBucketName"))
		return 0;
	return s3_fail(call, reply);
}

static void
fill(const struct rgw *rgw, const struct rgw_look *look, const struct cosi_mark *mark,
     struct cosi_bucket *out)
{
	s3_tags_judge(&look->tags, mark, out);
	out->protocols = COSI_S3;
	out->region = rgw->config->region;
}

/* ---- create ---- */

/* "zonegroup", ":placement" or "zonegroup:placement". */
static bool
may_be_region(const char *region)
{
	return region[strspn(region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789.:_-")] == '\0';
}

static int
fail_region(struct cosi_call *call, const char *region)
{
	return cosi_fail(call, COSI_OUT_OF_RANGE, "the gateway has no region or placement '%.128s'",
			 region);
}

static struct cosi_bytes
location_body(struct cosi_call *call, const char *region)
{
	const char *text;

	if (region == NULL)
		return (struct cosi_bytes){ NULL, 0 };
	text = cosi_printf(call,
			   "<CreateBucketConfiguration><LocationConstraint>%s"
			   "</LocationConstraint></CreateBucketConfiguration>",
			   region);
	return (struct cosi_bytes){ text, strlen(text) };
}

static int
put_bucket(const struct rgw *rgw, struct cosi_call *call, const struct cosi_bucket_req *req,
	   bool there)
{
	const struct cosi_bucket_params *params = req->common;
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	const struct cosi_http_reply *reply;
	const char *region = (params->set & COSI_P_REGION) != 0 ? params->region : NULL;

	if (region != NULL && !may_be_region(region))
		return fail_region(call, region);
	reply = s3_call(call, &rgw->s3, .method = "PUT", .path = s3_path(call, req->native, NULL),
			.headers = &lock, .nheaders = params->object_lock ? 1 : 0,
			.body = location_body(call, region), .flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return 0;
	if (s3_error_is(reply, 409, "BucketAlreadyExists"))
		return rgw_adopt_conflict(rgw, call, req->native, there);
	if (s3_error_is(reply, 400, "InvalidLocationConstraint"))
		return fail_region(call, region != NULL ? region : "");
	return s3_fail(call, reply);
}

/* there: a look has found it, as new. */
static int
make(const struct rgw *rgw, struct cosi_call *call, const struct cosi_bucket_req *req,
     struct s3_tags *tags, bool there)
{
	if (put_bucket(rgw, call, req, there) != 0)
		return -1;
	if (rgw_settings_wanted(req->common) &&
	    (s3_bucket_mark(call, &rgw->s3, req->native, tags, &req->mark, false) != 0 ||
	     rgw_settings_apply(rgw, call, req->native, req->common) != 0))
		return -1;
	return s3_bucket_mark(call, &rgw->s3, req->native, tags, &req->mark, true);
}

static int
send_delete(const struct rgw *rgw, struct cosi_call *call, const char *native, bool *out_not_empty)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->s3, .method = "DELETE", .path = s3_path(call, native, NULL),
			.timeout_ms = DELETE_TIMEOUT_MS);

	*out_not_empty = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 204 || s3_error_is(reply, 404, "NoSuchBucket"))
		return 0;
	*out_not_empty = s3_error_is(reply, 409, "BucketNotEmpty");
	return *out_not_empty ? 0 : s3_fail(call, reply);
}

/* Nobody was ever told of an unfinished bucket, so one that was begun with other parameters can go;
 * not with what somebody put in, though. */
static int
resume(const struct rgw *rgw, struct cosi_call *call, const struct cosi_bucket_req *req,
       struct s3_tags *tags)
{
	const char *making = s3_tags_find(tags, S3_MARK_MAKING);
	struct s3_tags none = { .n = 0 };
	bool not_empty;

	if (making != NULL && strcmp(making, req->mark.params) == 0) {
		if (rgw_settings_apply(rgw, call, req->native, req->common) != 0)
			return -1;
		return s3_bucket_mark(call, &rgw->s3, req->native, tags, &req->mark, true);
	}
	if (send_delete(rgw, call, req->native, &not_empty) != 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_EXISTS,
				 "it was begun with other parameters, and has objects already");
	return make(rgw, call, req, &none, false);
}

static int
create(const struct rgw *rgw, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct cosi_bucket there = { .ours = false };
	struct rgw_look look;

	if (!rgw_name_is_bucket(rgw, req->native))
		return cosi_fail(call, COSI_INVALID, "the gateway has no buckets of such names");
	if (req->common->object_lock && (req->common->set & COSI_P_VERSIONING) != 0 &&
	    !req->common->versioning)
		return cosi_fail(call, COSI_INVALID, "objectLock needs versioning");
	if (rgw_bucket_look(rgw, call, req->native, &look) != 0)
		return -1;
	if (!look.exists)
		return make(rgw, call, req, &look.tags, false);
	if (look.refused)
		return rgw_adopt_refused(rgw, call, req->native);
	if (look.tags.n == 0)
		return rgw_adopt_check(rgw, call, req->native, req->common->object_lock) == 0
			       ? make(rgw, call, req, &look.tags, true)
			       : -1;
	fill(rgw, &look, &req->mark, &there);
	if (!there.ours)
		return cosi_fail(call, COSI_EXISTS, "it is not ours: its tags name another owner");
	if (there.unfinished)
		return resume(rgw, call, req, &look.tags);
	if (strcmp(there.params, req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS, "it was made with other parameters");
	return 0;
}

int
rgw_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		  struct cosi_bucket *out)
{
	const struct rgw *rgw = instance;

	if (create(rgw, call, req) != 0)
		return cosi_fail(call, 0, "cannot create bucket '%.255s'", req->native);
	*out = (struct cosi_bucket){
		.ours = true,
		.protocols = COSI_S3,
		.region = rgw->config->region,
		.params = req->mark.params,
	};
	return 0;
}

/* ---- get ---- */

/* A bucket of another user is there, too: an account's own policy opens it, whoever owns it. */
int
rgw_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	       struct cosi_bucket *out)
{
	const struct rgw *rgw = instance;
	struct rgw_look look = { .exists = false };

	if (rgw_name_is_bucket(rgw, req->native) &&
	    rgw_bucket_look(rgw, call, req->native, &look) != 0)
		return cosi_fail(call, 0, "cannot look at bucket '%.255s'", req->native);
	if (!look.exists)
		return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'", req->native);
	fill(rgw, &look, &req->mark, out);
	return 0;
}

/* ---- delete ---- */

static int
purge(const struct rgw *rgw, struct cosi_call *call, const char *native)
{
	bool not_empty;

	if (s3_empty_bucket(call, &rgw->s3, native) != 0 ||
	    send_delete(rgw, call, native, &not_empty) != 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_BUSY, "objects come in while it is emptied");
	return 0;
}

static int
remove_bucket(const struct rgw *rgw, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct cosi_bucket there = { .ours = false };
	struct rgw_look look;
	bool not_empty;

	if (!rgw_name_is_bucket(rgw, req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	if (rgw_bucket_look(rgw, call, req->native, &look) != 0)
		return -1;
	if (!look.exists)
		return 0;
	if (look.refused)
		return cosi_fail(call, COSI_PRECONDITION,
				 "our user may not look whether it bears our marks");
	fill(rgw, &look, &req->mark, &there);
	if (!there.ours)
		return cosi_fail(call, COSI_PRECONDITION, "it does not bear our marks");
	if (send_delete(rgw, call, req->native, &not_empty) != 0)
		return -1;
	if (!not_empty)
		return 0;
	if (req->common->purge)
		return purge(rgw, call, req->native);
	return cosi_fail(call, COSI_PRECONDITION,
			 "it is not empty (with whenNotEmpty = purge its objects would go first)");
}

int
rgw_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	if (remove_bucket(instance, call, req) != 0)
		return cosi_fail(call, 0, "cannot delete bucket '%.255s'", req->native);
	return 0;
}
