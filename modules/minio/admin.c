/* SPDX-License-Identifier: Apache-2.0
 * admin.c - requests below /minio/admin/v3, and what the server's refusals mean. */
#include <string.h>

#include "minio.h"
#include "rest/json.h"
#include "text/xml.h"

#include "banned.h"

#define ADMIN "/minio/admin/v3/"

enum { POLICIES_REPLY = 32 * 1048576 }; /* all policies of the server come in one answer */

int
minio_fail_region(struct cosi_call *call, const char *region)
{
	return cosi_fail(call, COSI_PRECONDITION,
			 "the server's region is '%.64s', which the key region must say", region);
}

static int
minio_on_region(void *arg, const char *path, char *text, size_t len)
{
	struct cosi_call *call = arg;

	(void)len;
	return strcmp(path, "Error/Region") == 0 ? minio_fail_region(call, text) : 0;
}

int
minio_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right)
{
	if (s3_error_is(reply, 403, "AccessDenied"))
		return cosi_fail(call, COSI_DENIED,
				 "cosid's user at the server lacks the right '%s'", right);
	if (s3_error_is(reply, 400, "AuthorizationHeaderMalformed") &&
	    xml_read(reply->body, minio_on_region, call) < 0 && cosi_failed(call))
		return -1;
	if (s3_error_is(reply, 426, "XMinioAdminVersionMismatch"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the server has another admin API than v3");
	/* The secret changed at the server after this request was signed. */
	if (s3_error_is(reply, 400, "XMinioAdminConfigBadJSON"))
		return cosi_fail(call, COSI_UNAVAILABLE, "the server cannot decrypt the request");
	return s3_fail(call, reply);
}

/* Is it a success that has nothing to say?  The header tells the server's answer from that of a
 * proxy on the way. */
static bool
minio_is_done(const struct cosi_http_reply *reply)
{
	return (reply->status == 200 || reply->status == 204) && reply->body.len == 0 &&
	       rest_header(reply, "x-amz-request-id") != NULL;
}

/* ---- users ---- */

int
minio_user_get(const struct minio *minio, struct cosi_call *call, const char *key,
	       struct minio_user *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "GET", .path = ADMIN "user-info",
			REST_QUERY({ "accessKey", key }));
	json_auto_t *root = NULL;
	const char *policy;

	*out = (struct minio_user){ .found = false, .policy = "" };
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "XMinioAdminNoSuchUser"))
		return 0;
	if (reply->status != 200)
		return minio_fail(call, reply, "admin:GetUser");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_string(json_object_get(root, "status")))
		return s3_fail(call, reply);
	policy = json_string_value(json_object_get(root, "policyName"));
	*out = (struct minio_user){ true, policy != NULL ? cosi_printf(call, "%s", policy) : "" };
	return cosi_failed(call) ? -1 : 0;
}

/* Without a status the user would be stored as disabled. */
int
minio_user_put(struct minio *minio, struct cosi_call *call, const char *key, const char *secret)
{
	const char *text =
		rest_json(call, json_pack("{s:s, s:s}", "secretKey", secret, "status", "enabled"));
	const struct cosi_http_reply *reply;

	if (text == NULL)
		return -1;
	reply = s3_call(call, &minio->store.client, .method = "PUT", .path = ADMIN "add-user",
			REST_QUERY({ "accessKey", key }),
			REST_HEADERS({ "content-type", "application/octet-stream" }),
			.body = minio_seal_text(&minio->seal, call, text), .flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 403, "XMinioInvalidIAMCredentials"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "its access key is that of a service account");
	return minio_is_done(reply) ? 0 : minio_fail(call, reply, "admin:CreateUser");
}

int
minio_user_remove(const struct minio *minio, struct cosi_call *call, const char *key)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "DELETE", .path = ADMIN "remove-user",
			REST_QUERY({ "accessKey", key }));

	if (reply == NULL)
		return -1;
	if (minio_is_done(reply) || s3_error_is(reply, 404, "XMinioAdminNoSuchUser"))
		return 0;
	if (s3_error_is(reply, 403, "XMinioIAMActionNotAllowed"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "its access key is that of a service account");
	return minio_fail(call, reply, "admin:DeleteUser");
}

int
minio_user_join(const struct minio *minio, struct cosi_call *call, const char *key,
		const char *policy, bool *out_gone)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "PUT",
			.path = ADMIN "set-user-or-group-policy",
			REST_QUERY({ "policyName", policy }, { "userOrGroup", key },
				   { "isGroup", "false" }),
			.flags = COSI_HTTP_SAFE);

	*out_gone = false;
	if (reply == NULL)
		return -1;
	*out_gone = s3_error_is(reply, 404, "XMinioAdminNoSuchUser") ||
		    s3_error_is(reply, 404, "XMinioAdminNoSuchPolicy");
	if (*out_gone || minio_is_done(reply))
		return 0;
	return minio_fail(call, reply, "admin:AttachUserOrGroupPolicy");
}

