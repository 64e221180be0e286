/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - PUT bucket, quota, and buckets that are there already.
 *
 * The gateway answers 200 to a PUT of a bucket that its owner has already, with any parameters, so
 * its tags are read first.  A bucket without tags is adopted only while it is as PUT bucket leaves
 * it.  Only settings that 16.2 routes are read: it drops the name of a setting that it does not
 * know, and lists the bucket instead.
 */
#include <string.h>

#include "rgw.h"
#include "text/xml.h"

#include "banned.h"

/* ---- access ---- */

struct rgw_acl {
	unsigned ngrants;
	bool full;
	char owner[256], grantee[256];
};

static void
rgw_copy_id(char out[256], const char *text, size_t len)
{
	if (len < 256)
		memcpy(out, text, len + 1);
}

static int
rgw_on_acl(void *arg, const char *path, char *text, size_t len)
{
	struct rgw_acl *acl = arg;

	if (strcmp(path, "AccessControlPolicy/Owner/ID") == 0)
		rgw_copy_id(acl->owner, text, len);
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant/Grantee/ID") == 0)
		rgw_copy_id(acl->grantee, text, len);
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant/Permission") == 0)
		acl->full = strcmp(text, "FULL_CONTROL") == 0;
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant") == 0)
		acl->ngrants++;
	return 0;
}

/* Full control for its owner, and nothing for others. */
static int
rgw_has_new_acl(const struct s3_store *store, struct cosi_call *call, const char *native, bool *out)
{
	const struct cosi_http_reply *reply = s3_get_setting(call, &store->client, native, "acl");
	struct rgw_acl acl = { .ngrants = 0 };

	if (reply == NULL)
		return -1;
	if (reply->status == 404)
		return cosi_fail(call, COSI_BUSY, "the bucket was deleted by another request");
	if (reply->status != 200 || xml_read(reply->body, rgw_on_acl, &acl) < 0 ||
	    acl.owner[0] == '\0') {
		(void)s3_fail(call, reply);
		return cosi_fail(call, 0, "cannot read the bucket's ACL");
	}
	*out = acl.ngrants == 1 && acl.full && strcmp(acl.owner, acl.grantee) == 0;
	return 0;
}

/* ---- quota ---- */

/* As JSON: among the query's parameters max-objects alone sets the size to nothing, and a body is
 * taken only when it is not signed (16.2). */
int
rgw_put_quota(const struct s3_store *store, struct cosi_call *call, const char *native,
	      const struct cosi_bucket_params *params)
{
	const struct rgw *rgw = (const struct rgw *)store;
	bool size = (params->set & COSI_P_QUOTA_SIZE) != 0;
	bool objects = (params->set & COSI_P_QUOTA_OBJECTS) != 0;
	const struct cosi_http_reply *reply;
	const char *uid, *body;

	if (rgw_own_uid(rgw, call, &uid) < 0)
		return -1;
	body = rest_json(call,
			 json_pack("{s:b, s:I, s:I}", "enabled", 1, "max_size",
				   (json_int_t)(size ? params->quota_size : -1), "max_objects",
				   (json_int_t)(objects ? params->quota_objects : -1)));
	if (body == NULL)
		return -1;
	reply = s3_call(call, &store->client, .method = "PUT",
			.path = cosi_printf(call, "/%s/bucket", rgw->config->admin_path),
			REST_QUERY({ "quota", NULL }, { "uid", uid }, { "bucket", native }),
			REST_HEADERS(S3_UNSIGNED), .body = REST_TEXT(body),
			.flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	return reply->status == 200 && reply->body.len == 0
		       ? 0
		       : rgw_admin_fail(call, reply, "buckets=write");
}

struct rgw_bucket_info {
	bool known;        /* false: cosid's user lacks the cap 'buckets=read' */
	bool quota;        /* one of the bucket's own is in force */
	const char *owner; /* a user's name */
};

/* What the gateway knows of a bucket of any owner. */
static int
rgw_get_info(const struct rgw *rgw, struct cosi_call *call, const char *native,
	     struct rgw_bucket_info *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->store.client, .method = "GET",
			.path = cosi_printf(call, "/%s/bucket", rgw->config->admin_path),
			REST_QUERY({ "bucket", native }));
	json_auto_t *root = NULL;
	const char *bucket, *owner;

	*out = (struct rgw_bucket_info){ .known = false };
	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return s3_error_is(reply, 403, "AccessDenied") ? 0 : s3_fail(call, reply);
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	bucket = json_string_value(json_object_get(root, "bucket"));
	owner = json_string_value(json_object_get(root, "owner"));
	if (bucket == NULL || strcmp(bucket, native) != 0 || owner == NULL)
		return s3_fail(call, reply);
	*out = (struct rgw_bucket_info){
		.known = true,
		.quota = json_is_true(
			json_object_get(json_object_get(root, "bucket_quota"), "enabled")),
		.owner = cosi_printf(call, "%s", owner),
	};
	return cosi_failed(call) ? -1 : 0;
}

/* Without the cap 'buckets=read': of the quota in force, which is the bucket's own or one that
 * cosid's user has for all of its buckets. */
static int
rgw_has_no_quota(const struct s3_store *store, struct cosi_call *call, const char *native,
		 bool *out)
{
	const struct cosi_http_reply *reply;
	const char *size, *objects;
	struct rgw_bucket_info info;

	if (rgw_get_info((const struct rgw *)store, call, native, &info) < 0)
		return -1;
	*out = !info.quota;
	if (info.known)
		return 0;
	reply = s3_call(call, &store->client, .method = "HEAD",
			.path = s3_path(call, native, NULL));
	if (reply == NULL)
		return -1;
	if (reply->status == 404)
		return cosi_fail(call, COSI_BUSY, "the bucket was deleted by another request");
	size = rest_header(reply, "x-rgw-quota-bucket-size");
	objects = rest_header(reply, "x-rgw-quota-bucket-objects");
	if (reply->status != 200 || size == NULL || objects == NULL)
		return s3_fail(call, reply);
	*out = strcmp(size, "-1") == 0 && strcmp(objects, "-1") == 0;
	return 0;
}

