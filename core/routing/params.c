/* SPDX-License-Identifier: Apache-2.0
 * params.c - splits parameters between the daemon and the module, reads both, and hashes them. */
#include "routing/params.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/secret.h"
#include "config/config.h"
#include "config/value.h"
#include "module/schema.h"

#include "banned.h"

#define SECRET_PREFIX "cosi.io/provisioner-secret-"

/* The words in the order of enum cosi_mode, which begins with 1. */
struct access_words {
	uint32_t mode;
};
static const struct cosi_key access_keys[] = {
	{ "accessMode", VALUE_CHOICE, 0, offsetof(struct access_words, mode), "readWrite",
	  "readWrite readOnly writeOnly", "what the account may do" },
};
static const struct cosi_schema access_schema = COSI_SCHEMA(struct access_words, access_keys);

/* The parameters of one schema: the daemon's or the module's. */
struct params_part {
	const struct cosi_schema *schema;
	size_t n;
	struct cosi_kv *params;
	const char **canonical;
	void *out;
};

const char *
params_value(const struct request *req, const char *key)
{
	for (size_t i = 0; i < req->nparams; i++)
		if (strcmp(req->params[i].key, key) == 0)
			return req->params[i].value;
	return NULL;
}

static bool
is_about_access(const struct request *req)
{
	return req->op == REQUEST_GRANT || req->op == REQUEST_REVOKE;
}

static void
part_init(struct params_part *part, const struct cosi_schema *schema, size_t most,
	  struct arena *arena)
{
	*part = (struct params_part){
		.schema = schema,
		.params = arena_alloc(arena, most * sizeof(struct cosi_kv)),
		.canonical = arena_alloc(arena, most * sizeof(const char *)),
		.out = arena_alloc(arena, schema->size),
	};
}

static int
unknown_param(const struct request *req, const struct cosi_module *module, const char *key,
	      struct status *status)
{
	if (req->op == REQUEST_DELETE || req->op == REQUEST_REVOKE)
		return 0;
	if (strncmp(key, SECRET_PREFIX, strlen(SECRET_PREFIX)) == 0)
		return status_fail(status, COSI_INVALID,
				   "parameter '%s': credentials are not accepted in requests; "
				   "give the class a 'backend' that has credentials of its own",
				   secret_shown(key).text);
	if (strcmp(key, "accessMode") == 0 && req->op == REQUEST_GRANT)
		return status_fail(status, COSI_INVALID,
				   "parameter 'accessMode': this version of the API has a mode "
				   "for each bucket");
	if (schema_bucket_bit(key) != 0 && !is_about_access(req))
		return status_fail(status, COSI_INVALID,
				   "module '%s' does not support parameter '%s'", module->name,
				   key);
	return status_fail(status, COSI_INVALID, "unknown %s parameter '%s' for module '%s'",
			   is_about_access(req) ? "access" : "bucket", secret_shown(key).text,
			   module->name);
}

/* What counts in the hash goes into params->given. */
static int
parse_part(struct params *params, struct params_part *part, bool demand, struct arena *arena,
	   struct status *status)
{
	const char *error = "malformed parameters";

	if (config_params(part->schema, part->params, part->n, demand, part->out, arena,
			  part->canonical, &error) < 0)
		return status_fail(status, COSI_INVALID, "%s", error);
	for (size_t i = 0; i < part->n; i++) {
		const char *key = part->params[i].key;

		if (strcmp(key, "whenNotEmpty") != 0 && strcmp(key, "accessMode") != 0)
			params->given[params->ngiven++] =
				(struct cosi_kv){ .key = key, .value = part->canonical[i] };
	}
	return 0;
}

static int
param_by_key(const void *a, const void *b)
{
	const struct cosi_kv *left = a, *right = b;

	return strcmp(left->key, right->key);
}

int
params_read(struct params *out, const struct request *req, const struct cosi_module *module,
	    struct arena *arena, struct status *status)
{
	bool access = is_about_access(req);
	bool demand = req->op == REQUEST_CREATE || req->op == REQUEST_GRANT;
	struct cosi_bucket_params *common;
	struct params_part daemon, own;

	*out = (struct params){ .given = arena_alloc(arena, req->nparams * sizeof *out->given) };
	part_init(&daemon, access ? &access_schema : &schema_bucket, req->nparams, arena);
	part_init(&own, access ? &module->access_params : &module->bucket_params, req->nparams,
		  arena);
	common = access ? arena_alloc(arena, sizeof *common) : daemon.out;
	if (arena_failed(arena))
		return status_fail(status, COSI_EXHAUSTED, "the request needs too much memory");
	for (size_t i = 0; i < req->nparams; i++) {
		const struct cosi_kv *param = &req->params[i];
		uint32_t bit = access ? 0 : schema_bucket_bit(param->key);

		if (!access && strcmp(param->key, "backend") == 0)
			continue; /* route.c has read it */
		if ((bit & module->common_params) != 0 ||
		    (access && req->mode_is_param && strcmp(param->key, "accessMode") == 0)) {
			daemon.params[daemon.n++] = *param;
			common->set |= bit;
		} else if (bit == 0 && value_key(own.schema, param->key) != NULL) {
			own.params[own.n++] = *param;
		} else if (unknown_param(req, module, param->key, status) < 0) {
			return -1;
		}
	}
	if (parse_part(out, &daemon, demand, arena, status) < 0 ||
	    parse_part(out, &own, demand, arena, status) < 0)
		return -1;
	if (access)
		out->mode = ((const struct access_words *)daemon.out)->mode + COSI_READ_WRITE;
	out->common = common;
	out->own = own.out;
	qsort(out->given, out->ngiven, sizeof out->given[0], param_by_key);
	return 0;
}

/* ---- the hash ----------------------------------------------------------------------------- */

/* Each word with its NUL, so that no two requests give the same bytes. */
static bool
hash_word(EVP_MD_CTX *hash, const char *word)
{
	return EVP_DigestUpdate(hash, word, strlen(word) + 1) == 1;
}

/* Over "p" key value, ..., "b" mode native, ... */
const char *
param_hash(const struct cosi_kv *given, size_t ngiven, const struct cosi_bucket_ref *const *buckets,
	   size_t nbuckets, struct arena *arena)
{
	static const char *const modes[] = { [COSI_READ_WRITE] = "readWrite",
					     [COSI_READ_ONLY] = "readOnly",
					     [COSI_WRITE_ONLY] = "writeOnly" };
	unsigned char digest[EVP_MAX_MD_SIZE];
	char hex[2 * EVP_MAX_MD_SIZE + 1];
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	unsigned len = 0;
	bool ok = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1;

	for (size_t i = 0; i < ngiven; i++)
		ok = ok && hash_word(hash, "p") && hash_word(hash, given[i].key) &&
		     hash_word(hash, given[i].value);
	for (size_t i = 0; i < nbuckets; i++)
		ok = ok && hash_word(hash, "b") && hash_word(hash, modes[buckets[i]->mode]) &&
		     hash_word(hash, buckets[i]->native);
	ok = ok && EVP_DigestFinal_ex(hash, digest, &len) == 1;
	EVP_MD_CTX_free(hash);
	if (!ok) { /* libcrypto got no memory: the call fails as if it had used up its own */
		arena->failed = true;
		return "";
	}
	parse_hex(digest, len, hex);
	return arena_printf(arena, "1:%s", hex);
}
