/* SPDX-License-Identifier: Apache-2.0
 * own.c - the user that cosid works as: who it is, what it may do, what it is told of buckets. */
#include <jansson.h>
#include <string.h>

#include "rgw.h"

#include "banned.h"

static const struct cosi_http_reply *
rgw_send_own(const struct rgw *rgw, struct cosi_call *call)
{
	return s3_call(call, &rgw->store.client, .method = "GET",
		       .path = cosi_printf(call, "/%s/user", rgw->config->admin_path),
		       REST_QUERY({ "access-key", rgw->config->access_key }, { "stats", "true" }));
}

int
rgw_check_alive(const struct rgw *rgw, struct cosi_call *call)
{
	const struct cosi_http_reply *reply = rgw_send_own(rgw, call);

	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return 0;
	(void)s3_fail(call, reply);
	return cosi_fail(call, 0, "cannot tell whether RADOS answers");
}

/* Owned by the caller; NULL: the call has failed. */
static json_t *
rgw_read_own(const struct rgw *rgw, struct cosi_call *call)
{
	const struct cosi_http_reply *reply = rgw_send_own(rgw, call);
	json_t *root;

	if (reply == NULL)
		return NULL;
	if (reply->status != 200) {
		(void)rgw_admin_fail(call, reply, "users=read");
		return NULL;
	}
	root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (json_is_string(json_object_get(root, "user_id")))
		return root;
	json_decref(root);
	(void)s3_fail(call, reply);
	return NULL;
}

int
rgw_own_uid(const struct rgw *rgw, struct cosi_call *call, const char **out_uid)
{
	json_auto_t *root = rgw_read_own(rgw, call);

	if (root == NULL)
		return -1;
	*out_uid = cosi_printf(call, "%s", json_string_value(json_object_get(root, "user_id")));
	return cosi_failed(call) ? -1 : 0;
}

/* caps: [{"type": "users", "perm": "*"}, ...]; perm is "*", "read", "write" or "read, write". */
static bool
rgw_has_cap(const json_t *root, const char *type, const char *perm)
{
	const json_t *cap;
	size_t i;

	json_array_foreach(json_object_get(root, "caps"), i, cap) {
		const char *is = json_string_value(json_object_get(cap, "type"));
		const char *may = json_string_value(json_object_get(cap, "perm"));

		if (is != NULL && may != NULL && strcmp(is, type) == 0 &&
		    (strcmp(may, "*") == 0 || strstr(may, perm) != NULL))
			return true;
	}
	return false;
}

static int
rgw_check_own(struct cosi_call *call, const json_t *root)
{
	static const char *const needed[][2] = {
		{ "users", "read" },
		{ "users", "write" },
		{ "user-policy", "read" },
		{ "user-policy", "write" },
	};
	json_int_t most = json_integer_value(json_object_get(root, "max_buckets"));
	const char *tenant = json_string_value(json_object_get(root, "tenant"));

	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
		if (!rgw_has_cap(root, needed[i][0], needed[i][1]))
			return cosi_fail(call, COSI_DENIED,
					 "cosid's user at the gateway lacks the cap '%s=%s'",
					 needed[i][0], needed[i][1]);
	if (tenant != NULL && tenant[0] != '\0')
		return cosi_fail(call, COSI_PRECONDITION,
				 "cosid's user at the gateway belongs to a tenant, and accounts "
				 "would not see its buckets");
	if (!rgw_has_cap(root, "buckets", "write"))
		cosi_log(call, COSI_NOTICE,
			 "quotas are unavailable: the RGW user lacks the cap 'buckets=write'");
	if (!rgw_has_cap(root, "buckets", "read"))
		cosi_log(call, COSI_NOTICE,
			 "cannot determine the owner of unreadable buckets: the RGW user lacks the "
			 "cap 'buckets=read'");
	if (most != 0)
		cosi_log(call, COSI_WARNING,
			 "the RGW user may own %" JSON_INTEGER_FORMAT " buckets at most; "
			 "max-buckets=0 means no limit",
			 most);
	return 0;
}

int
rgw_check_caps(const struct rgw *rgw, struct cosi_call *call)
{
	json_auto_t *root = rgw_read_own(rgw, call);

	return root != NULL ? rgw_check_own(call, root) : -1;
}

static int
rgw_read_info(struct cosi_call *call, const struct cosi_http_reply *reply,
	      struct rgw_bucket_info *out)
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	const char *owner = json_string_value(json_object_get(root, "owner"));
	const json_t *quota = json_object_get(root, "bucket_quota");

	if (owner == NULL)
		return s3_fail(call, reply);
	*out = (struct rgw_bucket_info){
		.known = true,
		.quota = json_is_true(json_object_get(quota, "enabled")),
		.owner = cosi_printf(call, "%s", owner),
	};
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_bucket_info(const struct rgw *rgw, struct cosi_call *call, const char *native,
		struct rgw_bucket_info *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->store.client, .method = "GET",
			.path = cosi_printf(call, "/%s/bucket", rgw->config->admin_path),
			REST_QUERY({ "bucket", native }));

	*out = (struct rgw_bucket_info){ .known = false };
	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return rgw_read_info(call, reply, out);
	return s3_error_is(reply, 403, "AccessDenied") ? 0 : s3_fail(call, reply);
}