/* Servers from before that call answer 426; the policy of an account refuses such keys there. */
int
minio_user_revoke_tokens(const struct minio *minio, struct cosi_call *call, const char *key)
{
	const struct cosi_http_reply *reply = s3_call(
		call, &minio->store.client, .method = "POST", .path = ADMIN "revoke-tokens/builtin",
		REST_QUERY({ "user", key }, { "fullRevoke", "true" }), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	if (minio_is_done(reply) || s3_error_is(reply, 426, "XMinioAdminVersionMismatch"))
		return 0;
	return minio_fail(call, reply, "admin:RemoveServiceAccount");
}

/* ---- policies ---- */

int
minio_policy_get(const struct minio *minio, struct cosi_call *call, const char *name,
		 const char **out_document)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "GET",
			.path = ADMIN "info-canned-policy", REST_QUERY({ "name", name }));

	*out_document = NULL;
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "XMinioAdminNoSuchPolicy"))
		return 0;
	if (reply->status != 200 || *(const char *)reply->body.data != '{')
		return minio_fail(call, reply, "admin:GetPolicy");
	*out_document = reply->body.data;
	return 0;
}

int
minio_policy_put(const struct minio *minio, struct cosi_call *call, const char *name,
		 const char *document)
{
	const struct cosi_http_reply *reply = s3_call(
		call, &minio->store.client, .method = "PUT", .path = ADMIN "add-canned-policy",
		REST_QUERY({ "name", name }), REST_HEADERS({ "content-type", "application/json" }),
		.body = REST_TEXT(document), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	return minio_is_done(reply) ? 0 : minio_fail(call, reply, "admin:CreatePolicy");
}

int
minio_policy_remove(const struct minio *minio, struct cosi_call *call, const char *name,
		    bool *out_in_use)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "DELETE",
			.path = ADMIN "remove-canned-policy", REST_QUERY({ "name", name }));

	*out_in_use = false;
	if (reply == NULL)
		return -1;
	*out_in_use = s3_error_is(reply, 400, "XMinioIAMPolicyInUse");
	if (*out_in_use || minio_is_done(reply) ||
	    s3_error_is(reply, 404, "XMinioAdminNoSuchPolicy"))
		return 0;
	return minio_fail(call, reply, "admin:DeletePolicy");
}

int
minio_policy_names(const struct minio *minio, struct cosi_call *call,
		   struct cosi_bytes *out_document)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "GET",
			.path = ADMIN "list-canned-policies", .max_reply = POLICIES_REPLY);

	if (reply == NULL)
		return -1;
	if (reply->status != 200 || *(const char *)reply->body.data != '{')
		return minio_fail(call, reply, "admin:ListUserPolicies");
	*out_document = reply->body;
	return 0;
}

/* ---- quota ---- */

/* Older servers read "quota", newer ones "size". */
int
minio_put_quota(const struct s3_store *store, struct cosi_call *call, const char *bucket,
		const struct cosi_bucket_params *params)
{
	json_int_t bytes = params->quota_size;
	const char *text = rest_json(call, json_pack("{s:I, s:I, s:s}", "quota", bytes, "size",
						     bytes, "quotatype", "hard"));
	const struct cosi_http_reply *reply;

	if (text == NULL)
		return -1;
	reply = s3_call(call, &store->client, .method = "PUT", .path = ADMIN "set-bucket-quota",
			REST_QUERY({ "bucket", bucket }),
			REST_HEADERS({ "content-type", "application/json" }),
			.body = REST_TEXT(text), .flags = COSI_HTTP_SAFE);
	if (reply == NULL)
		return -1;
	return minio_is_done(reply) ? 0 : minio_fail(call, reply, "admin:SetBucketQuota");
}

int
minio_get_quota(const struct minio *minio, struct cosi_call *call, const char *bucket,
		int64_t *out_bytes)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->store.client, .method = "GET",
			.path = ADMIN "get-bucket-quota", REST_QUERY({ "bucket", bucket }));
	json_auto_t *root = NULL;
	const json_t *quota;

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return minio_fail(call, reply, "admin:GetBucketQuota");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	quota = json_object_get(root, "quota");
	if (!json_is_integer(quota))
		return s3_fail(call, reply);
	*out_bytes = json_integer_value(quota);
	return 0;
}
