/* SPDX-License-Identifier: Apache-2.0
 * likeness.c - one digest over all that makes an instance, each part with its length before it. */
#include "module/likeness.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "banned.h"

static bool
add(EVP_MD_CTX *md, const void *bytes, size_t len)
{
	const uint64_t size = len;

	return EVP_DigestUpdate(md, &size, sizeof size) == 1 &&
	       EVP_DigestUpdate(md, bytes, len) == 1;
}

/* NULL differs from the empty string: its NUL is part of what is added. */
static bool
add_text(EVP_MD_CTX *md, const char *text)
{
	return text == NULL ? add(md, "", 0) : add(md, text, strlen(text) + 1);
}

static bool
add_list(EVP_MD_CTX *md, const char *const *list)
{
	for (; list != NULL && *list != NULL; list++)
		if (!add_text(md, *list))
			return false;
	return add_text(md, NULL);
}

static bool
add_setting(EVP_MD_CTX *md, const struct cosi_key *key, const void *member)
{
	switch (key->type) {
	case COSI_T_SECRET_LIST:
		return add_list(md, *(const char *const *const *)member);
	case COSI_T_BOOL:
		return add(md, member, sizeof(bool));
	case COSI_T_INT:
	case COSI_T_SIZE:
	case COSI_T_MSEC:
		return add(md, member, sizeof(int64_t));
	default:
		return add_text(md, *(const char *const *)member);
	}
}

static bool
add_settings(EVP_MD_CTX *md, const struct cosi_schema *schema, const void *config)
{
	for (size_t i = 0; i < schema->nkeys; i++)
		if (!add_setting(md, &schema->keys[i],
				 (const char *)config + schema->keys[i].offset))
			return false;
	return true;
}

static bool
add_way(EVP_MD_CTX *md, const struct config_backend *config, const struct instance *instance)
{
	const int64_t numbers[] = { config->connect_timeout_ms, config->request_timeout_ms,
				    config->retries, config->insecure };
	struct http_trust_version trust = { 0 };

	if (!config->insecure)
		http_trust_version(config->ca_file, &trust);
	return add_text(md, instance->endpoint) && add_text(md, instance->public_url) &&
	       add_text(md, config->ca_file) && add(md, numbers, sizeof numbers) &&
	       add(md, &trust, sizeof trust);
}

int
likeness_take(const struct backend *backend, struct instance *instance)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	const struct image_origin origin = image_origin(instance->image);
	bool done = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1 &&
		    add_text(md, backend->module->name) && add(md, origin.hash, MODULE_HASH_LEN) &&
		    add_way(md, backend->config, instance) &&
		    add_settings(md, &backend->module->config, instance->config) &&
		    EVP_DigestFinal_ex(md, instance->likeness, NULL) == 1;

	EVP_MD_CTX_free(md);
	return done ? 0 : -1;
}

bool
likeness_same(const struct instance *a, const struct instance *b)
{
	return CRYPTO_memcmp(a->likeness, b->likeness, sizeof a->likeness) == 0;
}
