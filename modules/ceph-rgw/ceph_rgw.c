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

/* ---- instances ---- */

/* AccessDenied names no cap here: buckets are a matter of their owner and policies. */
static int
rgw_s3_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right)
{
	(void)right;
	return s3_fail(call, reply);
}

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
	if (config->credential_key != NULL &&
	    s3_account_check_key(call, "credential_key", config->credential_key) < 0)
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
		.fail = rgw_s3_fail,
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
