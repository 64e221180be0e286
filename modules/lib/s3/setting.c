/* SPDX-License-Identifier: Apache-2.0
 * setting.c - settings of a new bucket, and whether a bucket still has none. */
#include <string.h>

#include "s3/list.h"
#include "s3/policy.h"
#include "s3/store.h"

#include "banned.h"

int
s3_put_setting(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       const char *setting, const char *text)
{
	const struct cosi_http_reply *reply = s3_call(
		call, client, .method = "PUT", .path = s3_path(call, bucket, NULL),
		REST_QUERY({ setting, NULL }), .body = REST_TEXT(text), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	return reply->status / 100 == 2 && reply->body.len == 0 ? 0 : s3_fail(call, reply);
}

const struct cosi_http_reply *
s3_get_setting(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       const char *setting)
{
	return s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
		       REST_QUERY({ setting, NULL }));
}

/* ---- what a new bucket gets ---- */

enum { S3_P_QUOTA = COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS };

bool
s3_settings_wanted(const struct s3_store *store, const struct cosi_bucket_params *params)
{
	return (params->versioning && !params->object_lock) || (params->set & S3_P_QUOTA) != 0 ||
	       params->anonymous != COSI_ANON_NONE ||
	       ((params->set & COSI_P_ANONYMOUS) != 0 && store->has_acls);
}

/* Without IgnorePublicAcls an account that may write an object may also make it public by an ACL of
 * the object, against "private" and "writeOnly". */
static int
s3_set_anonymous(const struct s3_store *store, struct cosi_call *call, const char *native,
		 uint32_t anonymous)
{
	static const char ignore_acls[] =
		"<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
		"<IgnorePublicAcls>true</IgnorePublicAcls>"
		"<BlockPublicPolicy>false</BlockPublicPolicy>"
		"<RestrictPublicBuckets>false</RestrictPublicBuckets>"
		"</PublicAccessBlockConfiguration>";
	const char *policy;

	if (store->has_acls && (anonymous & COSI_ANON_READ) == 0 &&
	    s3_put_setting(call, &store->client, native, "publicAccessBlock", ignore_acls) < 0)
		return -1;
	if (anonymous == COSI_ANON_NONE)
		return 0;
	policy = s3_policy_anonymous(call, native, anonymous);
	if (policy == NULL)
		return -1;
	return s3_put_setting(call, &store->client, native, "policy", policy);
}

int
s3_settings_apply(const struct s3_store *store, struct cosi_call *call, const char *native,
		  const struct cosi_bucket_params *params)
{
	static const char versioning[] =
		"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

	if (params->versioning && !params->object_lock &&
	    s3_put_setting(call, &store->client, native, "versioning", versioning) < 0)
		return cosi_fail(call, 0, "cannot enable versioning");
	if ((params->set & S3_P_QUOTA) != 0 && store->put_quota(store, call, native, params) < 0)
		return cosi_fail(call, 0, "cannot set the quota");
	if ((params->set & COSI_P_ANONYMOUS) != 0 &&
	    s3_set_anonymous(store, call, native, params->anonymous) < 0)
		return cosi_fail(call, 0, "cannot set the anonymous access");
	return 0;
}

/* ---- is it as PUT bucket leaves it? ---- */

static int
ignore_item(void *arg, const struct s3_item *item)
{
	(void)arg;
	(void)item;
	return 0;
}

static int
s3_lists_nothing(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		 const char *what, const char *limit, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
			REST_QUERY({ what, NULL }, { limit, "1" }, { "encoding-type", "url" }));
	struct s3_page page;

	if (reply == NULL)
		return -1;
	if (reply->status != 200 || s3_list_read(reply->body, true, ignore_item, NULL, &page) < 0)
		return s3_fail(call, reply);
	*out = page.nitems == 0;
	return 0;
}

/* A store without that API cannot have it set either. */
static int
s3_is_set(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	  const struct s3_default *setting, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(call, client, bucket, setting->setting);

	*out = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200) {
		*out = setting->mark[0] == '\0' || strstr(reply->body.data, setting->mark) != NULL;
		return 0;
	}
	if (s3_error_is(reply, 404, setting->absent) ||
	    s3_error_is(reply, 405, "MethodNotAllowed") ||
	    s3_error_is(reply, 501, "NotImplemented"))
		return 0;
	(void)s3_fail(call, reply);
	return cosi_fail(call, 0, "cannot read the bucket's '%s'", setting->setting);
}

int
s3_is_untouched(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		bool lock, const struct s3_default *more, size_t nmore, bool *out)
{
	const struct {
		struct s3_default is;
		bool set;
	} all[] = {
		{ { "policy", "NoSuchBucketPolicy", "" }, false },
		{ { "object-lock", "ObjectLockConfigurationNotFoundError", "" }, lock },
		{ { "versioning", "", "<Status>" }, lock }, /* which object lock brings along */
	};
	bool set;

	if (s3_lists_nothing(call, client, bucket, "versions", "max-keys", out) < 0 ||
	    (*out && s3_lists_nothing(call, client, bucket, "uploads", "max-uploads", out) < 0))
		return -1;
	for (size_t i = 0; *out && i < sizeof all / sizeof all[0]; i++) {
		if (s3_is_set(call, client, bucket, &all[i].is, &set) < 0)
			return -1;
		*out = set == all[i].set;
	}
	for (size_t i = 0; *out && i < nmore; i++) {
		if (s3_is_set(call, client, bucket, &more[i], &set) < 0)
			return -1;
		*out = !set;
	}
	return 0;
}
