/* SPDX-License-Identifier: Apache-2.0
 * params.c - splits parameters among their readers. */
#include "router/params.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#include "banned.h"

#define SECRET_PREFIX "cosi.io/provisioner-secret-"

/* The members are spelled as the parameters are, because a schema takes its keys from them. */
struct common {
	const char *region, *anonymousAccess, *whenNotEmpty;
	bool versioning, objectLock;
	int64_t quotaMaxSize, quotaMaxObjects;
};

static const struct cosi_key common_keys[] = {
	COSI_STRING(struct common, region, 0, NULL, "where the bucket lies"),
	COSI_BOOL(struct common, versioning, NULL, "keep old versions of objects"),
	COSI_BOOL(struct common, objectLock, NULL, "objects can be locked"),
	COSI_SIZE(struct common, quotaMaxSize, 0, NULL, "bytes that the bucket may hold"),
	COSI_INT(struct common, quotaMaxObjects, 0, NULL, "objects that the bucket may hold"),
	COSI_ENUM(struct common, anonymousAccess, NULL, "private readOnly writeOnly readWrite",
		  "what the world may do"),
	COSI_ENUM(struct common, whenNotEmpty, NULL, "refuse purge",
		  "what a delete does with objects"),
};
static const struct cosi_schema common_schema = COSI_SCHEMA(struct common, common_keys);

struct access {
	const char *accessMode;
};
static const struct cosi_key access_keys[] = {
	COSI_ENUM(struct access, accessMode, NULL, "readWrite readOnly writeOnly",
		  "what the account may do"),
};
static const struct cosi_schema access_schema = COSI_SCHEMA(struct access, access_keys);

/* One reader and the parameters that are its. */
struct share {
	const struct cosi_schema *schema;
	size_t n;
	struct cosi_kv *params;
	const char **canonical;
	void *out;
};

const char *
params_value(const struct request *req, const char *key)
{
	for (size_t i = 0; i < req->nparams; i++) {
		if (strcmp(req->params[i].key, key) == 0)
			return req->params[i].value;
	}
	return NULL;
}

static bool
is_about_access(const struct request *req)
{
	return req->op == REQUEST_GRANT || req->op == REQUEST_REVOKE;
}

static bool
has_key(const struct cosi_schema *schema, const char *key)
{
	for (size_t i = 0; i < schema->nkeys; i++) {
		if (strcmp(schema->keys[i].name, key) == 0)
			return true;
	}
	return false;
}

/* The bit of enum cosi_param; 0: it is not one of them. */
static uint32_t
common_bit(const char *key)
{
	static const uint32_t bits[] = {
		COSI_P_REGION,        COSI_P_VERSIONING, COSI_P_OBJECT_LOCK,    COSI_P_QUOTA_SIZE,
		COSI_P_QUOTA_OBJECTS, COSI_P_ANONYMOUS,  COSI_P_WHEN_NOT_EMPTY,
	};

	_Static_assert(sizeof bits / sizeof bits[0] == sizeof common_keys / sizeof common_keys[0],
		       "one bit per key, in the same order");
	for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
		if (strcmp(common_keys[i].name, key) == 0)
			return bits[i];
	}
	return 0;
}

static int
share_init(struct share *share, const struct cosi_schema *schema, size_t most, struct arena *arena)
{
	*share = (struct share){
		.schema = schema,
		.params = arena_alloc(arena, most * sizeof(struct cosi_kv)),
		.canonical = arena_alloc(arena, most * sizeof(const char *)),
		.out = arena_alloc(arena, schema->size),
	};
	return arena_failed(arena) ? -1 : 0;
}

static int
unknown_key(const struct request *req, const struct cosi_module *module, const char *key,
	    struct status *status)
{
	if (req->op == REQUEST_DELETE || req->op == REQUEST_REVOKE)
		return 0;
	if (strncmp(key, SECRET_PREFIX, strlen(SECRET_PREFIX)) == 0)
		return status_fail(
			status, COSI_INVALID,
			"parameter '%.160s': secrets do not travel in requests; give the "
			"class a 'backend' that has credentials of its own",
			key);
	if (strcmp(key, "accessMode") == 0 && req->op == REQUEST_GRANT)
		return status_fail(status, COSI_INVALID,
				   "parameter 'accessMode': this version of the interface says the "
				   "mode for each bucket");
	if (common_bit(key) != 0 && !is_about_access(req))
		return status_fail(status, COSI_INVALID,
				   "parameter '%s' is not possible with module '%s'", key,
				   module->name);
	return status_fail(status, COSI_INVALID, "unknown %s parameter '%.160s' for module '%s'",
			   is_about_access(req) ? "access" : "bucket", key, module->name);
}

static void
share_add(struct share *share, const struct cosi_kv *param)
{
	share->params[share->n++] = *param;
}

