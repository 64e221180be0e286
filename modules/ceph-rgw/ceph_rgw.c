/* SPDX-License-Identifier: Apache-2.0
 * ceph_rgw.c - Ceph's RADOS Gateway: buckets by S3, accounts as users with a policy of their own.
 *
 * A grant never touches the bucket: the right to it stands in the account's own policy.  Bucket
 * policies would be one shared document that every grant reads, changes and writes back, and
 * without a condition on the write parallel grants lose each other (measured: 18 of 20).
 */
#include <stdlib.h>
#include <string.h>

#include "rgw.h"
#include "s3/name.h"

#include "banned.h"

/* Deletes of buckets meet at one lock of the gateway and then wait in steps of 5 s; up to 35 s were
 * measured. */
enum { DELETE_TIMEOUT_MS = 60000 };

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct rgw_config, region, 0, "default",
		    "region for signatures and applications"),
	COSI_SECRET(struct rgw_config, access_key, COSI_REQUIRED,
		    "access key of the RGW user that owns the buckets"),
	COSI_SECRET(struct rgw_config, secret_key, COSI_REQUIRED, "secret key of that user"),
	COSI_SECRET(struct rgw_config, credential_key, 0,
		    "accounts' keys are derived from it, at least 32 bytes; absent: the gateway "
		    "creates them"),
	COSI_STRING(struct rgw_config, admin_path, 0, "admin",
		    "path of the admin API, the gateway's rgw_admin_entry"),
};

/* ---- names ---- */

/* Prefixes under which the gateway serves another API. */
static bool
rgw_is_reserved(const struct rgw *rgw, const char *name)
{
	return strcmp(name, "admin") == 0 || strcmp(name, "swift") == 0 ||
	       strcmp(name, "auth") == 0 || strcmp(name, rgw->config->admin_path) == 0;
}

/* Older gateways made buckets whose names create would refuse: those pass here. */
static bool
rgw_is_bucket(const struct s3_store *store, const char *name)
{
	return s3_policy_name_ok(name) && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !rgw_is_reserved((const struct rgw *)store, name);
}

/* S3's rules, which are the gateway's unless rgw_relaxed_s3_bucket_names is set (tried on 16.2.15).
 */
static const char *
rgw_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule;

	if (kind != COSI_BUCKET)
		return asked;
	rule = s3_name_broken_rule(asked);
	if (rule == NULL && rgw_is_reserved(instance, asked))
		rule = "the gateway serves another API under that name";
	return s3_name_map(call, asked, rule, exact);
}

/* ---- the user that cosid works as ---- */

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
	json_auto_t *root = NULL;

	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (json_is_object(json_object_get(root, "stats")))
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

/* Can cosid's user do all that this module needs?  The error names the first cap that is missing.
 */
static int
rgw_check_caps(const struct rgw *rgw, struct cosi_call *call)
{
	json_auto_t *root = rgw_read_own(rgw, call);
	static const char *const needed[][2] = {
		{ "users", "read" },
		{ "users", "write" },
		{ "user-policy", "read" },
		{ "user-policy", "write" },
	};
	const json_int_t most = json_integer_value(json_object_get(root, "max_buckets"));
	const char *tenant = json_string_value(json_object_get(root, "tenant"));

	if (root == NULL)
		return -1;
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

/* ---- instances ---- */

static int
rgw_open(struct cosi_call *call, const void *settings, void **out_instance)
{
	const struct rgw_config *config = settings;
	struct rgw *rgw;

	if (config->admin_path[0] == '\0' ||
	    config->admin_path[strspn(config->admin_path, "abcdefghijklmnopqrstuvwxyz"
							  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
							  "0123456789-_")] != '\0')
		return cosi_fail(call, COSI_INVALID,
				 "admin_path '%s' is more than one word of a path",
				 config->admin_path);
	if (s3_check_region(call, config->region) < 0 ||
	    (config->credential_key != NULL &&
	     s3_account_check_key(call, "credential_key", config->credential_key) < 0))
		return -1;
	rgw = calloc(1, sizeof *rgw);
	if (rgw == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for an instance");
	rgw->config = config;
	rgw->store = (struct s3_store){
		.client = { config->region, config->access_key, config->secret_key, NULL },
		.has_acls = true,
		.delete_timeout_ms = DELETE_TIMEOUT_MS,
		.is_bucket = rgw_is_bucket,
		.put = rgw_put_bucket,
		.adopt = rgw_adopt,
		.refused = rgw_refused,
		.put_quota = rgw_put_quota,
		.list_accounts = rgw_list_accounts,
	};
	*out_instance = rgw;
	return 0;
}

static int
rgw_probe(void *instance, struct cosi_call *call)
{
	const struct rgw *rgw = instance;

	if (s3_probe(&rgw->store, call) < 0)
		return cosi_fail(call, 0, "cannot use the gateway's S3 API");
	if (rgw_check_caps(rgw, call) < 0)
		return cosi_fail(call, 0, "cannot use the gateway's admin API");
	return 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "ceph-rgw",
	.version = COSID_VERSION,
	.summary = "Ceph RADOS Gateway",
	.flags = COSI_NETWORK,
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_REGION | COSI_P_VERSIONING | COSI_P_OBJECT_LOCK |
			 COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS |
			 COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct rgw_config, config_keys),
	.open = rgw_open,
	.close = free,
	.probe = rgw_probe,
	.map_name = rgw_map_name,
	.create_bucket = s3_create_bucket,
	.get_bucket = s3_get_bucket,
	.delete_bucket = s3_delete_bucket,
	.grant = rgw_grant,
	.revoke = rgw_revoke,
	.list = s3_list,
};
