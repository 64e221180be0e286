/* SPDX-License-Identifier: Apache-2.0
 * plan_module.c - the module's part of a plan: what it is asked, and the locks that this needs. */
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "config/config.h"
#include "routing/id.h"
#include "routing/plan.h"
#include "routing/route.h"

#include "banned.h"

void
plan_module_call(const struct plan *plan, struct backend *backend, struct arena *arena,
		 struct status *status, struct module_call *out)
{
	*out = (struct module_call){
		.arena = arena,
		.status = status,
		.backend = backend,
		.deadline_ms = plan->deadline_ms,
		.cancelled = plan->cancelled,
		.fields = plan->fields,
	};
	module_call_init(out);
}

int
plan_lock_room(struct plan *plan, size_t n)
{
	plan->locks = arena_alloc(plan->arena, n * sizeof plan->locks[0]);
	return plan->locks != NULL ? 0 : -1;
}

void
plan_lock_add(struct plan *plan, uint32_t kind, const struct backend *backend, const char *native,
	      bool exclusive)
{
	plan->locks[plan->nlocks++] = (struct plan_lock){
		.name = arena_printf(plan->arena, "%c:%s.%s", kind == COSI_BUCKET ? 'b' : 'a',
				     backend->name, native),
		.exclusive = exclusive,
	};
}

static int
plan_check_protocols(const struct plan *plan)
{
	const struct backend *backend = plan->backend;

	if (route_serves(backend, plan->req->protocols))
		return 0;
	return status_fail(plan->status, COSI_INVALID, "backend '%s' supports %s, requested: %s",
			   backend->name, route_protocol_names(backend->module->protocols),
			   route_protocol_names(plan->req->protocols));
}

int
plan_bucket(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct params *params = &plan->params;
	struct module_call call;

	if (req->op == REQUEST_CREATE) {
		plan_module_call(plan, plan->backend, plan->arena, plan->status, &call);
		plan->native = backend_map_name(&call, COSI_BUCKET, req->name, req->exact_names);
		if (plan->native == NULL)
			return -1;
	}
	plan->id = id_format(plan->arena, plan->backend->name, plan->native, plan->status);
	if (plan->id == NULL || plan_check_protocols(plan) < 0 ||
	    params_read(&plan->params, req, plan->backend->module, plan->arena, plan->status) < 0)
		return -1;
	plan->bucket = (struct cosi_bucket_req){
		.native = plan->native,
		.mark = { .owner = plan->generation->config->owner },
		.protocols = req->protocols,
		.common = params->common,
		.params = params->own,
	};
	if (req->op == REQUEST_CREATE)
		plan->bucket.mark.name = req->name;
	if (req->op == REQUEST_CREATE || (req->op == REQUEST_GET && params->ngiven > 0))
		plan->bucket.mark.params =
			param_hash(params->given, params->ngiven, NULL, 0, plan->arena);
	/* A Create that had to look up its backend has its locks already. */
	if (req->op == REQUEST_GET || plan->nlocks > 0)
		return 0;
	if (plan_lock_room(plan, 1) < 0)
		return -1;
	plan_lock_add(plan, COSI_BUCKET, plan->backend, plan->native, true);
	return 0;
}

/* ---- an account and its buckets ----------------------------------------------------------- */

/* What only a Grant has: the account's name is made, and the store must support what is wanted. */
static int
plan_granted_account(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct backend *backend = plan->backend;
	const char *plain = id_account_native(plan->arena, req->name);
	struct module_call call;

	plan_module_call(plan, plan->backend, plan->arena, plan->status, &call);
	plan->native = backend_map_name(&call, COSI_ACCOUNT, plain, false);
	if (plan->native == NULL)
		return -1;
	/* The module may shorten the name, but the prefix says that cosid made it. */
	if (strncmp(plan->native, ID_ACCOUNT_PREFIX, strlen(ID_ACCOUNT_PREFIX)) != 0)
		return status_fail(plan->status, COSI_INTERNAL,
				   "module '%s' names an account '%s', without the prefix '%s'",
				   backend->module->name, secret_shown(plan->native).text,
				   ID_ACCOUNT_PREFIX);
	plan->id = id_format(plan->arena, backend->name, plan->native, plan->status);
	if (plan->id == NULL)
		return -1;
	if ((backend->module->auth & req->auth) != req->auth)
		return status_fail(plan->status, COSI_INVALID,
				   "backend '%s' does not support authentication by %s",
				   backend->name,
				   req->auth == COSI_AUTH_KEY ? "key" : "service account");
	return plan_check_protocols(plan);
}

