/* SPDX-License-Identifier: Apache-2.0
 * backend.c - calls a module's handlers, and passes on what it has checked of their answers.
 *
 * Answers are not trusted: a module's mistakes become errors that name it.  Strings are copied
 * because they may stand in the module's settings or constants, which go away with its generation,
 * and an answer may be sent later than that. */
#include "module/backend.h"

#include <string.h>

#include "base/arena.h"
#include "base/parse.h"
#include "module/crash.h"
#include "module/instance.h"
#include "module/schema.h"

#include "banned.h"

/* ---- answers ---- */

int
verify_memory(struct module_call *call)
{
	if (!status_ok(call->status) || !arena_failed(call->arena))
		return 0;
	return status_fail(call->status, COSI_EXHAUSTED,
			   "backend '%s' (module '%s') needs more memory than a call may use",
			   call->backend->name, call->backend->module->name);
}

/* The outcome of a handler that returned `result`: 0, or -1 with call->status. */
static int
verify_result(struct module_call *call, int result)
{
	struct status *status = call->status;
	const char *module = call->backend->module->name;

	if (verify_memory(call) < 0)
		return -1;
	if (status_ok(status) && result == 0)
		return 0;
	if (!status_ok(status) && status->text[0] != '\0')
		return -1;
	status->code = COSI_INTERNAL;
	return status_fail(status, COSI_INTERNAL, "module '%s' failed without a reason", module);
}

static int
reject(struct module_call *call, const char *how, const char *what)
{
	return status_fail(call->status, COSI_INTERNAL, "module '%s' answered with %s %s",
			   call->backend->module->name, how, what);
}

/* Replaces *field by a copy.  NULL is refused when it is needed. */
static int
copy_field(struct module_call *call, const char **field, bool needed, size_t most, const char *what)
{
	if (*field == NULL)
		return needed ? reject(call, "a missing", what) : 0;
	if (!text_is_clean(*field, 1, most))
		return reject(call, "a malformed", what);
	*field = arena_strdup(call->arena, *field);
	return 0;
}

/* native: as asked for.  needed: protocols that the bucket must serve, 0: any.  Fills in what has a
 * default.  0, or -1 with INTERNAL. */
static int
verify_bucket(struct module_call *call, const char *native, uint32_t needed,
	      struct cosi_bucket *bucket)
{
	uint32_t protocols = bucket->protocols;

	if (protocols == 0)
		return reject(call, "a bucket without", "protocols");
	if ((protocols & ~call->backend->module->protocols) != 0)
		return reject(call, "a bucket of", "protocols that it does not have");
	if ((needed & ~protocols) != 0)
		return reject(call, "a bucket without", "the requested protocols");
	if (bucket->style == 0)
		bucket->style = COSI_PATH_STYLE;
	if (bucket->style > COSI_VIRTUAL_STYLE)
		return reject(call, "an unknown", "style");
	if (bucket->name == NULL)
		bucket->name = native;
	if (copy_field(call, &bucket->name, true, VERIFY_NAME_MAX, "bucket name") < 0)
		return -1;
	if (bucket->endpoint == NULL)
		bucket->endpoint = call->backend->public_url;
	if (bucket->endpoint != NULL && !text_is_url(bucket->endpoint, VERIFY_URL_MAX))
		return reject(call, "a malformed", "endpoint");
	if (copy_field(call, &bucket->endpoint, (protocols & COSI_S3) != 0, VERIFY_URL_MAX,
		       "endpoint") < 0 ||
	    copy_field(call, &bucket->region, (protocols & COSI_S3) != 0, VERIFY_NAME_MAX,
		       "region") < 0 ||
	    copy_field(call, &bucket->azure_account, (protocols & COSI_AZURE) != 0, VERIFY_NAME_MAX,
		       "azure_account") < 0 ||
	    copy_field(call, &bucket->gcs_project, (protocols & COSI_GCS) != 0, VERIFY_NAME_MAX,
		       "gcs_project") < 0 ||
	    copy_field(call, &bucket->params, false, VERIFY_NAME_MAX, "params tag") < 0)
		return -1;
	return verify_result(call, 0);
}

/* The buckets of a grant, and the credentials that a workload needs. */
static int
verify_access(struct module_call *call, const struct cosi_access_req *req,
	      struct cosi_access *access)
{
	bool by_key = req->auth != COSI_AUTH_SERVICE_ACCOUNT;
	bool azure = req->protocol == COSI_AZURE, gcs = req->protocol == COSI_GCS;
	bool pair = by_key && !azure, account = !by_key && gcs;

