/* SPDX-License-Identifier: Apache-2.0
 * azure.c - Azure Blob Storage: buckets are containers of one storage account, accounts are stored
 * access policies on them.
 *
 * Only the account's key can sign the SAS that such a policy needs, so there is no other way to
 * authenticate.
 */
#include "azure.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "policy.h"

#include "banned.h"

enum { ACCOUNT_MIN = 3, ACCOUNT_MOST = 24, CONTAINER_NAME_MIN = 3, CONTAINER_NAME_MAX = 63 };
/* A policy may need 30 s to take effect; dates end with the year 9999. */
#define LIFETIME_MIN_MS  (INT64_C(60) * 1000)
#define LIFETIME_MOST_MS (INT64_C(876000) * 3600 * 1000)

static const struct cosi_key azure_config_keys[] = {
	COSI_STRING(struct azure_config, account, COSI_REQUIRED, NULL,
		    "name of the storage account"),
	COSI_SECRET(struct azure_config, account_key, 0,
		    "one of the two keys of the storage account, required"),
	COSI_MSEC(struct azure_config, sas_lifetime, 0, NULL,
		  "lifetime of a SAS; absent: until it is revoked"),
	COSI_ENUM(struct azure_config, token_form, "container", "container service bare",
		  "form of the token for applications"),
	COSI_BOOL(struct azure_config, lease, "true",
		  "lease a container while its policies are changed"),
	COSI_STRING(struct azure_config, tenant_id, 0, NULL,
		    "refused: Entra ID cannot sign a SAS that can be revoked"),
	COSI_STRING(struct azure_config, client_id, 0, NULL, "refused, like tenant_id"),
	COSI_SECRET(struct azure_config, client_secret, 0, "refused, like tenant_id"),
	COSI_PATH(struct azure_config, federated_token_file, 0, NULL, "refused, like tenant_id"),
};

/* ---- names ----
 *
 * Source of the container's rules: "Naming and referencing containers, blobs, and metadata" (REST
 * reference).  $root, $logs and $web break them, and belong to the storage account itself. */

/* NULL: a container can have it. */
static const char *
azure_broken_rule(const char *name)
{
	size_t len = strlen(name);

	if (len < CONTAINER_NAME_MIN || len > CONTAINER_NAME_MAX)
		return "a name has 3 to 63 bytes";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
		return "a name has only a-z, 0-9 and '-'";
	if (name[0] == '-' || name[len - 1] == '-')
		return "a name begins and ends with a letter or a digit";
	if (strstr(name, "--") != NULL)
		return "a name has no two '-' side by side";
	return NULL;
}

bool
azure_name_is_container(const char *name)
{
	return azure_broken_rule(name) == NULL;
}

bool
azure_name_is_account(const char *native)
{
	return strlen(native) <= POLICY_ACCOUNT_MAX && rest_is_account(native);
}

const char *
azure_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	static const struct rest_names containers = { "container", CONTAINER_NAME_MAX, true };
	static const struct rest_names accounts = { "account", POLICY_ACCOUNT_MAX, true };

	(void)instance;
	if (kind == COSI_BUCKET)
		return rest_name_map(call, &containers, asked, azure_broken_rule(asked), exact);
	return strlen(asked) <= POLICY_ACCOUNT_MAX ? asked
						   : rest_name_shorten(call, &accounts, asked);
}

/* ---- instances ---- */

/* url: the key's value; NULL: the backend's endpoint. */
static int
azure_check_path(struct cosi_call *call, const char *key, const char *url, const char *account)
{
	const char *path = call->host->url(call, url, NULL)->path;

	if (path[0] == '\0' || strcmp(path + 1, account) == 0)
		return 0;
	return cosi_fail(call, COSI_INVALID,
			 "the path of '%s' is '%.64s', and can only be that of the account, '/%s', "
			 "or none",
			 key, path, account);
}

static int
azure_check_config(struct cosi_call *call, const struct azure_config *config)
{
	const struct cosi_kv entra[] = {
		{ "tenant_id", config->tenant_id },
		{ "client_id", config->client_id },
		{ "client_secret", config->client_secret },
		{ "federated_token_file", config->federated_token_file },
	};
	const char *account = config->account;
	size_t len = strlen(account);
	int64_t lifetime = config->sas_lifetime;

	for (size_t i = 0; i < sizeof entra / sizeof entra[0]; i++)
		if (entra[i].value != NULL)
			return cosi_fail(call, COSI_INVALID,
					 "key '%s' is Entra ID's, whose tokens cannot sign the SAS "
					 "of a stored access policy: set 'account_key'",
					 entra[i].key);
	if (len < ACCOUNT_MIN || len > ACCOUNT_MOST ||
	    strspn(account, "abcdefghijklmnopqrstuvwxyz0123456789") != len)
		return cosi_fail(call, COSI_INVALID,
				 "key 'account' is not the name of a storage account: %d to %d of "
				 "a-z and 0-9",
				 ACCOUNT_MIN, ACCOUNT_MOST);
	if (azure_check_path(call, "endpoint", NULL, account) < 0 ||
	    azure_check_path(call, "public_endpoint", call->host->public_url(call), account) < 0)
		return -1;
	if (config->account_key == NULL)
		return cosi_fail(call, COSI_INVALID, "key 'account_key' is missing");
	if (lifetime != 0 && (lifetime < LIFETIME_MIN_MS || lifetime > LIFETIME_MOST_MS))
		return cosi_fail(call, COSI_INVALID,
				 "key 'sas_lifetime' is not between one minute and 876000 hours");
	return 0;
}

static void
azure_close(void *instance)
{
	OPENSSL_cleanse(instance, sizeof(struct azure));
	free(instance);
}

static int
azure_open(struct cosi_call *call, const void *settings, void **out_instance)
{
	const struct azure_config *config = settings;
	struct azure *azure;

	if (azure_check_config(call, config) < 0)
		return -1;
	azure = calloc(1, sizeof *azure);
	if (azure == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "out of memory");
	azure->config = config;
	if (azure_key_read(config->account_key, &azure->key) < 0) {
		azure_close(azure);
		return cosi_fail(call, COSI_INVALID,
				 "key 'account_key' is not the key of a storage account: base64 of "
				 "%d bytes at most",
				 AZURE_KEY_MAX);
	}
	*out_instance = azure;
	return 0;
}

static int
azure_probe(void *instance, struct cosi_call *call)
{
	const struct cosi_http_reply *reply =
		azure_send(instance, call, .method = "GET", .path = "/",
			   REST_QUERY({ "comp", "list" }, { "maxresults", "1" }));
	char ignored[1];

	if (reply != NULL && reply->status == 200 &&
	    xml_find(reply->body, "EnumerationResults", ignored, sizeof ignored))
		return 0;
	if (reply != NULL)
		(void)azure_fail(call, reply);
	return cosi_fail(call, 0, "cannot use the storage account");
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "azure",
	.version = COSID_VERSION,
	.summary = "Azure Blob Storage",
	.flags = COSI_NETWORK | COSI_GRANT_WRITES_BUCKET,
	.protocols = COSI_AZURE,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_ANONYMOUS | COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct azure_config, azure_config_keys),
	.open = azure_open,
	.close = azure_close,
	.probe = azure_probe,
	.map_name = azure_map_name,
	.create_bucket = azure_create_bucket,
	.get_bucket = azure_get_bucket,
	.delete_bucket = azure_delete_bucket,
	.grant = azure_grant,
	.revoke = azure_revoke,
	.list = azure_list,
};
