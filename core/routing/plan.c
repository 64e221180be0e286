/* SPDX-License-Identifier: Apache-2.0
 * plan.c - finds the backend that the ids and names of a request mean.
 *
 *   "<configured backend>.<native>"   that backend
 *   anything else                     Revoke: FAILED_PRECONDITION; Delete: only a bucket with
 *                                     cosid's ownership tags; Get, Grant: an existing bucket
 */
#include "routing/plan.h"

#include <string.h>

#include "base/secret.h"
#include "routing/id.h"
#include "routing/route.h"

#include "banned.h"

/* Is the backend a candidate of look-ups?  One that is left out is, because it may have the bucket.
 */
static bool
may_tell(const struct backend *backend)
{
	return backend->left_out != NULL || backend->module->get_bucket != NULL;
}

/* Looks for a bucket that an earlier request of that name has made: on `only`, or, when that is
 * NULL, on every backend.  accept_new does not count, since it may have been true then.  The bucket
 * of that name is locked on all of them until the look-up is over: no other call creates or
 * deletes one before. */
static int
find_made_bucket(struct plan *plan, struct backend *preferred, const struct backend *only,
		 const struct status *why)
{
	const struct generation *generation = plan->generation;
	struct lookup *lookup = lookup_new(plan, plan->req->name);

	if (lookup == NULL)
		return -1;
	lookup->owned_only = true;
	lookup->tag_name = plan->req->name;
	lookup->fallback = preferred;
	lookup->why = *why;
	for (size_t i = 0; i < generation->nbackends; i++) {
		struct backend *backend = &generation->backends[i];
		struct status refusal = { 0 };
		struct module_call call;
		const char *native;

		if ((only != NULL && backend != only) ||
		    !route_serves(backend, plan->req->protocols) ||
		    (backend != preferred && !may_tell(backend)))
			continue;
		if (backend->left_out != NULL) {
			lookup_add(lookup, backend, plan->req->name, preferred);
			continue;
		}
		/* A backend that cannot hold a bucket of that name has none. */
		plan_module_call(plan, backend, plan->arena, &refusal, &call);
		native = backend_map_name(&call, COSI_BUCKET, plan->req->name,
					  plan->req->exact_names);
		if (native != NULL &&
		    id_format(plan->arena, backend->name, native, &refusal) != NULL)
			lookup_add(lookup, backend, native, preferred);
	}
	/* Only the preferred one can have it: no store has to be asked. */
	if (lookup->ncandidates == 0 || (lookup->ncandidates == 1 && lookup->has_preferred)) {
		plan->backend = preferred;
		if (preferred != NULL)
			return 0;
		*plan->status = *why;
		return -1;
	}
	plan->lookup = lookup;
	if (plan_lock_room(plan, lookup->ncandidates) < 0)
		return -1;
	for (size_t i = 0; i < lookup->ncandidates; i++)
		plan_lock_add(plan, COSI_BUCKET, lookup->candidates[i].backend,
			      lookup->candidates[i].native, true);
	return 0;
}

static int
plan_create(struct plan *plan)
{
	const struct generation *generation = plan->generation;
	const char *explicit = params_value(plan->req, "backend");
	struct backend *preferred;
	struct status why = { 0 };

	preferred = route_new_bucket(generation, plan->req, &why);
	if (preferred != NULL && (explicit != NULL || generation->nbackends == 1)) {
		plan->backend = preferred;
		return 0;
	}
	if (explicit == NULL)
		return find_made_bucket(plan, preferred, NULL, &why);
	/* A backend that takes no new buckets keeps the ones that it has. */
	if (why.code == COSI_PRECONDITION)
		return find_made_bucket(plan, NULL, generation_find(generation, explicit), &why);
	*plan->status = why;
	return -1;
}

/* Looks for an existing bucket by its native name, where existing_buckets permits it. */
static int
find_existing_bucket(struct plan *plan, const char *native)
{
	const struct generation *generation = plan->generation;
	const struct backend *preferred = route_native_bucket(generation, native);
	const char *explicit =
		plan->req->op == REQUEST_GRANT ? NULL : params_value(plan->req, "backend");
	struct lookup *lookup = lookup_new(plan, native);

	if (lookup == NULL)
		return -1;
	lookup->all_must_answer = true;
	for (size_t i = 0; i < generation->nbackends; i++) {
		struct backend *backend = &generation->backends[i];

		if (may_tell(backend) && route_permits(backend, native) &&
		    (explicit == NULL || strcmp(explicit, backend->name) == 0))
			lookup_add(lookup, backend, native, preferred);
	}
	if (lookup->ncandidates == 1) {
		plan->backend = lookup->candidates[0].backend;
		return 0;
	}
	if (id_may_be_orphan(native))
		status_fail(&lookup->why, COSI_PRECONDITION,
			    "'%s' names no backend, and no backend has a bucket of that name",
			    secret_shown(native).text);
	else
		status_fail(&lookup->why, COSI_NOT_FOUND, "no backend has a bucket '%s'",
			    secret_shown(native).text);
	plan->lookup = lookup;
	return 0;
}

static int
refuse_malformed(const struct plan *plan, const char *id)
{
	bool final = plan->req->op != REQUEST_DELETE;

	return status_fail(plan->status, final ? COSI_INVALID : COSI_PRECONDITION,
			   "'%s' is neither a bucket_id nor the name of a bucket",
			   secret_shown(id).text);
}