	for (size_t i = 0; i < req->nbuckets; i++) {
		struct cosi_bucket *bucket = access->buckets[i];

		if (bucket->protocols == 0)
			bucket->protocols = req->protocol;
		if (verify_bucket(call, req->buckets[i]->native, req->protocol, bucket) < 0)
			return -1;
	}
	if (access->token_expires < 0)
		return reject(call, "a malformed", "token_expires");
	if (copy_field(call, &access->key_id, pair, VERIFY_NAME_MAX, "key_id") < 0 ||
	    copy_field(call, &access->key_secret, pair, VERIFY_SECRET_MAX, "key_secret") < 0 ||
	    copy_field(call, &access->token, by_key && azure, VERIFY_SAS_MAX, "token") < 0 ||
	    copy_field(call, &access->key_name, account, VERIFY_PATH_MAX, "key_name") < 0 ||
	    copy_field(call, &access->service_account, account, VERIFY_PATH_MAX,
		       "service_account") < 0)
		return -1;
	return verify_result(call, 0);
}

/* A native name as it stands in an id: as long as an id leaves room for. */
static bool
verify_is_native(const struct module_call *call, const char *name)
{
	size_t most = VERIFY_NAME_MAX - strlen(call->backend->name) - 1;

	return text_is_clean(name, 1, most) && chars_only(name, CHARS_ALNUM ".-");
}

/* ---- handlers ---- */

/* 0 if the backend is open and its module has the handler, or -1. */
static int
check_can(struct module_call *call, bool has_handler, const char *what)
{
	const struct backend *backend = call->backend;

	if (backend->left_out != NULL)
		return backend_fail_left_out(backend, call->status);
	if (has_handler)
		return 0;
	return status_fail(call->status, COSI_UNSUPPORTED, "backend '%s' (module '%s') cannot %s",
			   backend->name, backend->module->name, what);
}

static void *
handle_of(const struct module_call *call)
{
	return instance_of(call->backend)->handle;
}

/* A name that the module has made is its own: else the request for it would make another bucket. */
static int
verify_mapped(struct module_call *call, uint32_t kind, const char *asked, const char *name)
{
	const struct cosi_module *module = call->backend->module;
	const char *again;

	if (strcmp(name, asked) == 0)
		return 0;
	again = module->map_name(handle_of(call), &call->pub, kind, name, false);
	if (verify_result(call, again == NULL ? -1 : 0) < 0)
		return -1;
	if (strcmp(again, name) == 0)
		return 0;
	return status_fail(call->status, COSI_INTERNAL,
			   "module '%s' made '%s' out of '%s', and another name out of that",
			   module->name, name, asked);
}

const char *
backend_map_name(struct module_call *call, uint32_t kind, const char *asked, bool exact)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "map_name", call->fields);
	const struct cosi_module *module = call->backend->module;
	const char *name = asked;

	if (check_can(call, true, "map names") < 0)
		return NULL;
	if (module->map_name != NULL) {
		name = module->map_name(handle_of(call), &call->pub, kind, asked, exact);
		if (verify_result(call, name == NULL ? -1 : 0) < 0)
			return NULL;
	}
	if (module->map_name == NULL && !verify_is_native(call, asked))
		status_fail(call->status, COSI_INVALID,
			    "backend '%s' cannot use the name '%s': it takes A-Z, a-z, 0-9, "
			    "'.' and '-', up to %d bytes together with '%s.'",
			    call->backend->name, asked, VERIFY_NAME_MAX, call->backend->name);
	else if (!verify_is_native(call, name))
		status_fail(call->status, COSI_INTERNAL,
			    "module '%s' made a malformed name out of '%s'", module->name, asked);
	else if (exact && strcmp(name, asked) != 0)
		status_fail(call->status, COSI_INTERNAL,
			    "module '%s' made '%s' out of the exact name '%s'", module->name, name,
			    asked);
	else
		name = arena_strdup(call->arena, name);
	return verify_result(call, 0) == 0 && verify_mapped(call, kind, asked, name) == 0 ? name
											  : NULL;
}

int
backend_create_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "create_bucket", call->fields);
	const struct cosi_module *module = call->backend->module;
	struct cosi_bucket bucket = { 0 };

	if (check_can(call, module->create_bucket != NULL, "create buckets") < 0 ||
	    verify_result(call, module->create_bucket(handle_of(call), &call->pub, req, &bucket)) <
		    0 ||
	    verify_bucket(call, req->native, req->protocols, &bucket) < 0)
		return -1;
	if (!bucket.ours)
		return status_fail(
			call->status, COSI_INTERNAL,
			"module '%s' answered with a new bucket without the owner's tags",
			module->name);
	*out = bucket;
	return 0;
}

