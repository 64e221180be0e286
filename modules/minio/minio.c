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

#include "s3/name.h"

#include "banned.h"

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct minio_config, region, 0, "us-east-1",
		    "region for signatures and applications"),
	COSI_SECRET(struct minio_config, access_key, COSI_REQUIRED,
		    "access key of cosid's user on the server"),
	COSI_SECRET(struct minio_config, secret_key, COSI_REQUIRED, "secret key of that user"),
	COSI_SECRET(struct minio_config, credential_key, COSI_REQUIRED,
		    "accounts' secrets are derived from it, at least 32 bytes"),
	COSI_SECRET_LIST(struct minio_config, previous_credential_keys,
			 "earlier credential keys; their accounts keep their secrets"),
	COSI_MSEC(struct minio_config, adopt_window, 0, "24h",
		  "maximum age of an untagged bucket that a create takes over"),
};

/* ---- names ---- */

/* NULL: a bucket can have it.  The server refuses all others in every request. */
static const char *
minio_broken_rule(const char *name)
{
	const char *rule = s3_name_broken_rule(name);

	if (rule == NULL && strcmp(name, "minio") == 0)
		return "the server has its own pages under that name";
	return rule;
}

static bool
minio_is_bucket(const struct s3_store *store, const char *name)
{
	(void)store;
	return minio_broken_rule(name) == NULL;
}

static const char *
minio_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule = kind == COSI_BUCKET ? minio_broken_rule(asked) : NULL;

	(void)instance;
	return s3_name_map(call, asked, rule, exact);
}

/* ---- instances ---- */

static void
minio_forget(struct s3_store *store, const char *native)
{
	minio_times_drop(&((struct minio *)store)->made, native);
	minio_times_drop(&((struct minio *)store)->undated, native);
}

static int
minio_open(struct cosi_call *call, const void *settings, void **out_instance)
{
	const struct minio_config *config = settings;
	const char *const *more = config->previous_credential_keys;
	struct minio *minio;

	if (s3_check_region(call, config->region) < 0 ||
	    s3_account_check_key(call, "credential_key", config->credential_key) < 0)
		return -1;
	for (; more != NULL && *more != NULL; more++)
		if (s3_account_check_key(call, "previous_credential_keys", *more) < 0)
			return -1;
	minio = calloc(1, sizeof *minio);
	if (minio == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for an instance");
	pthread_mutex_init(&minio->made.mutex, NULL);
	pthread_mutex_init(&minio->undated.mutex, NULL);
	minio_seal_init(&minio->seal, config->secret_key);
	minio->config = config;
	minio->store = (struct s3_store){
		.client = { config->region, config->access_key, config->secret_key, NULL },
		.puts_first = true,
		.is_bucket = minio_is_bucket,
		.exists = minio_exists,
		.put = minio_put_bucket,
		.adopt = minio_adopt,
		.has_made = minio_has_made,
		.resume = minio_resume,
		.put_quota = minio_put_quota,
		.forget = minio_forget,
		.list_accounts = minio_list_accounts,
		.fail = minio_fail,
	};
	*out_instance = minio;
	return 0;
}

static void
minio_close(void *instance)
{
	struct minio *minio = instance;

	minio_seal_done(&minio->seal);
	pthread_mutex_destroy(&minio->made.mutex);
	pthread_mutex_destroy(&minio->undated.mutex);
	free(minio);
}

static int
minio_probe(void *instance, struct cosi_call *call)
{
	const struct minio *minio = instance;
	struct minio_user user;
	const char *document;

	if (s3_probe(&minio->store, call) < 0)
		return cosi_fail(call, 0, "cannot use the server's S3 API");
	/* Names that do not exist, here too. */
	if (minio_user_get(minio, call, "COSIDPROBE", &user) < 0 ||
	    minio_policy_get(minio, call, "cosid.probe", &document) < 0)
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
	.create_bucket = s3_create_bucket,
	.get_bucket = s3_get_bucket,
	.delete_bucket = s3_delete_bucket,
	.grant = minio_grant,
	.revoke = minio_revoke,
	.list = s3_list,
};
