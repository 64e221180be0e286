/* SPDX-License-Identifier: Apache-2.0
 * store.c - create, get, delete. */
#include "s3/store.h"

#include <string.h>
#include <time.h>

#include "text/xml.h"

#include "banned.h"

/* ---- what is there? ---- */

static int
s3_refuse(const struct s3_store *store, struct cosi_call *call, const struct cosi_http_reply *reply,
	  const char *right)
{
	return store->fail != NULL ? store->fail(call, reply, right) : s3_fail(call, reply);
}

int
s3_get_tags(const struct s3_store *store, struct cosi_call *call, const char *native,
	    struct s3_look *out)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(call, &store->client, native, "tagging");

	*out = (struct s3_look){ .exists = true };
	if (reply == NULL)
		return -1;
	if ((reply->status == 200 && s3_tags_read(call, reply->body, &out->tags) == 0) ||
	    s3_error_is(reply, 404, "NoSuchTagSet"))
		return 0;
	out->refused = store->refused != NULL && s3_error_is(reply, 403, "AccessDenied");
	if (out->refused)
		return 0;
	*out = (struct s3_look){ .exists = false };
	if (s3_error_is(reply, 404, "NoSuchBucket") || s3_error_is(reply, 400, "InvalidBucketName"))
		return 0;
	return s3_refuse(store, call, reply, "s3:GetBucketTagging");
}

int
s3_look(const struct s3_store *store, struct cosi_call *call, const char *native,
	struct s3_look *out)
{
	*out = (struct s3_look){ .exists = false };
	if (!store->is_bucket(store, native))
		return 0;
	if (s3_get_tags(store, call, native, out) < 0)
		return -1;
	if (store->exists == NULL || out->tags.n > 0)
		return 0;
	return store->exists(store, call, native, &out->exists);
}

int
s3_fail_absent(struct cosi_call *call, const char *native)
{
	return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'", native);
}

static void
s3_describe(const struct s3_store *store, const struct s3_look *look, const struct cosi_mark *mark,
	    struct cosi_bucket *out)
{
	s3_tags_judge(&look->tags, mark, out);
	out->protocols = COSI_S3;
	out->region = store->client.region;
}

int
s3_probe(const struct s3_store *store, struct cosi_call *call)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(call, &store->client, "cosid.probe", "location");
	char region[256];

	if (reply == NULL)
		return -1;
	if ((reply->status == 200 &&
	     xml_find(reply->body, "LocationConstraint", region, sizeof region)) ||
	    s3_error_is(reply, 404, "NoSuchBucket") || s3_error_is(reply, 403, "AccessDenied"))
		return 0;
	return s3_refuse(store, call, reply, "s3:GetBucketLocation");
}

/* ---- grant ---- */

int
s3_grant_begin(const struct s3_store *store, struct cosi_call *call,
	       const struct cosi_access_req *req, struct s3_access *out_access,
	       struct cosi_access *out)
{
	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_INVALID, "cosid creates no accounts of such names");
	out_access->n = req->nbuckets;
	out_access->buckets = cosi_alloc(call, req->nbuckets * sizeof *out_access->buckets);
	if (out_access->buckets == NULL)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		out_access->buckets[i] = *req->buckets[i];
		out->buckets[i]->protocols = COSI_S3;
		out->buckets[i]->region = store->client.region;
	}
	return 0;
}

int
s3_grant_check_buckets(const struct s3_store *store, struct cosi_call *call,
		       const struct s3_access *access)
{
	struct s3_look look;
	int rc;

	for (size_t i = 0; i < access->n; i++) {
		const char *native = access->buckets[i].native;

		rc = store->exists != NULL ? store->exists(store, call, native, &look.exists)
					   : s3_look(store, call, native, &look);
		if (rc < 0)
			return cosi_fail(call, 0, "cannot read bucket '%.255s'", native);
		if (!look.exists)
			return s3_fail_absent(call, native);
	}
	return 0;
}

/* ---- create ---- */

