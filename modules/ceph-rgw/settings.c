/* SPDX-License-Identifier: Apache-2.0
 * settings.c - versioning, quota and anonymous access of a bucket that is being made.
 *
 * One after another: the gateway reads a bucket's attributes, changes one and writes them all, so
 * two at once lose one of them (measured: 14 of 60).
 */
#include <inttypes.h>
#include <string.h>

#include "admin.h"
#include "s3/list.h"
#include "s3/policy.h"
#include "s3/s3_error.h"

#include "banned.h"

bool
rgw_settings_wanted(const struct cosi_bucket_params *params)
{
	return (params->versioning && !params->object_lock) ||
	       (params->set & (COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS)) != 0;
}

static int
put(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *setting,
    const char *body)
{
	const struct cosi_http_reply *reply = s3_call(
		call, &rgw->s3, .method = "PUT", .path = cosi_printf(call, "/%s", native),
		S3_QUERY({ setting, NULL }), .body = S3_TEXT(body), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	return reply->status / 100 == 2 ? 0 : s3_error_fail(call, reply);
}

static int
apply_versioning(const struct rgw *rgw, struct cosi_call *call, const char *native)
{
	if (put(rgw, call, native, "versioning",
		"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>") != 0)
		return cosi_fail(call, 0, "cannot switch versioning on");
	return 0;
}

/* As JSON: among the query's parameters max-objects alone sets the size to nothing, and a body is
 * taken only when it is not signed (16.2). */
static int
apply_quota(const struct rgw *rgw, struct cosi_call *call, const char *native,
	    const struct cosi_bucket_params *params)
{
	const struct cosi_http_reply *reply;
	const char *uid, *body;

	if (rgw_admin_own_uid(rgw, call, &uid) != 0)
		return -1;
	body = cosi_printf(
		call, "{\"enabled\":true,\"max_size\":%" PRId64 ",\"max_objects\":%" PRId64 "}",
		(params->set & COSI_P_QUOTA_SIZE) != 0 ? params->quota_size : -1,
		(params->set & COSI_P_QUOTA_OBJECTS) != 0 ? params->quota_objects : -1);
	reply = s3_call(call, &rgw->s3, .method = "PUT",
			.path = cosi_printf(call, "/%s/bucket", rgw->config->admin_path),
			S3_QUERY({ "quota", NULL }, { "uid", uid }, { "bucket", native }),
			.body = S3_TEXT(body), .unsigned_payload = true, .flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return 0;
	if (s3_error_is(call, reply, 403, "AccessDenied"))
		return cosi_fail(call, COSI_DENIED,
				 "a quota needs the cap 'buckets=write', which our user at the "
				 "gateway lacks");
	return s3_error_fail(call, reply);
}

/* Without IgnorePublicAcls whoever may write an object may also make it public, by an ACL of its
 * own: then "private" and "writeOnly" would not be what they say. */
static int
apply_anonymous(const struct rgw *rgw, struct cosi_call *call, const char *native,
		uint32_t anonymous)
{
	static const char ignore_acls[] =
		"<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
		"<IgnorePublicAcls>true</IgnorePublicAcls>"
		"<BlockPublicPolicy>false</BlockPublicPolicy>"
		"<RestrictPublicBuckets>false</RestrictPublicBuckets>"
		"</PublicAccessBlockConfiguration>";
	const char *policy;

	if ((anonymous & COSI_ANON_READ) == 0 &&
	    put(rgw, call, native, "publicAccessBlock", ignore_acls) != 0)
		return -1;
	if (anonymous == COSI_ANON_NONE)
		return 0;
	policy = s3_policy_anonymous(call, native, anonymous);
	return policy != NULL ? put(rgw, call, native, "policy", policy) : -1;
}

int
rgw_settings_apply(const struct rgw *rgw, struct cosi_call *call, const char *native,
		   const struct cosi_bucket_params *params)
{
	if (params->versioning && !params->object_lock && apply_versioning(rgw, call, native) != 0)
		return -1;
	if ((params->set & (COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS)) != 0 &&
	    apply_quota(rgw, call, native, params) != 0)
		return cosi_fail(call, 0, "cannot set the quota");
	if ((params->set & COSI_P_ANONYMOUS) != 0 &&
	    apply_anonymous(rgw, call, native, params->anonymous) != 0)
		return cosi_fail(call, 0, "cannot set the anonymous access");
	return 0;
}

/* ---- is it as new? ---- */

static int
ignore_item(void *arg, const struct s3_item *item)
{
	(void)arg;
	(void)item;
	return 0;
}

static const struct cosi_http_reply *
get(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *what)
{
	return s3_call(call, &rgw->s3, .method = "GET", .path = cosi_printf(call, "/%s", native),
		       S3_QUERY({ what, NULL }));
}

static int
lists_nothing(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *what,
	      const char *limit, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->s3, .method = "GET", .path = cosi_printf(call, "/%s", native),
			S3_QUERY({ what, NULL }, { limit, "1" }, { "encoding-type", "url" }));
	struct s3_page page;

	if (reply == NULL)
		return -1;
	if (reply->status != 200 || s3_list_read(reply->body, true, ignore_item, NULL, &page) != 0)
		return s3_error_fail(call, reply);
	*out = page.nitems == 0;
	return 0;
}

static int
has_no_policy(const struct rgw *rgw, struct cosi_call *call, const char *native, bool *out)
{
	const struct cosi_http_reply *reply = get(rgw, call, native, "policy");

	if (reply == NULL)
		return -1;
	*out = s3_error_is(call, reply, 404, "NoSuchBucketPolicy");
	return *out || reply->status == 200 ? 0 : s3_error_fail(call, reply);
}

static int
has_lock(const struct rgw *rgw, struct cosi_call *call, const char *native, bool wanted, bool *out)
{
	const struct cosi_http_reply *reply = get(rgw, call, native, "object-lock");
	bool none;

	if (reply == NULL)
		return -1;
	none = s3_error_is(call, reply, 404, "ObjectLockConfigurationNotFoundError");
	if (!none && reply->status != 200)
		return s3_error_fail(call, reply);
	*out = none != wanted;
	return 0;
}

static int
has_versioning(const struct rgw *rgw, struct cosi_call *call, const char *native, bool wanted,
	       bool *out)
{
	const struct cosi_http_reply *reply = get(rgw, call, native, "versioning");

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return s3_error_fail(call, reply);
	*out = (strstr(reply->body.data, "<Status>") != NULL) == wanted;
	return 0;
}

int
rgw_settings_untouched(const struct rgw *rgw, struct cosi_call *call, const char *native,
		       const struct cosi_bucket_params *params, bool *out)
{
	bool lock = params->object_lock;

	if (lists_nothing(rgw, call, native, "versions", "max-keys", out) != 0)
		return -1;
	if (*out && lists_nothing(rgw, call, native, "uploads", "max-uploads", out) != 0)
		return -1;
	if (*out && has_no_policy(rgw, call, native, out) != 0)
		return -1;
	if (*out && has_lock(rgw, call, native, lock, out) != 0)
		return -1;
	return *out ? has_versioning(rgw, call, native, lock, out) : 0;
}
