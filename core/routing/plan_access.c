/* SPDX-License-Identifier: Apache-2.0
 * plan_access.c - the module's part of a grant or a revoke: an account and its buckets. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "routing/id.h"
#include "routing/param_hash.h"
#include "routing/plan.h"
#include "routing/route.h"

#include "banned.h"

static int
compare_natives(const void *a, const void *b)
{
	const struct cosi_bucket_ref *const *left = a, *const *right = b;

	return strcmp((*left)->native, (*right)->native);
}

/* Sorts the buckets and drops repetitions. */
static int
access_set_buckets(struct plan *plan, const struct cosi_bucket_ref **refs, size_t n)
{
	size_t kept = 0;

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

/* One bucket of a grant: cosid's own by its id, or an existing one that existing_buckets permits.
 */
static int
granted_bucket(const struct plan *plan, const struct request_bucket *asked,
	       struct cosi_bucket_ref *out)
{
	const struct backend *backend = plan->backend;
	uint32_t mode = plan->req->mode_is_param ? plan->params.mode : asked->mode;
	const char *native = plan_native_of(plan, asked->id);

	if (id_format(plan->arena, backend->name, native, plan->status) == NULL)
		return -1;
	if (native == asked->id && !route_permits(backend, native))
		return status_fail(plan->status, COSI_NOT_FOUND,
				   "existing_buckets of backend '%s' does not permit bucket '%s'",
				   backend->name, native);
	if (mode < COSI_READ_WRITE || mode > COSI_WRITE_ONLY)
		return status_fail(plan->status, COSI_INVALID,
				   "the access mode for bucket '%.160s' is missing", asked->id);
	*out = (struct cosi_bucket_ref){ .native = native, .mode = mode };
	return 0;
}

/* The module may shorten the account's name, but the prefix says that cosid made it. */
static int
name_account(struct plan *plan)
{
	const char *plain = id_account_native(plan->arena, plan->req->name);
	struct module_call call;

	plan_module_call(plan, plan->backend, plan->arena, plan->status, &call);
	plan->native = backend_map_name(&call, COSI_ACCOUNT, plain, false);
	if (plan->native == NULL)
		return -1;
	if (strncmp(plan->native, ID_ACCOUNT_PREFIX, strlen(ID_ACCOUNT_PREFIX)) != 0)
		return status_fail(plan->status, COSI_INTERNAL,
				   "module '%s' names an account '%.160s', without the prefix '%s'",
				   plan->backend->module->name, plan->native, ID_ACCOUNT_PREFIX);
	plan->id = id_format(plan->arena, plan->backend->name, plan->native, plan->status);
	return plan->id != NULL ? 0 : -1;
}

static int
plan_grant_buckets(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct cosi_module *module = plan->backend->module;
	struct cosi_bucket_ref *store = arena_alloc(plan->arena, req->nbuckets * sizeof store[0]);
	const struct cosi_bucket_ref **refs =
		arena_alloc(plan->arena, req->nbuckets * sizeof refs[0]);

	if (store == NULL || refs == NULL || name_account(plan) < 0)
		return -1;
	if (req->auth == 0)
		return status_fail(plan->status, COSI_INVALID,
				   "the authentication type is missing");
	if ((module->auth & req->auth) != req->auth)
		return status_fail(plan->status, COSI_INVALID,
				   "backend '%s' does not support authentication by %s",
				   plan->backend->name,
				   req->auth == COSI_AUTH_KEY ? "key" : "service account");
	if (plan_check_protocols(plan) < 0 ||
	    params_read(&plan->params, req, module, plan->arena, plan->status) < 0)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		if (granted_bucket(plan, &req->buckets[i], &store[i]) < 0)
			return -1;
		refs[i] = &store[i];
	}
	return access_set_buckets(plan, refs, req->nbuckets);
}

/* The buckets of a revoke that the account can have access to: those of its backend.  The account
 * has no access to any other bucket that the request names. */
static int
plan_revoke_buckets(struct plan *plan)
{
	const struct request *req = plan->req;
	struct cosi_bucket_ref *store = arena_alloc(plan->arena, req->nbuckets * sizeof store[0]);
	const struct cosi_bucket_ref **refs =
		arena_alloc(plan->arena, req->nbuckets * sizeof refs[0]);
	size_t n = 0;

	plan->native = plan_native_of(plan, req->id);
	plan->id = req->id;
	if (store == NULL || refs == NULL ||
	    params_read(&plan->params, req, plan->backend->module, plan->arena, plan->status) < 0)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *id = req->buckets[i].id, *native = id;
		struct backend *backend = id_backend(plan->generation, id, &native);

		if ((backend != NULL && backend != plan->backend) || !id_is_native(native))
			continue;
		store[n].native = native;
		refs[n] = &store[n];
		n++;
	}
	return access_set_buckets(plan, refs, n);
}

/* Grants and revokes of one account exclude each other.  Buckets are kept from being deleted by
 * every grant, and from each other where a grant edits the bucket itself. */
static int
lock_access(struct plan *plan, bool edits_buckets)
{
	const struct cosi_access_req *access = &plan->access;
	bool revoke = plan->req->op == REQUEST_REVOKE;

	if (plan_lock_room(plan, 1 + access->nbuckets) < 0)
		return -1;
	plan_lock_add(plan, COSI_ACCOUNT, plan->backend, plan->native, true);
	for (size_t i = 0; i < access->nbuckets && (edits_buckets || !revoke); i++)
		plan_lock_add(plan, COSI_BUCKET, plan->backend, access->buckets[i]->native,
			      edits_buckets);
	return 0;
}

int
plan_access(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct cosi_module *module = plan->backend->module;
	bool edits_buckets = (module->flags & COSI_GRANT_WRITES_BUCKET) != 0;
	bool grant = req->op == REQUEST_GRANT;
	struct cosi_access_req *access = &plan->access;

	if ((grant ? plan_grant_buckets(plan) : plan_revoke_buckets(plan)) < 0)
		return -1;
	access->native = plan->native;
	access->mark = (struct cosi_mark){ .owner = plan->generation->config->owner };
	access->protocol = req->protocols;
	access->auth = req->auth;
	access->service_account = req->service_account;
	access->params = plan->params.own;
	if (grant) {
		access->mark.name = req->name;
		access->mark.params = param_hash(plan->params.given, plan->params.ngiven,
						 access->buckets, access->nbuckets, plan->arena);
		if (req->protocols == 0) /* the module's first */
			access->protocol = module->protocols & -module->protocols;
	}
	if (lock_access(plan, edits_buckets) < 0)
		return -1;
	/* The bucket that v1alpha1 names in a revoke is of use only where the access lies in the
	 * bucket itself: a module would have to search all of them for it. */
	if (!grant && req->whole_account && !edits_buckets)
		access->nbuckets = 0;
	else if (!grant && !req->whole_account)
		plan->nothing_to_do = req->nbuckets > 0 && access->nbuckets == 0;
	return 0;
}