static int
s3_put_tags(struct cosi_call *call, struct s3_creation *creation, bool finished)
{
	struct s3_tags *tags = &creation->there.tags;

	if (s3_tags_mark(call, tags, &creation->req->mark, finished) < 0)
		return -1;
	return s3_put_setting(call, &creation->store->client, creation->req->native, "tagging",
			      s3_tags_write(call, tags).data);
}

/* begun: the tags name the parameters already. */
static int
s3_finish(struct cosi_call *call, struct s3_creation *creation, bool begun)
{
	struct s3_store *store = creation->store;
	const struct cosi_bucket_req *req = creation->req;

	if (s3_settings_wanted(store, req->common)) {
		if (!begun && s3_put_tags(call, creation, false) < 0)
			return -1;
		if (s3_settings_apply(store, call, req->native, req->common) < 0)
			return -1;
	}
	if (s3_put_tags(call, creation, true) < 0)
		return -1;
	if (store->forget != NULL)
		store->forget(store, req->native);
	return 0;
}

static int
s3_send_delete(const struct s3_store *store, struct cosi_call *call, const char *native,
	       bool *out_not_empty)
{
	const struct cosi_http_reply *reply = s3_call(call, &store->client, .method = "DELETE",
						      .path = s3_path(call, native, NULL),
						      .timeout_ms = store->delete_timeout_ms);

	*out_not_empty = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 204 || s3_error_is(reply, 404, "NoSuchBucket"))
		return 0;
	*out_not_empty = s3_error_is(reply, 409, "BucketNotEmpty");
	return *out_not_empty ? 0 : s3_refuse(store, call, reply, "s3:DeleteBucket");
}

/* One that was begun with other parameters may be finished, and in use: a late request can set its
 * tags back. */
static int
s3_resume(struct cosi_call *call, struct s3_creation *creation)
{
	struct s3_store *store = creation->store;
	const char *making = s3_tags_find(&creation->there.tags, S3_MARK_MAKING);

	if (making == NULL || strcmp(making, creation->req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS,
				 "its creation was begun with other parameters: delete it first");
	if (store->resume != NULL && store->resume(call, creation) < 0)
		return -1;
	return s3_finish(call, creation, true);
}

static int
s3_remake(struct cosi_call *call, struct s3_creation *creation)
{
	struct s3_store *store = creation->store;
	bool not_empty, exists;

	if (s3_send_delete(store, call, creation->req->native, &not_empty) < 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_BUSY, "the bucket was written to a moment ago");
	if (store->put(call, creation, &exists) < 0)
		return -1;
	return !exists ? s3_finish(call, creation, false)
		       : cosi_fail(call, COSI_BUSY, "another daemon is creating the bucket");
}

static int
s3_join(struct cosi_call *call, struct s3_creation *creation)
{
	struct s3_look *there = &creation->there;
	const struct cosi_bucket_req *req = creation->req;
	struct cosi_bucket bucket = { .ours = false };

	if (there->refused)
		return creation->store->refused(creation->store, call, req->native);
	if (there->tags.n == 0) {
		if (creation->store->adopt(call, creation) < 0)
			return -1;
		if (there->tags.n == 0 && !there->exists)
			return s3_remake(call, creation);
		if (there->tags.n == 0) {
			cosi_log(call, COSI_NOTICE,
				 "takes over bucket '%.255s', which has no tags and looks like one "
				 "of its own that an interrupted Create left",
				 req->native);
			return s3_finish(call, creation, false);
		}
	}
	s3_tags_judge(&there->tags, &req->mark, &bucket);
	if (!bucket.ours)
		return cosi_fail(call, COSI_EXISTS, "the bucket's tags name another owner");
	if (bucket.unfinished)
		return s3_resume(call, creation);
	if (strcmp(bucket.params, req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS, "the bucket was created with other parameters");
	return 0;
}

static int
s3_create(struct cosi_call *call, struct s3_creation *creation)
{
	struct s3_store *store = creation->store;
	const struct cosi_bucket_req *req = creation->req;
	bool exists;

	if (!store->is_bucket(store, req->native))
		return cosi_fail(call, COSI_INVALID, "the store has no buckets of such names");
	if (req->common->object_lock && (req->common->set & COSI_P_VERSIONING) != 0 &&
	    !req->common->versioning)
		return cosi_fail(call, COSI_INVALID, "objectLock needs versioning");
	if (!store->puts_first && s3_look(store, call, req->native, &creation->there) < 0)
		return -1;
	if (!creation->there.exists) {
		if (store->put(call, creation, &exists) < 0)
			return -1;
		if (!exists)
			return s3_finish(call, creation, false);
		if (s3_get_tags(store, call, req->native, &creation->there) < 0)
			return -1;
	}
	return s3_join(call, creation);
}

int
s3_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		 struct cosi_bucket *out)
{
	struct s3_creation creation = {
		.store = instance,
		.req = req,
		.time_ms = call->host->time_left_ms(call),
	};
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	creation.begun_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (s3_create(call, &creation) < 0)
		return cosi_fail(call, 0, "cannot create bucket '%.255s'", req->native);
	*out = (struct cosi_bucket){
		.ours = true,
		.protocols = COSI_S3,
		.region = creation.store->client.region,
		.params = req->mark.params,
	};
	return 0;
}

/* ---- get, delete ---- */

/* Buckets of other owners are found as well: an account's policy opens a bucket of any owner. */
int
s3_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	      struct cosi_bucket *out)
{
	const struct s3_store *store = instance;
	struct s3_look look;

	if (s3_look(store, call, req->native, &look) < 0)
		return cosi_fail(call, 0, "cannot read bucket '%.255s'", req->native);
	if (!look.exists)
		return s3_fail_absent(call, req->native);
	s3_describe(store, &look, &req->mark, out);
	return 0;
}

