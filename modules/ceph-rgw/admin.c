/* SPDX-License-Identifier: Apache-2.0
 * admin.c - users and their policies: made, read, deleted. */
#include <string.h>

#include "rgw.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

static const struct cosi_http_reply *
rgw_send_user(const struct rgw *rgw, struct cosi_call *call, const char *method,
	      const struct cosi_kv *query, size_t nquery, uint32_t flags)
{
	return s3_call(call, &rgw->store.client, .method = method,
		       .path = cosi_printf(call, "/%s/user", rgw->config->admin_path),
		       .query = query, .nquery = nquery, .flags = flags);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int
rgw_admin_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *cap)
{
	if (s3_error_is(reply, 403, "AccessDenied"))
		return cosi_fail(call, COSI_DENIED,
				 "cosid's user at the gateway lacks the cap '%s'", cap);
	return s3_fail(call, reply);
}

/* What changes a user, and has nothing to tell of it. */
static bool
rgw_is_done(const struct cosi_http_reply *reply)
{
	return reply->status == 200 && reply->body.len == 0;
}

static bool
rgw_text_is(const json_t *object, const char *key, const char *text)
{
	const char *has = json_string_value(json_object_get(object, key));

	return has != NULL && strcmp(has, text) == 0;
}

/* Subusers' keys stand in the same array: only those of the user itself count. */
static int
rgw_read_user(const struct rgw *rgw, struct cosi_call *call, const struct cosi_http_reply *reply,
	      const char *uid, const char *preferred, struct rgw_user *out)
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	const json_t *key;
	size_t i;

	if (!rgw_text_is(root, "user_id", uid) || !json_is_array(json_object_get(root, "keys")))
		return s3_fail(call, reply);
	*out = (struct rgw_user){
		.found = true,
		.suspended = json_integer_value(json_object_get(root, "suspended")) != 0,
		.display_name = rest_json_text(call, root, "display_name"),
	};
	json_array_foreach(json_object_get(root, "keys"), i, key) {
		const struct rgw_key read = { rest_json_text(call, key, "access_key"),
					      rest_json_text(call, key, "secret_key") };

		if (strcmp(read.id, rgw->config->access_key) == 0)
			out->is_driver = true;
		if (strcmp(rest_json_text(call, key, "user"), uid) != 0)
			continue;
		if (out->key.id == NULL || (preferred != NULL && strcmp(read.id, preferred) == 0))
			out->key = read;
	}
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_user_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, const char *preferred,
	     struct rgw_user *out)
{
	const struct cosi_kv query[] = { { "uid", uid } };
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "GET", query, COUNT(query), 0);

	*out = (struct rgw_user){ .found = false };
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return rgw_read_user(rgw, call, reply, uid, preferred, out);
	if (s3_error_is(reply, 404, "NoSuchUser"))
		return 0;
	return rgw_admin_fail(call, reply, "users=read");
}

/* Repeating it is safe: the second one is told that the user exists. */
int
rgw_user_create(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		const char *display_name, const struct rgw_key *key, bool *out_exists)
{
	const struct cosi_kv query[] = {
		{ "uid", uid },
		{ "display-name", display_name },
		{ "max-buckets", "-1" }, /* none; 0 would be without limit */
		{ "access-key", key != NULL ? key->id : "" },
		{ "secret-key", key != NULL ? key->secret : "" },
	};
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "PUT", query, COUNT(query) - (key != NULL ? 0 : 2),
			      COSI_HTTP_SAFE | (key != NULL ? COSI_HTTP_SECRET : 0));
	struct rgw_user made;

	*out_exists = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return rgw_read_user(rgw, call, reply, uid, NULL, &made);
	if (s3_error_is(reply, 409, "UserAlreadyExists")) {
		*out_exists = true;
		return 0;
	}
	if (s3_error_is(reply, 409, "KeyExists"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the derived access key already belongs to another RGW user");
	return rgw_admin_fail(call, reply, "users=write");
}

int
rgw_user_add_key(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		 const struct rgw_key *key)
{
	const struct cosi_kv query[] = {
		{ "key", NULL },
		{ "uid", uid },
		{ "access-key", key != NULL ? key->id : "" },
		{ "secret-key", key != NULL ? key->secret : "" },
	};
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "PUT", query, COUNT(query) - (key != NULL ? 0 : 2),
			      key != NULL ? COSI_HTTP_SAFE | COSI_HTTP_SECRET : COSI_HTTP_FINAL);

	json_auto_t *keys = NULL;
	const json_t *made;
	size_t i;

	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		keys = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	json_array_foreach(keys, i, made) {
		if (rgw_text_is(made, "user", uid) &&
		    (key == NULL || rgw_text_is(made, "access_key", key->id)))
			return 0;
	}
	return rgw_admin_fail(call, reply, "users=write");
}

/* For a key without an index, 16.2 answers as if the cap were missing.  It is not: the caller has
 * read the user before. */
int
rgw_key_is_known(const struct rgw *rgw, struct cosi_call *call, const char *uid, const char *key_id,
		 bool *out_known)
{
	const struct cosi_kv query[] = { { "access-key", key_id } };
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "GET", query, COUNT(query), 0);
	json_auto_t *root = NULL;
	const char *found;

	*out_known = false;
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 403, "AccessDenied") || s3_error_is(reply, 404, "NoSuchUser"))
		return 0;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, "users=read");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	found = json_string_value(json_object_get(root, "user_id"));
	if (found == NULL)
		return s3_fail(call, reply);
	*out_known = strcmp(found, uid) == 0;
	return 0;
}

