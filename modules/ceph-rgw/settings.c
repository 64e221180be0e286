/* SPDX-License-Identifier: Apache-2.0
 * settings.c - versioning, quota and anonymous access of a bucket that is being made.
 *
 * One after another: the gateway reads a bucket's attributes, changes one and writes them all, so
 * two at once lose one of them (measured: 14 of 60).
 */
#include <inttypes.h>
#include <string.h>

#include "admin.h"
#include "s3/bucket.h"
#include "s3/policy.h"

#include "banned.h"

bool
rgw_settings_wanted(const struct cosi_bucket_params *params)
{
	return (params->versioning && !params->object_lock) ||
	       (params->set & (COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS)) != 0;
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
			REST_QUERY({ "quota", NULL }, { "uid", uid }, { "bucket", native }),
			REST_HEADERS(S3_UNSIGNED), .body = REST_TEXT(body),
			.flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	return reply->status == 200 ? 0 : rgw_admin_fail(call, reply, "buckets=write");
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
	    s3_bucket_put(call, &rgw->s3, native, "publicAccessBlock", ignore_acls) != 0)
		return -1;
	if (anonymous == COSI_ANON_NONE)
		return 0;
	policy = s3_policy_anonymous(call, native, anonymous);
	return policy != NULL ? s3_bucket_put(call, &rgw->s3, native, "policy", policy) : -1;
}

int
rgw_settings_apply(const struct rgw *rgw, struct cosi_call *call, const char *native,
		   const struct cosi_bucket_params *params)
{
	if (params->versioning && !params->object_lock &&
	    s3_bucket_version(call, &rgw->s3, native) != 0)
		return -1;
	if ((params->set & (COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS)) != 0 &&
	    apply_quota(rgw, call, native, params) != 0)
		return cosi_fail(call, 0, "cannot set the quota");
	if ((params->set & COSI_P_ANONYMOUS) != 0 &&
	    apply_anonymous(rgw, call, native, params->anonymous) != 0)
		return cosi_fail(call, 0, "cannot set the anonymous access");
	return 0;
}
