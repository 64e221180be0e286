/* SPDX-License-Identifier: Apache-2.0
 * ceph_rgw.c - Ceph's RADOS Gateway: buckets by S3, accounts as users with a policy of their own.
 *
 * A grant never touches the bucket: the right to it stands in the account's own policy.  Bucket
 * policies would be one shared document that every grant reads, changes and writes back, and
 * without a condition on the write parallel grants lose each other (measured: 18 of 20).
 */
#include <stdlib.h>
#include <string.h>

#include "admin.h"
#include "cosi_module.h"
#include "rgw.h"
#include "s3/account.h"
#include "s3/bucket.h"

#include "banned.h"

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct rgw_config, region, 0, "default",
		    "region that applications are told and requests are signed with"),
	COSI_SECRET(struct rgw_config, access_key, COSI_REQUIRED,
		    "access key of the gateway's user that owns the buckets"),
	COSI_SECRET(struct rgw_config, secret_key, COSI_REQUIRED, "its secret key"),
	COSI_SECRET(struct rgw_config, credential_key, 0,
		    "what accounts' keys are derived from, at least 32 bytes; absent: the gateway "
		    "makes them"),
	COSI_STRING(struct rgw_config, admin_path, 0, "admin",
		    "where the admin API lies, rgw_admin_entry there"),
};

static bool
is_path_word(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
						    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
						    "0123456789-_")] == '\0';
}

static int
rgw_open(struct cosi_call *call, const void *settings, void **out_instance)
{
	const struct rgw_config *config = settings;
	struct rgw *rgw;

	if (!is_path_word(config->admin_path))
		return cosi_fail(call, COSI_INVALID,
				 "admin_path '%s' is more than one word of a path",
				 config->admin_path);
	if (config->credential_key != NULL &&
	    s3_account_check_key(call, "credential_key", config->credential_key) != 0)
		return -1;
	rgw = calloc(1, sizeof *rgw);
	if (rgw == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for an instance");
	rgw->config = config;
	rgw->s3 =
		(struct s3_client){ config->region, config->access_key, config->secret_key, NULL };
	*out_instance = rgw;
	return 0;
}

static void
rgw_close(void *instance)
{
	free(instance);
}

static int
rgw_probe(void *instance, struct cosi_call *call)
{
	const struct rgw *rgw = instance;
	const struct cosi_http_reply *refusal;

	if (s3_bucket_probe(call, &rgw->s3, &refusal) != 0 ||
	    (refusal != NULL && s3_fail(call, refusal) != 0))
		return cosi_fail(call, 0, "cannot use the gateway's S3 API");
	if (rgw_admin_check_caps(rgw, call) != 0)
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
	.close = rgw_close,
	.probe = rgw_probe,
	.map_name = rgw_map_name,
	.create_bucket = rgw_create_bucket,
	.get_bucket = rgw_get_bucket,
	.delete_bucket = rgw_delete_bucket,
	.grant = rgw_grant,
	.revoke = rgw_revoke,
	.list = rgw_list,
};
