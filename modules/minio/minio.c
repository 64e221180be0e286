/* SPDX-License-Identifier: Apache-2.0
 * minio.c - MinIO: buckets by S3, accounts as users with a policy of their own.
 *
 * A grant never touches the bucket: a bucket policy counts for anonymous requests alone here.
 * Service accounts would be simpler, but one whose policy is lost gets the rights of its parent; a
 * user without a policy has none.
 */
#include "minio.h"

#include <stdlib.h>
#include <string.h>

#include "admin.h"
#include "s3/account.h"
#include "s3/bucket.h"

#include "banned.h"

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct minio_config, region, 0, "us-east-1",
		    "region that applications are told and requests are signed with"),
	COSI_SECRET(struct minio_config, access_key, COSI_REQUIRED,
		    "access key of the server's user that cosid works as"),
	COSI_SECRET(struct minio_config, secret_key, COSI_REQUIRED, "its secret key"),
	COSI_SECRET(struct minio_config, credential_key, COSI_REQUIRED,
		    "what accounts' secrets are derived from, at least 32 bytes"),
	COSI_SECRET_LIST(struct minio_config, previous_credential_keys,
			 "earlier values of it, whose accounts keep their secrets"),
	COSI_MSEC(struct minio_config, adopt_window, 0, "24h",
		  "how old a bucket without marks may be for a create to take it over"),
};

static int
check_keys(struct cosi_call *call, const struct minio_config *config)
{
	const char *const *more = config->previous_credential_keys;

	if (s3_account_check_key(call, "credential_key", config->credential_key) != 0)
		return -1;
	for (; more != NULL && *more != NULL; more++)
		if (s3_account_check_key(call, "one of previous_credential_keys", *more) != 0)
			return -1;
	return 0;
}

static int
open_seal(struct cosi_call *call, const struct minio_config *config, struct minio_seal *out)
{
	uint8_t salt[MINIO_SEAL_SALT];

	if (call->host->random(call, salt, sizeof salt) != 0)
		return -1;
	return minio_seal_init(out, call, config->secret_key, salt);
}

static void
minio_close(void *instance)
{
	struct minio *minio = instance;

	minio_seal_done(&minio->seal);
	pthread_mutex_destroy(&minio->made.mutex);
	free(minio);
}

static int
minio_open(struct cosi_call *call, const void *settings, void **out_instance)
{
	const struct minio_config *config = settings;
	struct minio *minio;

	if (check_keys(call, config) != 0)
		return -1;
	minio = calloc(1, sizeof *minio);
	if (minio == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for an instance");
	pthread_mutex_init(&minio->made.mutex, NULL);
	minio->config = config;
	minio->s3 =
		(struct s3_client){ config->region, config->access_key, config->secret_key, NULL };
	if (open_seal(call, config, &minio->seal) != 0) {
		minio_close(minio);
		return -1;
	}
	*out_instance = minio;
	return 0;
}

static int
minio_probe(void *instance, struct cosi_call *call)
{
	const struct minio *minio = instance;
	const struct cosi_http_reply *refusal;
	struct minio_user user;
	const char *document;

	if (s3_bucket_probe(call, &minio->s3, &refusal) != 0 ||
	    (refusal != NULL && minio_fail(call, refusal, "s3:GetBucketLocation") != 0))
		return cosi_fail(call, 0, "cannot use the server's S3 API");
	/* Names that nobody has, here too. */
	if (minio_user_get(minio, call, "COSIDPROBE", &user) != 0 ||
	    minio_policy_get(minio, call, "cosid.probe", &document) != 0)
		return cosi_fail(call, 0, "cannot use the server's admin API");
	return 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "minio",
	.version = COSID_VERSION,
	.summary = "MinIO",
	.flags = COSI_NETWORK,
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_VERSIONING | COSI_P_OBJECT_LOCK | COSI_P_QUOTA_SIZE |
			 COSI_P_ANONYMOUS | COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct minio_config, config_keys),
	.open = minio_open,
	.close = minio_close,
	.probe = minio_probe,
	.map_name = minio_map_name,
	.create_bucket = minio_create_bucket,
	.get_bucket = minio_get_bucket,
	.delete_bucket = minio_delete_bucket,
	.grant = minio_grant,
	.revoke = minio_revoke,
	.list = minio_list,
};