/* ---- buckets that are there ---- */

/* The PUT proves the owner: the gateway refuses it for a bucket of another user. */
int
rgw_adopt(struct cosi_call *call, struct s3_creation *creation)
{
	static const struct s3_default defaults[] = {
		{ "lifecycle", "NoSuchLifecycleConfiguration", "" },
		{ "cors", "NoSuchCORSConfiguration", "" },
		{ "website", "NoSuchWebsiteConfiguration", "" },
		{ "replication", "ReplicationConfigurationNotFoundError", "<Rule>" },
		{ "notification", "", "<TopicConfiguration>" },
		{ "publicAccessBlock", "NoSuchPublicAccessBlockConfiguration", ">true<" },
		{ "requestPayment", "", "<Payer>Requester</Payer>" },
		{ "object-lock", "ObjectLockConfigurationNotFoundError", "<Rule>" },
	};
	const struct s3_store *store = creation->store;
	const char *native = creation->req->native;
	struct s3_look look;
	bool untouched, exists;

	if (s3_is_untouched(call, &store->client, native, creation->req->common->object_lock,
			    defaults, sizeof defaults / sizeof defaults[0], &untouched) < 0)
		return -1;
	if (untouched && rgw_has_new_acl(store, call, native, &untouched) < 0)
		return -1;
	if (untouched && rgw_has_no_quota(store, call, native, &untouched) < 0)
		return cosi_fail(call, 0, "cannot read the bucket's quota");
	if (untouched)
		return rgw_put_bucket(call, creation, &exists);
	/* Tags come before settings, so a bucket with settings and without tags is not cosid's;
	 * another daemon that is creating the bucket has tagged it by now. */
	if (s3_get_tags(store, call, native, &look) < 0)
		return -1;
	if (!look.exists || look.tags.n > 0)
		return cosi_fail(call, COSI_BUSY, "another daemon is creating the bucket");
	return cosi_fail(
		call, COSI_EXISTS,
		"the bucket has no tags and is not newly created: it has objects or settings");
}

int
rgw_refused(const struct s3_store *store, struct cosi_call *call, const char *native)
{
	const struct rgw *rgw = (const struct rgw *)store;
	struct rgw_bucket_info info;
	const char *uid;

	if (rgw_get_info(rgw, call, native, &info) < 0)
		return -1;
	if (!info.known)
		return cosi_fail(call, COSI_DENIED,
				 "the gateway denies access to it: either another user owns it, or "
				 "its bucket policy denies it (the cap 'buckets=read' would tell)");
	if (rgw_own_uid(rgw, call, &uid) < 0)
		return -1;
	if (strcmp(info.owner, uid) != 0)
		return cosi_fail(call, COSI_EXISTS, "another user of the gateway owns the bucket");
	return cosi_fail(call, COSI_DENIED,
			 "cosid's user owns the bucket, but the bucket policy denies access");
}

/* The gateway also answers 409 to a PUT by the bucket's owner: when the bucket has another canned
 * ACL or placement, and while another PUT by the same user has not written the ACL yet. */
static int
rgw_put_conflict(struct cosi_call *call, const struct s3_creation *creation)
{
	const struct s3_store *store = creation->store;
	const char *native = creation->req->native;
	struct s3_look look;
	bool passes = false;

	if (!creation->there.exists) {
		if (s3_get_tags(store, call, native, &look) < 0)
			return -1;
		passes = !look.exists;
		if (look.exists && !look.refused &&
		    rgw_has_new_acl(store, call, native, &passes) < 0)
			return -1;
	}
	if (passes)
		return cosi_fail(call, COSI_BUSY, "another daemon is creating the bucket");
	return cosi_fail(call, COSI_EXISTS,
			 "the bucket exists already, for another user or with another ACL or "
			 "placement");
}

static int
rgw_fail_region(struct cosi_call *call, const char *region)
{
	return cosi_fail(call, COSI_OUT_OF_RANGE, "the gateway has no region or placement '%.128s'",
			 region);
}

int
rgw_put_bucket(struct cosi_call *call, struct s3_creation *creation, bool *out_exists)
{
	const struct cosi_bucket_params *params = creation->req->common;
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	const char *region = (params->set & COSI_P_REGION) != 0 ? params->region : NULL;
	const struct cosi_http_reply *reply;
	const char *location = "";

	*out_exists = false;
	/* "zonegroup", ":placement" or "zonegroup:placement". */
	if (region != NULL &&
	    region[strspn(region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789.:_-")] != '\0')
		return rgw_fail_region(call, region);
	if (region != NULL)
		location = cosi_printf(call,
				       "<CreateBucketConfiguration><LocationConstraint>%s"
				       "</LocationConstraint></CreateBucketConfiguration>",
				       region);
	reply = s3_call(call, &creation->store->client, .method = "PUT",
			.path = s3_path(call, creation->req->native, NULL), .headers = &lock,
			.nheaders = params->object_lock ? 1 : 0, .body = REST_TEXT(location),
			.flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && reply->body.len == 0)
		return 0;
	if (s3_error_is(reply, 409, "BucketAlreadyExists"))
		return rgw_put_conflict(call, creation);
	if (s3_error_is(reply, 400, "InvalidLocationConstraint"))
		return rgw_fail_region(call, region != NULL ? region : "");
	return s3_fail(call, reply);
}