int
backend_get_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		   struct cosi_bucket *out)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "get_bucket", call->fields);
	const struct cosi_module *module = call->backend->module;
	struct cosi_bucket bucket = { 0 };

	if (check_can(call, module->get_bucket != NULL, "look up buckets") < 0 ||
	    verify_result(call, module->get_bucket(handle_of(call), &call->pub, req, &bucket)) <
		    0 ||
	    verify_bucket(call, req->native, 0, &bucket) < 0)
		return -1;
	*out = bucket;
	return 0;
}

int
backend_delete_bucket(struct module_call *call, const struct cosi_bucket_req *req)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "delete_bucket", call->fields);
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, module->delete_bucket != NULL, "delete buckets") < 0)
		return -1;
	return verify_result(call, module->delete_bucket(handle_of(call), &call->pub, req));
}

int
backend_grant(struct module_call *call, const struct cosi_access_req *req, struct cosi_access *out)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "grant", call->fields);
	const struct cosi_module *module = call->backend->module;
	struct cosi_access access = { 0 };
	struct cosi_bucket **buckets, *zeroed;

	if (check_can(call, module->grant != NULL, "grant access") < 0)
		return -1;
	buckets = arena_alloc(call->arena, (req->nbuckets + 1) * sizeof *buckets);
	zeroed = arena_alloc(call->arena, (req->nbuckets + 1) * sizeof *zeroed);
	if (verify_result(call, 0) < 0)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++)
		buckets[i] = &zeroed[i];
	access.buckets = buckets;
	if (verify_result(call, module->grant(handle_of(call), &call->pub, req, &access)) < 0)
		return -1;
	/* They lie in the call's memory, and only that list is known to be as long as the
	 * request's. */
	if (access.buckets != buckets)
		return status_fail(call->status, COSI_INTERNAL,
				   "module '%s' replaced the list of buckets of a grant",
				   module->name);
	if (verify_access(call, req, &access) < 0)
		return -1;
	*out = access;
	return 0;
}

int
backend_revoke(struct module_call *call, const struct cosi_access_req *req)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "revoke", call->fields);
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, module->revoke != NULL, "revoke access") < 0)
		return -1;
	return verify_result(call, module->revoke(handle_of(call), &call->pub, req));
}

int
backend_probe(struct module_call *call)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "probe", call->fields);
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, true, "be probed") < 0)
		return -1;
	/* Without a probe there is nothing that could be unreachable. */
	if (module->probe == NULL)
		return 0;
	return verify_result(call, module->probe(handle_of(call), &call->pub));
}

/* Tags come from the store, where anybody may have written them. */
enum { TAG_MAX = 256 };

static bool
is_tag(const char *text)
{
	return text == NULL || text_is_clean(text, 0, TAG_MAX);
}

static int
check_found(struct cosi_call *pub, const struct cosi_found *given)
{
	struct module_call *call = (struct module_call *)pub;
	/* A module built before a field was added has a shorter struct. */
	struct cosi_found found = { 0 };

	if (verify_memory(call) < 0 || !status_ok(call->status))
		return -1;
	memcpy(&found, given, given->size < sizeof found ? given->size : sizeof found);
	found.size = sizeof found;
	if ((found.kind != COSI_BUCKET && found.kind != COSI_ACCOUNT) ||
	    !text_is_clean(found.native, 1, VERIFY_PATH_MAX) || !is_tag(found.mark.owner) ||
	    !is_tag(found.mark.name) || !is_tag(found.mark.params))
		return status_fail(call->status, COSI_INTERNAL,
				   "module '%s' answered with a malformed line of a list",
				   call->backend->module->name);
	return call->list->found(call->list->arg, &found);
}

int
backend_list(struct module_call *call, const char *owner, const struct backend_list *list)
{
	CHARGE_SCOPE(call->arena);
	CRASH_SCOPE(call->backend, "list", call->fields);
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, module->list != NULL, "list what it has") < 0)
		return -1;
	call->list = list;
	return verify_result(call, module->list(handle_of(call), &call->pub, owner, check_found));
}

void
backend_info(const struct backend *backend, struct backend_info *out)
{
	const struct instance *instance = instance_of(backend);
	struct http_open_breaker open[BACKEND_OPEN_MAX];

	*out = (struct backend_info){ .endpoint = instance->endpoint };
	if (instance->image != NULL) {
		out->file = instance->image->file.source;
		parse_hex(instance->image->file.hash, MODULE_HASH_LEN, out->hash);
	}
	if (instance->client != NULL)
		out->nopen = http_open_breakers(instance->client, BACKEND_OPEN_MAX, open);
	for (size_t i = 0; i < out->nopen; i++) {
		out->open[i].url = open[i].base;
		out->open[i].since_s = open[i].since_s;
		memcpy(out->open[i].error, open[i].last_error, sizeof out->open[i].error);
	}
}
