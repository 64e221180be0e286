/* SPDX-License-Identifier: Apache-2.0
 * admin.c - requests below /minio/admin/v3, and what the server's refusals mean. */
#include <string.h>

#include "minio.h"
#include "text/xml.h"

#include "banned.h"

#define ADMIN     "/minio/admin/v3/"
#define OTHER_API "XMinioAdminVersionMismatch"

enum { POLICIES_REPLY = 32 * 1048576 }; /* all policies of the server come in one answer */

int
minio_fail_region(struct cosi_call *call, const char *region)
{
	return cosi_fail(call, COSI_PRECONDITION,
			 "the server's region is '%.64s': set the key 'region' to it", region);
}

int
minio_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right)
{
	char region[MINIO_REGION_MAX];

	if (s3_error_is(reply, 403, "AccessDenied"))
		return cosi_fail(call, COSI_DENIED,
				 "cosid's user at the server lacks the right '%s'", right);
	if (s3_error_is(reply, 400, "AuthorizationHeaderMalformed") &&
	    xml_find(reply->body, "Error/Region", region, sizeof region))
		return minio_fail_region(call, region);
	if (s3_error_is(reply, 403, "XMinioInvalidIAMCredentials") ||
	    s3_error_is(reply, 403, "XMinioIAMActionNotAllowed"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the account's access key belongs to a service account");
	if (s3_error_is(reply, 426, OTHER_API))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the server has another version of the admin API than v3");
	/* The secret changed at the server after this request was signed. */
	if (s3_error_is(reply, 400, "XMinioAdminConfigBadJSON"))
		return cosi_fail(call, COSI_UNAVAILABLE, "the server cannot decrypt the request");
	return s3_fail(call, reply);
}

/* ---- operations ---- */

/* An operation: its request, the right that AccessDenied means, and errors that are results. */
struct minio_op {
	const char *method, *path, *right;
	const char *outcomes[2]; /* codes */
};

/* 0: success, and *out_reply (may be NULL) is the reply; 1, 2: that one of the outcomes; -1: the
 * call has failed.  Every operation may be sent twice. */
static int
minio_send(const struct s3_store *store, struct cosi_call *call, const struct minio_op *op,
	   struct rest_request *request, const struct cosi_http_reply **out_reply)
{
	const struct cosi_url *url = call->host->url(call, NULL, NULL);
	const struct cosi_http_reply *reply;
	bool reads = strcmp(op->method, "GET") == 0, done;
	const char *code;

	request->method = op->method;
	request->path = op->path;
	request->flags = COSI_HTTP_SAFE;
	request->unmarked =
		reads || (op->outcomes[0] != NULL && strcmp(op->outcomes[0], OTHER_API) == 0);
	reply = s3_send(call, &store->client, request);
	if (out_reply != NULL)
		*out_reply = reply;
	if (reply == NULL)
		return -1;
	/* What the server has no path for it answers without a request id (measured). */
	if (request->unmarked && rest_header(reply, s3_api.id_header) == NULL &&
	    !s3_error_is(reply, 426, OTHER_API))
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the %d reply of %s://%s to '%s %s' is not from the server: it "
				 "has no header '%s'",
				 reply->status, url->scheme, url->host, op->method, op->path,
				 s3_api.id_header);
	if (reads)
		done = reply->status == 200 && *(const char *)reply->body.data == '{';
	else
		done = (reply->status == 200 || reply->status == 204) && reply->body.len == 0;
	if (done)
		return 0;
	code = rest_error_code(call, &s3_api, reply);
	for (int i = 0; i < 2; i++)
		if (op->outcomes[i] != NULL && strcmp(code, op->outcomes[i]) == 0)
			return i + 1;
	return minio_fail(call, reply, op->right);
}
#define minio_ask(store, call, op, out_reply, ...)                                                 \
	minio_send((store), (call), (op), &(struct rest_request){ __VA_ARGS__ }, (out_reply))

int
minio_user_get(const struct minio *minio, struct cosi_call *call, const char *key,
	       struct minio_user *out)
{
	static const struct minio_op op = {
		"GET", ADMIN "user-info", "admin:GetUser", { "XMinioAdminNoSuchUser", NULL }
	};
	const struct cosi_http_reply *reply;
	json_auto_t *root = NULL;
	int rc = minio_ask(&minio->store, call, &op, &reply, REST_QUERY({ "accessKey", key }));

	*out = (struct minio_user){ .found = false, .policy = "" };
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_string(json_object_get(root, "status")))
		return s3_fail(call, reply);
	*out = (struct minio_user){ true, rest_json_text(call, root, "policyName") };
	return cosi_failed(call) ? -1 : 0;
}

/* Without a status the user would be stored as disabled. */
int
minio_user_put(struct minio *minio, struct cosi_call *call, const char *key, const char *secret)
{
	static const struct minio_op op = {
		"PUT", ADMIN "add-user", "admin:CreateUser", { NULL, NULL }
	};
	const char *text =
		rest_json(call, json_pack("{s:s, s:s}", "secretKey", secret, "status", "enabled"));

	if (text == NULL)
		return -1;
	return minio_ask(&minio->store, call, &op, NULL, REST_QUERY({ "accessKey", key }),
			 REST_HEADERS({ "content-type", "application/octet-stream" }),
			 .body = minio_seal_text(&minio->seal, call, text));
}

