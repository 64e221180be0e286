/* SPDX-License-Identifier: Apache-2.0
 * admin.c - users: made, read, deleted. */
#include "admin.h"

#include <jansson.h>
#include <string.h>

#include "banned.h"

static const struct cosi_http_reply *
admin_send(const struct rgw *rgw, struct cosi_call *call, const char *method,
	   const struct cosi_kv *query, size_t nquery, uint32_t flags)
{
	return s3_call(call, &rgw->s3, .method = method,
		       .path = cosi_printf(call, "/%s/user", rgw->config->admin_path),
		       .query = query, .nquery = nquery, .flags = flags);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int
rgw_admin_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *cap)
{
	if (s3_error_is(reply, 403, "AccessDenied"))
		return cosi_fail(call, COSI_DENIED, "our user at the gateway lacks the cap '%s'",
				 cap);
	return s3_fail(call, reply);
}

static const char *
text_of(struct cosi_call *call, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? cosi_printf(call, "%s", text) : "";
}

/* Subusers' keys stand in the same array: only those of the user itself count. */
static void
read_keys(const struct rgw *rgw, struct cosi_call *call, const json_t *root, const char *preferred,
	  struct rgw_user *out)
{
	const char *uid = text_of(call, root, "user_id");
	const json_t *key;
	size_t i;

	json_array_foreach(json_object_get(root, "keys"), i, key) {
		const struct rgw_key read = { text_of(call, key, "access_key"),
					      text_of(call, key, "secret_key") };

		if (strcmp(read.id, rgw->config->access_key) == 0)
			out->is_driver = true;
		if (strcmp(text_of(call, key, "user"), uid) != 0)
			continue;
		if (out->key.id == NULL || (preferred != NULL && strcmp(read.id, preferred) == 0))
			out->key = read;
	}
}

static int
read_user(const struct rgw *rgw, struct cosi_call *call, const struct cosi_http_reply *reply,
	  const char *preferred, struct rgw_user *out)
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);

	if (!json_is_string(json_object_get(root, "user_id")))
		return s3_fail(call, reply);
	*out = (struct rgw_user){
		.found = true,
		.suspended = json_integer_value(json_object_get(root, "suspended")) != 0,
		.display_name = text_of(call, root, "display_name"),
		.tenant = text_of(call, root, "tenant"),
	};
	read_keys(rgw, call, root, preferred, out);
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_user_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, const char *preferred,
	     struct rgw_user *out)
{
	const struct cosi_kv query[] = { { "uid", uid } };
	const struct cosi_http_reply *reply = admin_send(rgw, call, "GET", query, COUNT(query), 0);

	*out = (struct rgw_user){ .found = false };
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return read_user(rgw, call, reply, preferred, out);
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
		admin_send(rgw, call, "PUT", query, COUNT(query) - (key != NULL ? 0 : 2),
			   COSI_HTTP_SAFE | (key != NULL ? COSI_HTTP_SECRET : 0));
	struct rgw_user made;

	*out_exists = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return read_user(rgw, call, reply, NULL, &made);
	if (s3_error_is(reply, 409, "UserAlreadyExists")) {
		*out_exists = true;
		return 0;
	}
	if (s3_error_is(reply, 409, "KeyExists"))
		return cosi_fail(call, COSI_PRECONDITION,
				 "another user of the gateway has the access key that is its");
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
		admin_send(rgw, call, "PUT", query, COUNT(query) - (key != NULL ? 0 : 2),
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
		admin_send(rgw, call, "DELETE", query, COUNT(query), 0);

	if (reply == NULL)
		return -1;
	if (reply->status == 200 || s3_error_is(reply, 404, "NoSuchUser"))
		return 0;
	/* 16.2 says BucketAlreadyExists for this. */
	if (reply->status == 409)
		return cosi_fail(call, COSI_PRECONDITION,
				 "it owns buckets, which must go or get another owner first");
	return rgw_admin_fail(call, reply, "users=write");
}

static int
read_names(struct cosi_call *call, const json_t *root, struct rgw_names *out)
{
	const json_t *keys = json_object_get(root, "keys"), *key;
	size_t i;

	*out = (struct rgw_names){ 0 };
	out->names = cosi_alloc(call, (json_array_size(keys) + 1) * sizeof *out->names);
	if (out->names == NULL)
		return -1;
	json_array_foreach(keys, i, key)
		if (json_is_string(key))
			out->names[out->n++] = cosi_printf(call, "%s", json_string_value(key));
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_user_list(const struct rgw *rgw, struct cosi_call *call, const char **marker,
	      struct rgw_names *out)
{
	const struct cosi_kv query[] = { { "list", NULL },
					 { "max-entries", "1000" },
					 { "marker", *marker } };
	const struct cosi_http_reply *reply =
		admin_send(rgw, call, "GET", query, COUNT(query) - (*marker != NULL ? 0 : 1), 0);
	json_auto_t *root = NULL;

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, "users=read");
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (!json_is_array(json_object_get(root, "keys")))
		return s3_fail(call, reply);
	*marker = json_is_true(json_object_get(root, "truncated")) ? text_of(call, root, "marker")
								   : NULL;
	return read_names(call, root, out);
}