static int
compare_natives(const void *a, const void *b)
{
	const struct cosi_bucket_ref *const *left = a, *const *right = b;

	return strcmp((*left)->native, (*right)->native);
}

/* The buckets of the request, sorted and without repetitions.  A Grant opens cosid's own by their
 * ids, and existing ones that existing_buckets permits. */
static int
plan_access_buckets(struct plan *plan)
{
	const struct request *req = plan->req;
	const char *backend = plan->backend->name;
	struct cosi_bucket_ref *store = arena_alloc(plan->arena, req->nbuckets * sizeof store[0]);
	const struct cosi_bucket_ref **refs =
		arena_alloc(plan->arena, req->nbuckets * sizeof refs[0]);
	size_t n = 0, kept = 0;

	if (store == NULL || refs == NULL)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native = plan->natives[i], *id = req->buckets[i].id, *whole;
		uint32_t mode = req->mode_is_param ? plan->params.mode : req->buckets[i].mode;
		/* Else by an id, which is longer. */
		bool by_native_name = native != NULL && strcmp(native, id) == 0;

		if (native == NULL)
			continue;
		refs[n++] = &store[i];
		store[i].native = native;
		whole = id_format(plan->arena, backend, native, plan->status);
		if (whole == NULL)
			return -1;
		if (i == 0)
			plan->bucket_id = whole;
		if (req->op == REQUEST_REVOKE)
			continue;
		store[i].mode = mode;
		if (by_native_name && !route_permits(plan->backend, native))
			return status_fail(plan->status, COSI_NOT_FOUND,
					   "existing_buckets of backend '%s' does not permit "
					   "bucket '%s'",
					   backend, native);
		if (mode < COSI_READ_WRITE || mode > COSI_WRITE_ONLY)
			return status_fail(plan->status, COSI_INVALID,
					   "the access mode for bucket '%s' is missing",
					   secret_shown(id).text);
	}
	qsort(refs, n, sizeof(const struct cosi_bucket_ref *), compare_natives);
	for (size_t i = 0; i < n; i++) {
		bool again = kept > 0 && strcmp(refs[kept - 1]->native, refs[i]->native) == 0;

		if (again && refs[kept - 1]->mode != refs[i]->mode)
			return status_fail(plan->status, COSI_INVALID,
					   "the request names bucket '%s' with two access modes",
					   refs[i]->native);
		if (!again)
			refs[kept++] = refs[i];
	}
	plan->access.nbuckets = kept;
	plan->access.buckets = refs;
	return 0;
}

int
plan_access(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct cosi_module *module = plan->backend->module;
	const struct params *params = &plan->params;
	bool edits_buckets = (module->flags & COSI_GRANT_WRITES_BUCKET) != 0;
	bool grant = req->op == REQUEST_GRANT;
	struct cosi_access_req *access = &plan->access;

	if ((grant && plan_granted_account(plan) < 0) ||
	    params_read(&plan->params, req, module, plan->arena, plan->status) < 0 ||
	    plan_access_buckets(plan) < 0)
		return -1;
	access->native = plan->native;
	access->mark.owner = plan->generation->config->owner;
	access->protocol = req->protocols;
	access->auth = req->auth;
	access->service_account = req->service_account;
	access->params = params->own;
	if (grant) {
		access->mark.name = req->name;
		access->mark.params = param_hash(params->given, params->ngiven, access->buckets,
						 access->nbuckets, plan->arena);
		if (req->protocols == 0) /* the module's first */
			access->protocol = module->protocols & -module->protocols;
	}
	/* Grants and revokes of one account exclude each other.  Buckets are kept from being
	 * deleted by every grant, and from each other where a grant edits the bucket itself. */
	if (plan_lock_room(plan, 1 + access->nbuckets) < 0)
		return -1;
	plan_lock_add(plan, COSI_ACCOUNT, plan->backend, plan->native, true);
	for (size_t i = 0; i < access->nbuckets && (edits_buckets || grant); i++)
		plan_lock_add(plan, COSI_BUCKET, plan->backend, access->buckets[i]->native,
			      edits_buckets);
	/* The bucket that v1alpha1 names in a revoke is of use only where the access lies in the
	 * bucket itself: a module would have to search all of them for it. */
	if (!grant && req->whole_account && !edits_buckets)
		access->nbuckets = 0;
	else if (!grant && !req->whole_account)
		plan->nothing_to_do = req->nbuckets > 0 && access->nbuckets == 0;
	return 0;
}