int
minio_user_remove(const struct minio *minio, struct cosi_call *call, const char *key)
{
	static const struct minio_op op = {
		"DELETE", ADMIN "remove-user", "admin:DeleteUser", { "XMinioAdminNoSuchUser", NULL }
	};
	int rc = minio_ask(&minio->store, call, &op, NULL, REST_QUERY({ "accessKey", key }));

	return rc < 0 ? -1 : 0;
}

int
minio_user_join(const struct minio *minio, struct cosi_call *call, const char *key,
		const char *policy, bool *out_gone)
{
	static const struct minio_op op = { "PUT",
					    ADMIN "set-user-or-group-policy",
					    "admin:AttachUserOrGroupPolicy",
					    { "XMinioAdminNoSuchUser",
					      "XMinioAdminNoSuchPolicy" } };
	int rc = minio_ask(&minio->store, call, &op, NULL,
			   REST_QUERY({ "policyName", policy }, { "userOrGroup", key },
				      { "isGroup", "false" }));

	*out_gone = rc > 0;
	return rc < 0 ? -1 : 0;
}

/* Servers from before that call answer 426; the policy of an account refuses such keys there. */
int
minio_user_revoke_tokens(const struct minio *minio, struct cosi_call *call, const char *key)
{
	static const struct minio_op op = { "POST",
					    ADMIN "revoke-tokens/builtin",
					    "admin:RemoveServiceAccount",
					    { OTHER_API, NULL } };
	int rc = minio_ask(&minio->store, call, &op, NULL,
			   REST_QUERY({ "user", key }, { "fullRevoke", "true" }));

	return rc < 0 ? -1 : 0;
}

int
minio_policy_get(const struct minio *minio, struct cosi_call *call, const char *name,
		 const char **out_document)
{
	static const struct minio_op op = { "GET",
					    ADMIN "info-canned-policy",
					    "admin:GetPolicy",
					    { "XMinioAdminNoSuchPolicy", NULL } };
	const struct cosi_http_reply *reply;
	json_auto_t *root = NULL;
	int rc = minio_ask(&minio->store, call, &op, &reply, REST_QUERY({ "name", name }));

	*out_document = NULL;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	/* The server stores no policy without a statement. */
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_object(json_array_get(json_object_get(root, "Statement"), 0)))
		return cosi_failed(call) ? -1 : s3_fail(call, reply);
	*out_document = reply->body.data;
	return 0;
}

int
minio_policy_put(const struct minio *minio, struct cosi_call *call, const char *name,
		 const char *document)
{
	static const struct minio_op op = {
		"PUT", ADMIN "add-canned-policy", "admin:CreatePolicy", { NULL, NULL }
	};

	return minio_ask(&minio->store, call, &op, NULL, REST_QUERY({ "name", name }),
			 REST_HEADERS({ "content-type", "application/json" }),
			 .body = REST_TEXT(document));
}

int
minio_policy_remove(const struct minio *minio, struct cosi_call *call, const char *name,
		    bool *out_in_use)
{
	static const struct minio_op op = { "DELETE",
					    ADMIN "remove-canned-policy",
					    "admin:DeletePolicy",
					    { "XMinioAdminNoSuchPolicy", "XMinioIAMPolicyInUse" } };
	int rc = minio_ask(&minio->store, call, &op, NULL, REST_QUERY({ "name", name }));

	*out_in_use = rc == 2;
	return rc < 0 ? -1 : 0;
}

int
minio_policy_names(const struct minio *minio, struct cosi_call *call,
		   struct cosi_bytes *out_document)
{
	static const struct minio_op op = {
		"GET", ADMIN "list-canned-policies", "admin:ListUserPolicies", { NULL, NULL }
	};
	const struct cosi_http_reply *reply;

	if (minio_ask(&minio->store, call, &op, &reply, .max_reply = POLICIES_REPLY) < 0)
		return -1;
	*out_document = reply->body;
	return 0;
}

/* Older servers read "quota", newer ones "size". */
int
minio_put_quota(const struct s3_store *store, struct cosi_call *call, const char *bucket,
		const struct cosi_bucket_params *params)
{
	static const struct minio_op op = {
		"PUT", ADMIN "set-bucket-quota", "admin:SetBucketQuota", { NULL, NULL }
	};
	json_int_t bytes = params->quota_size;
	const char *text = rest_json(call, json_pack("{s:I, s:I, s:s}", "quota", bytes, "size",
						     bytes, "quotatype", "hard"));

	if (text == NULL)
		return -1;
	return minio_ask(store, call, &op, NULL, REST_QUERY({ "bucket", bucket }),
			 REST_HEADERS({ "content-type", "application/json" }),
			 .body = REST_TEXT(text));
}

int
minio_get_quota(const struct minio *minio, struct cosi_call *call, const char *bucket,
		int64_t *out_bytes)
{
	static const struct minio_op op = {
		"GET", ADMIN "get-bucket-quota", "admin:GetBucketQuota", { NULL, NULL }
	};
	const struct cosi_http_reply *reply;
	json_auto_t *root = NULL;
	const json_t *quota;

	if (minio_ask(&minio->store, call, &op, &reply, REST_QUERY({ "bucket", bucket })) < 0)
		return -1;
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	quota = json_object_get(root, "quota");
	if (!json_is_integer(quota))
		return s3_fail(call, reply);
	*out_bytes = json_integer_value(quota);
	return 0;
}