/* Gives every parameter to its reader: core is the daemon's, own the module's. */
static int
split(const struct request *req, const struct cosi_module *module, struct share *core,
      struct share *own, struct status *status)
{
	bool access = is_about_access(req);

	for (size_t i = 0; i < req->nparams; i++) {
		const struct cosi_kv *param = &req->params[i];
		uint32_t bit = access ? 0 : common_bit(param->key);

		if (!access && strcmp(param->key, "backend") == 0)
			continue; /* route.c has read it */
		if ((bit & module->common_params) != 0 ||
		    (access && req->mode_is_param && strcmp(param->key, "accessMode") == 0))
			share_add(core, param);
		else if (bit == 0 && has_key(own->schema, param->key))
			share_add(own, param);
		else if (unknown_key(req, module, param->key, status) < 0)
			return -1;
	}
	return 0;
}

static int
share_parse(struct share *share, bool demand, struct arena *arena, struct status *status)
{
	const char *error = NULL;

	if (config_params(share->schema, share->params, share->n, demand, share->out, arena,
			  share->canonical, &error) == 0)
		return 0;
	return status_fail(status, COSI_INVALID, "%s", error != NULL ? error : "bad parameters");
}

static uint32_t
anonymous_of(const char *word)
{
	if (word == NULL || strcmp(word, "private") == 0)
		return COSI_ANON_NONE;
	if (strcmp(word, "readOnly") == 0)
		return COSI_ANON_READ;
	return strcmp(word, "writeOnly") == 0 ? COSI_ANON_WRITE : COSI_ANON_READ_WRITE;
}

static uint32_t
mode_of(const char *word)
{
	if (word == NULL || strcmp(word, "readWrite") == 0)
		return COSI_READ_WRITE;
	return strcmp(word, "readOnly") == 0 ? COSI_READ_ONLY : COSI_WRITE_ONLY;
}

static int
common_check(const struct cosi_bucket_params *common, struct status *status)
{
	if ((common->set & COSI_P_REGION) != 0 && common->region[0] == '\0')
		return status_fail(status, COSI_INVALID, "parameter 'region' is empty");
	if ((common->set & COSI_P_QUOTA_SIZE) != 0 && common->quota_size <= 0)
		return status_fail(status, COSI_INVALID,
				   "parameter 'quotaMaxSize' must be above 0");
	if ((common->set & COSI_P_QUOTA_OBJECTS) != 0 && common->quota_objects <= 0)
		return status_fail(status, COSI_INVALID,
				   "parameter 'quotaMaxObjects' must be above 0");
	return 0;
}

static int
common_fill(struct cosi_bucket_params *out, const struct share *core, struct status *status)
{
	const struct common *read = core->out;

	*out = (struct cosi_bucket_params){
		.anonymous = anonymous_of(read->anonymousAccess),
		.region = read->region,
		.quota_size = read->quotaMaxSize,
		.quota_objects = read->quotaMaxObjects,
		.versioning = read->versioning,
		.object_lock = read->objectLock,
		.purge = read->whenNotEmpty != NULL && strcmp(read->whenNotEmpty, "purge") == 0,
	};
	for (size_t i = 0; i < core->n; i++)
		out->set |= common_bit(core->params[i].key);
	return common_check(out, status);
}

static void
given_add(struct params *params, const struct share *share)
{
	for (size_t i = 0; i < share->n; i++) {
		const char *key = share->params[i].key;

		if (strcmp(key, "whenNotEmpty") == 0 || strcmp(key, "accessMode") == 0)
			continue;
		params->given[params->ngiven++] =
			(struct cosi_kv){ .key = key, .value = share->canonical[i] };
	}
}

static int
by_key(const void *a, const void *b)
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
	struct cosi_bucket_params *common = arena_alloc(arena, sizeof *common);
	struct share core, own;

	*out = (struct params){ .common = common };
	out->given = arena_alloc(arena, req->nparams * sizeof(struct cosi_kv));
	if (share_init(&core, access ? &access_schema : &common_schema, req->nparams, arena) < 0 ||
	    share_init(&own, access ? &module->access_params : &module->bucket_params, req->nparams,
		       arena) < 0)
		return status_fail(status, COSI_EXHAUSTED, "the request needs too much memory");
	if (split(req, module, &core, &own, status) < 0 ||
	    share_parse(&core, demand, arena, status) < 0 ||
	    share_parse(&own, demand, arena, status) < 0)
		return -1;
	out->own = own.out;
	if (access)
		out->mode = mode_of(((const struct access *)core.out)->accessMode);
	else if (common_fill(common, &core, status) < 0)
		return -1;
	given_add(out, &core);
	given_add(out, &own);
	qsort(out->given, out->ngiven, sizeof out->given[0], by_key);
	return 0;
}
