/* SPDX-License-Identifier: Apache-2.0
 * admin.c - users: made, read, deleted. */
#include <string.h>

#include "rgw.h"

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

/* Subusers' keys stand in the same array: only those of the user itself count. */
static void
rgw_read_keys(const struct rgw *rgw, struct cosi_call *call, const json_t *root,
	      const char *preferred, struct rgw_user *out)
{
	const char *uid = rest_json_text(call, root, "user_id");
	const json_t *key;
	size_t i;

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
}

static int
rgw_read_user(const struct rgw *rgw, struct cosi_call *call, const struct cosi_http_reply *reply,
	      const char *preferred, struct rgw_user *out)
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);

	if (!json_is_string(json_object_get(root, "user_id")))
		return s3_fail(call, reply);
	*out = (struct rgw_user){
		.found = true,
		.suspended = json_integer_value(json_object_get(root, "suspended")) != 0,
		.display_name = rest_json_text(call, root, "display_name"),
	};
	rgw_read_keys(rgw, call, root, preferred, out);
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
		return rgw_read_user(rgw, call, reply, preferred, out);
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
		return rgw_read_user(rgw, call, reply, NULL, &made);
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

	if (reply == NULL)
		return -1;
	return reply->status == 200 ? 0 : rgw_admin_fail(call, reply, "users=write");
}

int
rgw_user_delete(const struct rgw *rgw, struct cosi_call *call, const char *uid)
{
	const struct cosi_kv query[] = { { "uid", uid } };
	const struct cosi_http_reply *reply =
		rgw_send_user(rgw, call, "DELETE", query, COUNT(query), 0);

	if (reply == NULL)
		return -1;
	if (reply->status == 200 || s3_error_is(reply, 404, "NoSuchUser"))
		return 0;
	/* 16.2 says BucketAlreadyExists for this. */
	if (reply->status == 409)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the account's user owns buckets, which must be deleted or get "
				 "another owner first");
	return rgw_admin_fail(call, reply, "users=write");
}

/* ---- list ---- */

struct rgw_user_names {
	const struct rgw *rgw;
	rgw_name_fn *each;
	void *arg;
};

static int
rgw_user_page(struct cosi_call *call, void *arg, const char *marker, const char **out_next)
{
	const struct rgw_user_names *names = arg;
	const struct cosi_kv query[] = { { "list", NULL },
					 { "max-entries", "1000" },
					 { "marker", marker } };
	const struct cosi_http_reply *reply = rgw_send_user(
		names->rgw, call, "GET", query, COUNT(query) - (marker[0] != '\0' ? 0 : 1), 0);
	json_auto_t *root = NULL;
	const json_t *key;
	size_t i;
	int rc = 0;

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, "users=read");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_array(json_object_get(root, "keys")))
		return s3_fail(call, reply);
	json_array_foreach(json_object_get(root, "keys"), i, key)
		if (rc == 0 && json_is_string(key))
			rc = names->each(call, names->arg,
					 cosi_printf(call, "%s", json_string_value(key)));
	if (json_is_true(json_object_get(root, "truncated")))
		*out_next = rest_json_text(call, root, "marker");
	return cosi_failed(call) ? -1 : rc;
}

int
rgw_user_list(const struct rgw *rgw, struct cosi_call *call, rgw_name_fn *each, void *arg)
{
	struct rgw_user_names names = { rgw, each, arg };

	return rest_pages(call, rgw_user_page, &names);
}