/* As long as it is empty: no caller was ever told of it. */
static int
s3_delete_untagged(struct s3_store *store, struct cosi_call *call, const char *native)
{
	bool not_empty = true;

	if (store->has_made != NULL && store->has_made(store, native) &&
	    s3_send_delete(store, call, native, &not_empty) < 0)
		return -1;
	if (!not_empty)
		return 0;
	return cosi_fail(call, COSI_PRECONDITION,
			 "the bucket has no tags: if an interrupted Create left it, create it "
			 "again, then delete it");
}

static int
s3_delete(struct s3_store *store, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct cosi_bucket there = { .ours = false };
	struct s3_look look;
	bool not_empty;

	if (!store->is_bucket(store, req->native))
		return cosi_fail(call, COSI_PRECONDITION, "cosid creates no buckets of such names");
	if (s3_look(store, call, req->native, &look) < 0)
		return -1;
	if (!look.exists)
		return 0;
	if (look.refused)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the store denies access to the bucket's tags");
	if (look.tags.n == 0)
		return s3_delete_untagged(store, call, req->native);
	s3_describe(store, &look, &req->mark, &there);
	if (!there.ours)
		return cosi_fail(
			call, COSI_PRECONDITION,
			"the bucket's tags do not say that cosid created it for this owner");
	if (s3_send_delete(store, call, req->native, &not_empty) < 0)
		return -1;
	if (!not_empty)
		return 0;
	if (!req->common->purge)
		return cosi_fail(
			call, COSI_PRECONDITION,
			"the bucket is not empty (whenNotEmpty = purge deletes its objects first)");
	if (s3_purge(call, &store->client, req->native) < 0 ||
	    s3_send_delete(store, call, req->native, &not_empty) < 0)
		return -1;
	if (not_empty)
		return cosi_fail(call, COSI_BUSY, "objects are written while the bucket is purged");
	return 0;
}

int
s3_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct s3_store *store = instance;

	if (s3_delete(store, call, req) < 0)
		return cosi_fail(call, 0, "cannot delete bucket '%.255s'", req->native);
	if (store->forget != NULL)
		store->forget(store, req->native);
	return 0;
}