static int
plan_by_bucket_id(struct plan *plan)
{
	const struct generation *generation = plan->generation;
	const char *id = plan->req->id;
	struct lookup *lookup;

	plan->native = id;
	plan->backend = id_backend(generation, id, &plan->native);
	if (plan->backend != NULL)
		return 0;
	if (!id_is_native(id))
		return refuse_malformed(plan, id);
	if (id_may_be_orphan(id))
		plan->orphan = id;
	if (plan->req->op == REQUEST_GET)
		return find_existing_bucket(plan, id);
	/* A Delete looks for a bucket with cosid's ownership tags, on every backend. */
	lookup = lookup_new(plan, id);
	if (lookup == NULL)
		return -1;
	lookup->owned_only = true;
	lookup->all_must_answer = true;
	for (size_t i = 0; i < generation->nbackends; i++)
		if (may_tell(&generation->backends[i]))
			lookup_add(lookup, &generation->backends[i], id, NULL);
	status_fail(&lookup->why, COSI_PRECONDITION,
		    "'%s' names no backend, and cosid has created no bucket of that name",
		    secret_shown(id).text);
	plan->lookup = lookup;
	return 0;
}

static int
plan_grant(struct plan *plan)
{
	const struct request *req = plan->req;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *id = req->buckets[i].id;
		struct backend *backend;

		plan->natives[i] = id;
		backend = id_backend(plan->generation, id, &plan->natives[i]);
		if (backend == NULL && !id_is_native(id))
			return refuse_malformed(plan, id);
		if (backend == NULL && plan->orphan == NULL && id_may_be_orphan(id))
			plan->orphan = id;
		if (backend != NULL && plan->backend != NULL && backend != plan->backend)
			return status_fail(plan->status, COSI_OUT_OF_RANGE,
					   "one access cannot span backends '%s' and '%s'",
					   plan->backend->name, backend->name);
		if (backend != NULL)
			plan->backend = backend;
	}
	/* A grant spans no backends: all native names are looked for where the first one is. */
	return plan->backend != NULL ? 0 : find_existing_bucket(plan, req->buckets[0].id);
}

static int
plan_revoke(struct plan *plan)
{
	const struct request *req = plan->req;
	const char *id = req->id;
	struct status refusal = { 0 };

	plan->id = id;
	plan->backend = id_backend(plan->generation, id, &plan->native);
	if (plan->backend == NULL)
		return status_fail(plan->status, COSI_PRECONDITION,
				   "account '%s' is not managed by cosid: its id names no "
				   "configured backend",
				   secret_shown(id).text);
	if (!id_is_native(plan->native) || strlen(id) > ID_MAX)
		return status_fail(plan->status, COSI_INVALID, "account_id '%s' is malformed",
				   secret_shown(id).text);
	if (strncmp(plan->native, ID_ACCOUNT_PREFIX, strlen(ID_ACCOUNT_PREFIX)) != 0)
		return status_fail(plan->status, COSI_PRECONDITION,
				   "account '%s' is not managed by cosid: its name does not begin "
				   "with '%s'",
				   id, ID_ACCOUNT_PREFIX);
	/* The account can have access to buckets of its backend only, and a Grant has made an id of
	 * each of them. */
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native = req->buckets[i].id;
		struct backend *backend = id_backend(plan->generation, native, &native);

		if ((backend == NULL || backend == plan->backend) &&
		    id_format(plan->arena, plan->backend->name, native, &refusal) != NULL)
			plan->natives[i] = native;
	}
	return 0;
}

/* -1 once the request needed more memory than a call has: what else seemed wrong follows from it.
 */
static int
plan_check_memory(const struct plan *plan, int rc)
{
	if (!arena_failed(plan->arena))
		return rc;
	*plan->status = (struct status){ 0 };
	return status_fail(plan->status, COSI_EXHAUSTED, "the request needs too much memory");
}

int
plan_complete(struct plan *plan, struct backend *backend)
{
	bool access = plan->req->op == REQUEST_GRANT || plan->req->op == REQUEST_REVOKE;

	plan->backend = backend;
	if (backend->left_out != NULL)
		return backend_fail_left_out(backend, plan->status);
	return plan_check_memory(plan, access ? plan_access(plan) : plan_bucket(plan));
}

int
plan_request(struct plan *plan)
{
	const struct request *req = plan->req;
	int rc = -1;

	if (plan->generation->nbackends == 0)
		return status_fail(plan->status, COSI_UNAVAILABLE, "no backend is configured");
	plan->natives = arena_alloc(plan->arena, req->nbuckets * sizeof plan->natives[0]);
	if (plan->natives == NULL)
		return plan_check_memory(plan, -1);
	switch (req->op) {
	case REQUEST_CREATE:
		rc = plan_create(plan);
		break;
	case REQUEST_GET:
	case REQUEST_DELETE:
		rc = plan_by_bucket_id(plan);
		break;
	case REQUEST_GRANT:
		rc = plan_grant(plan);
		break;
	case REQUEST_REVOKE:
		rc = plan_revoke(plan);
		break;
	}
	if (rc == 0 && plan->backend != NULL)
		return plan_complete(plan, plan->backend);
	/* No store has to be asked: there is none, or all that could tell are left out. */
	if (rc == 0 && lookup_next(plan->lookup) == NULL) {
		(void)lookup_decide(plan->lookup, plan->status);
		rc = -1;
	}
	return plan_check_memory(plan, rc);
}
