/* SPDX-License-Identifier: Apache-2.0
 * backend.c - calls a module's handlers and passes on what verify.h has accepted. */
#include "module/backend.h"

#include <string.h>

#include "base/arena.h"
#include "base/parse.h"
#include "module/instance.h"
#include "module/text.h"
#include "module/verify.h"

#include "banned.h"

/* 0 if the backend is open and its module has the handler, or -1. */
static int
check_can(struct module_call *call, bool has_handler, const char *what)
{
	const struct backend *backend = call->backend;

	if (instance_of(backend)->unfit)
		return status_fail(
			call->status, COSI_PRECONDITION,
			"backend '%s' is not open: one of its secrets cannot be read here",
			backend->name);
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

static const char *
check_name(struct module_call *call, const char *asked, bool exact, const char *name)
{
	const char *module = call->backend->module->name;

	if (!verify_is_native(call, name))
		status_fail(call->status, COSI_INTERNAL,
			    "module '%s' made a malformed name out of '%s'", module, asked);
	else if (exact && strcmp(name, asked) != 0)
		status_fail(call->status, COSI_INTERNAL,
			    "module '%s' made '%s' out of the exact name '%s'", module, name,
			    asked);
	else
		name = arena_strdup(call->arena, name);
	return verify_result(call, 0) == 0 ? name : NULL;
}

const char *
backend_map_name(struct module_call *call, uint32_t kind, const char *asked, bool exact)
{
	CHARGE_SCOPE(call->arena);
	const struct cosi_module *module = call->backend->module;
	const char *name = asked;

	if (check_can(call, true, "map names") < 0)
		return NULL;
	if (module->map_name != NULL) {
		name = module->map_name(handle_of(call), &call->pub, kind, asked, exact);
		if (verify_result(call, name == NULL ? -1 : 0) < 0)
			return NULL;
	} else if (!verify_is_native(call, asked)) {
		status_fail(call->status, COSI_INVALID,
			    "backend '%s' cannot use the name '%s': it takes A-Z, a-z, 0-9, "
			    "'.' and '-', up to %d bytes together with '%s.'",
			    call->backend->name, asked, VERIFY_NAME_MAX, call->backend->name);
		return NULL;
	}
	return check_name(call, asked, exact, name);
}

int
backend_create_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out)
{
	CHARGE_SCOPE(call->arena);
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
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, module->delete_bucket != NULL, "delete buckets") < 0)
		return -1;
	return verify_result(call, module->delete_bucket(handle_of(call), &call->pub, req));
}

/* Zeroed answers for the buckets of a grant.  NULL: the call has failed. */
static struct cosi_bucket **
make_buckets(struct module_call *call, size_t n)
{
	struct cosi_bucket **list =
		arena_alloc(call->arena, (n + 1) * sizeof(struct cosi_bucket *));

	for (size_t i = 0; list != NULL && i < n; i++) {
		list[i] = arena_alloc(call->arena, sizeof *list[i]);
		if (list[i] == NULL)
			list = NULL;
	}
	if (list == NULL)
		verify_result(call, 0);
	return list;
}

int
backend_grant(struct module_call *call, const struct cosi_access_req *req, struct cosi_access *out)
{
	CHARGE_SCOPE(call->arena);
	const struct cosi_module *module = call->backend->module;
	struct cosi_access access = { 0 };
	struct cosi_bucket **buckets;

	if (check_can(call, module->grant != NULL, "grant access") < 0)
		return -1;
	buckets = make_buckets(call, req->nbuckets);
	if (buckets == NULL)
		return -1;
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
	const struct cosi_module *module = call->backend->module;

	if (check_can(call, module->revoke != NULL, "revoke access") < 0)
		return -1;
	return verify_result(call, module->revoke(handle_of(call), &call->pub, req));
}

int
backend_probe(struct module_call *call)
{
	CHARGE_SCOPE(call->arena);
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

	if (!status_ok(call->status))
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
	const struct module_file *file = &instance->image->file;
	struct http_open_breaker open[BACKEND_OPEN_MAX];

	*out = (struct backend_info){ .file = file->source, .endpoint = instance->endpoint };
	parse_hex(file->hash, MODULE_HASH_LEN, out->hash);
	if (instance->client != NULL)
		out->nopen = http_open_breakers(instance->client, BACKEND_OPEN_MAX, open);
	for (size_t i = 0; i < out->nopen; i++) {
		out->open[i].url = open[i].base;
		out->open[i].since_s = open[i].since_s;
		memcpy(out->open[i].error, open[i].last_error, sizeof out->open[i].error);
	}
}