int
rgw_user_remove_key(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		    const char *key_id)
{
	const struct cosi_kv query[] = { { "key", NULL },
					 { "uid", uid },
					 { "access-key", key_id } };
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "DELETE", query, COUNT(query), 0);

	if (reply == NULL)
		return -1;
	if (rgw_is_done(reply) || s3_error_is(reply, 403, "InvalidAccessKeyId"))
		return 0;
	return rgw_admin_fail(call, reply, "users=write");
}

int
rgw_user_delete(const struct rgw *rgw, struct cosi_call *call, const char *uid)
{
	const struct cosi_kv query[] = { { "uid", uid } };
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "DELETE", query, COUNT(query), 0);

	if (reply == NULL)
		return -1;
	if (rgw_is_done(reply) || s3_error_is(reply, 404, "NoSuchUser"))
		return 0;
	if (s3_error_is(reply, 409, "BucketAlreadyExists"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the account's user owns buckets, which must be deleted or get "
				 "another owner first");
	return rgw_admin_fail(call, reply, "users=write");
}

int
rgw_user_names(const struct rgw *rgw, struct cosi_call *call, const char *marker, json_t **out,
	       const char **out_next)
{
	const struct cosi_kv query[] = { { "list", NULL },
					 { "max-entries", "1000" },
					 { "marker", marker } };
	const struct cosi_http_reply *reply = rgw_send_user(
		rgw, call, "GET", query, COUNT(query) - (marker[0] != '\0' ? 0 : 1), 0);
	json_auto_t *root = NULL;

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, "users=read");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_array(json_object_get(root, "keys")))
		return s3_fail(call, reply);
	if (json_is_true(json_object_get(root, "truncated"))) {
		*out_next = rest_json_text(call, root, "marker");
		if ((*out_next)[0] == '\0')
			return cosi_fail(call, COSI_UNAVAILABLE,
					 "the gateway's list of users is truncated and has no "
					 "marker");
	}
	*out = json_incref(json_object_get(root, "keys"));
	return 0;
}

/* ---- policies ----
 *
 * A user's own policy is one document under one name.  A user's record is read, changed and written
 * back by the gateway without a condition, so two policies of one user written at once lose each
 * other: hence the one document, and the lock that the daemon holds on the account. */

#define POLICY_NAME "cosi"

struct iam_reading {
	struct cosi_call *call;
	const char *action, *document;
	bool listed, answered; /* answered: the reply is one to the action */
};

static int
iam_on_element(void *arg, const char *path, char *text, size_t len)
{
	struct iam_reading *reading = arg;
	size_t action = strlen(reading->action);

	(void)len;
	if (strcmp(path, "GetUserPolicyResponse/GetUserPolicyResult/PolicyDocument") == 0)
		reading->document = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, "ListUserPoliciesResponse/ListUserPoliciesResult/PolicyNames/member") == 0)
		reading->listed = reading->listed || strcmp(text, POLICY_NAME) == 0;
	if (strncmp(path, reading->action, action) == 0 && strcmp(path + action, "Response") == 0)
		reading->answered = true;
	return 0;
}

/* more: further parameters.  *out_found: there is a user, and the policy if the action reads one.
 */
static int
iam_ask(const struct rgw *rgw, struct iam_reading *reading, const char *uid, const char *more,
	const char *cap, bool *out_found)
{
	struct cosi_call *call = reading->call;
	const char *form = cosi_printf(call, "Action=%s&UserName=%s%s", reading->action,
				       uri_encode(call, uid), more);
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->store.client, .method = "POST", .path = "/",
			REST_HEADERS({ "content-type", "application/x-www-form-urlencoded" }),
			.body = REST_TEXT(form), .flags = COSI_HTTP_SAFE);

	*out_found = false;
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "NoSuchEntity"))
		return 0;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, cap);
	*out_found = true;
	return xml_read(reply->body, iam_on_element, reading) == 0 && reading->answered
		       ? 0
		       : s3_fail(call, reply);
}

/* Asked for a policy that is not there, the gateway (16.2) answers more bytes than its
 * Content-Length says, which spoils the connection for the request that follows.  So the list is
 * asked first. */
int
rgw_policy_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, bool expected,
	       const char **out_document)
{
	struct iam_reading list = { .call = call, .action = "ListUserPolicies" };
	struct iam_reading policy = { .call = call, .action = "GetUserPolicy" };
	bool found;

	*out_document = NULL;
	if (!expected && iam_ask(rgw, &list, uid, "", "user-policy=read", &found) < 0)
		return -1;
	if (!expected && !list.listed)
		return 0;
	if (iam_ask(rgw, &policy, uid, "&PolicyName=" POLICY_NAME, "user-policy=read", &found) < 0)
		return -1;
	if (found && policy.document == NULL)
		return cosi_fail(call, COSI_UNAVAILABLE, "the gateway's reply has no policy in it");
	*out_document = policy.document;
	return 0;
}

/* The gateway decodes the document twice; it holds neither '%' nor '+' (s3_policy_name_ok). */
int
rgw_policy_put(const struct rgw *rgw, struct cosi_call *call, const char *uid, const char *document)
{
	struct iam_reading put = { .call = call, .action = "PutUserPolicy" };
	const char *more = cosi_printf(call, "&PolicyName=" POLICY_NAME "&PolicyDocument=%s",
				       uri_encode(call, document));
	bool found;

	if (iam_ask(rgw, &put, uid, more, "user-policy=write", &found) < 0)
		return -1;
	if (!found)
		return cosi_fail(call, COSI_BUSY,
				 "the account's user was deleted by another request");
	return 0;
}
