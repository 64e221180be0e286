/* SPDX-License-Identifier: Apache-2.0
 * plan.c - reads ids and names: ours route themselves, others have to be found.
 *
 *   "<configured backend>.<native>"   ours: that backend
 *   anything else                     Revoke: PRECONDITION; Delete: only where our mark is;
 *                                     Get, Grant: the native name of an existing bucket
 */
#include "router/plan.h"

#include <string.h>

#include "router/id.h"
#include "router/prepare.h"
#include "router/route.h"
#include "router/state.h"

#include "banned.h"

static int
refuse_empty(struct call_state *state, const char *text, const char *what)
{
	if (text != NULL && text[0] != '\0')
		return 0;
	return status_fail(&state->status, COSI_INVALID, "%s is empty", what);
}

static bool
can_ask(const struct backend *backend)
{
	return backend->module->get_bucket != NULL;
}

/* Its name for the bucket, or NULL when it could not hold one of that name. */
static const char *
candidate_native(struct call_state *state, struct backend *backend)
{
	const struct request *req = &state->call->req;
	struct arena *arena = &state->call->arena;
	struct status ignored = { 0 };
	struct module_call call;
	const char *native;

	work_module_call(state, backend, arena, &ignored, &call);
	native = backend_map_name(&call, COSI_BUCKET, req->name, req->exact_names);
	if (native == NULL || id_format(arena, backend->name, native, &ignored) == NULL)
		return NULL;
	return native;
}

/* The buckets of that name are locked on every backend that is asked, until it is clear which one
 * it is: nobody deletes or makes one meanwhile. */
static int
lock_candidates(struct call_state *state)
{
	const struct find *find = state->find;

	if (prepare_tickets(state, find->nasks) < 0)
		return -1;
	for (size_t i = 0; i < find->nasks; i++)
		prepare_ticket(state, COSI_BUCKET, find->asks[i].backend, find->asks[i].native,
			       true);
	return 0;
}

/* Only the one that is picked can have it: there is nobody to ask. */
static int
take_picked(struct call_state *state, struct backend *picked, const struct status *why)
{
	state->backend = picked;
	if (picked != NULL)
		return 0;
	state->status = *why;
	return -1;
}

/* Asks the backends that may have made a bucket of that name before; accept_new does not count,
 * since it may have been true then.  only: the one that the class names, or NULL. */
static int
find_made(struct call_state *state, struct backend *picked, const struct backend *only,
	  const struct status *why)
{
	const struct request *req = &state->call->req;
	struct generation *generation = state->generation;
	struct find *find = find_new(state, req->name);

	if (find == NULL)
		return -1;
	find->ours = true;
	find->mark_name = req->name;
	find->otherwise = picked;
	find->why = *why;
	for (size_t i = 0; i < generation->nbackends; i++) {
		struct backend *backend = &generation->backends[i];
		const char *native;

		if ((only != NULL && backend != only) || !route_serves(backend, req->protocols) ||
		    (backend != picked && !can_ask(backend)))
			continue;
		native = candidate_native(state, backend);
		if (native != NULL)
			find_add(find, state, backend, native, picked);
	}
	if (find->nasks == 0 || (find->nasks == 1 && find->picked != NULL))
		return take_picked(state, picked, why);
	state->find = find;
	return lock_candidates(state);
}

static int
plan_create(struct call_state *state)
{
	const struct request *req = &state->call->req;
	const struct generation *generation = state->generation;
	const char *explicit = params_value(req, "backend");
	struct status why = { 0 };
	struct backend *picked;

	if (refuse_empty(state, req->name, "the bucket's name") < 0)
		return -1;
	picked = route_new_bucket(generation, req, &why);
	if (picked != NULL && (explicit != NULL || generation->nbackends == 1))
		return take_picked(state, picked, &why);
	if (explicit == NULL)
		return find_made(state, picked, NULL, &why);
	/* A backend that takes no new buckets keeps the ones that it has. */
	if (why.code == COSI_PRECONDITION)
		return find_made(state, NULL, generation_find(generation, explicit), &why);
	return take_picked(state, NULL, &why);
}

/* Looks for the native name wherever it may be: everywhere for our own mark (Delete), else where
 * existing_buckets lets it in. */
static int
find_native(struct call_state *state, const char *native, bool ours)
{
	struct generation *generation = state->generation;
	const struct backend *first = ours ? NULL : route_native_bucket(generation, native);
	const char *explicit = ours || state->call->req.op == REQUEST_GRANT
				       ? NULL
				       : params_value(&state->call->req, "backend");
	struct find *find = find_new(state, native);

	if (find == NULL)
		return -1;
	find->ours = ours;
	find->all_must_answer = true;
	for (size_t i = 0; i < generation->nbackends; i++) {
		struct backend *backend = &generation->backends[i];

		if (!can_ask(backend) || (!ours && !route_lets_in(backend, native)) ||
		    (explicit != NULL && strcmp(explicit, backend->name) != 0))
			continue;
		find_add(find, state, backend, native, first);
	}
	if (ours)
		status_fail(&find->why, COSI_PRECONDITION,
			    "'%.160s' names no backend, and no bucket of that name is cosid's",
			    native);
	else if (id_may_be_orphan(generation, native))
		status_fail(&find->why, COSI_PRECONDITION,
			    "'%.160s' names no backend, and no backend has a bucket of that name",
			    native);
	else
		status_fail(&find->why, COSI_NOT_FOUND, "no backend has a bucket '%.160s'", native);
	state->find = find;
	if (find->nasks == 1 && !ours) {
		state->backend = find->asks[0].backend;
		state->find = NULL;
	}
	if (find->nasks > 0)
		return 0;
	state->status = find->why;
	return -1;
}

static int
refuse_native(struct call_state *state, const char *id)
{
	bool final = state->call->req.op != REQUEST_DELETE;

	return status_fail(&state->status, final ? COSI_INVALID : COSI_PRECONDITION,
			   "'%.160s' is neither an id of cosid's nor the name of a bucket", id);
}

static int
plan_by_bucket_id(struct call_state *state)
{
	const struct request *req = &state->call->req;
	const char *native;

	if (refuse_empty(state, req->id, "bucket_id") < 0)
		return -1;
	state->backend = id_backend(state->generation, req->id, &native);
	if (state->backend != NULL)
		return 0;
	if (!id_is_native(req->id))
		return refuse_native(state, req->id);
	return find_native(state, req->id, req->op == REQUEST_DELETE);
}

/* The one backend that the ids of a grant name; NULL in *out_backend: all are native names. */
static int
common_backend(struct call_state *state, struct backend **out_backend)
{
	const struct request *req = &state->call->req;
	struct backend *common = NULL;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native;
		struct backend *backend =
			id_backend(state->generation, req->buckets[i].id, &native);

		if (backend == NULL && !id_is_native(req->buckets[i].id))
			return refuse_native(state, req->buckets[i].id);
		if (backend != NULL && common != NULL && backend != common)
			return status_fail(&state->status, COSI_OUT_OF_RANGE,
					   "one access cannot span backends '%s' and '%s'",
					   common->name, backend->name);
		if (backend != NULL)
			common = backend;
	}
	*out_backend = common;
	return 0;
}

static int
plan_grant(struct call_state *state)
{
	const struct request *req = &state->call->req;

	if (refuse_empty(state, req->name, "the account's name") < 0)
		return -1;
	if (req->nbuckets == 0)
		return status_fail(&state->status, COSI_INVALID, "no bucket is named");
	for (size_t i = 0; i < req->nbuckets; i++) {
		if (refuse_empty(state, req->buckets[i].id, "bucket_id") < 0)
			return -1;
	}
	if (common_backend(state, &state->backend) < 0)
		return -1;
	/* A grant spans no backends: all native names are looked for where the first one is. */
	return state->backend != NULL ? 0 : find_native(state, req->buckets[0].id, false);
}

static int
plan_revoke(struct call_state *state)
{
	const struct request *req = &state->call->req;
	const char *native;

	if (refuse_empty(state, req->id, "account_id") < 0)
		return -1;
	state->backend = id_backend(state->generation, req->id, &native);
	if (state->backend == NULL)
		return status_fail(&state->status, COSI_PRECONDITION,
				   "account '%.160s' is not cosid's: its id names no backend",
				   req->id);
	if (!id_is_native(native) || strlen(req->id) > ID_MAX)
		return status_fail(&state->status, COSI_INVALID, "account_id '%.160s' is malformed",
				   req->id);
	if (strncmp(native, ID_ACCOUNT_PREFIX, strlen(ID_ACCOUNT_PREFIX)) != 0)
		return status_fail(&state->status, COSI_PRECONDITION,
				   "account '%s' is not cosid's: its name does not begin with '%s'",
				   req->id, ID_ACCOUNT_PREFIX);
	return 0;
}

static int
plan_by_op(struct call_state *state)
{
	switch (state->call->req.op) {
	case REQUEST_CREATE:
		return plan_create(state);
	case REQUEST_GET:
	case REQUEST_DELETE:
		return plan_by_bucket_id(state);
	case REQUEST_GRANT:
		return plan_grant(state);
	case REQUEST_REVOKE:
		return plan_revoke(state);
	}
	return status_fail(&state->status, COSI_INTERNAL, "unknown operation");
}

int
plan_call(struct call_state *state)
{
	const struct request *req = &state->call->req;

	if (state->generation->nbackends == 0)
		return status_fail(&state->status, COSI_UNAVAILABLE, "no backend is configured");
	if (req->nbuckets > REQUEST_BUCKETS_MAX)
		return status_fail(&state->status, COSI_OUT_OF_RANGE,
				   "%zu buckets in one access, and %d are the limit", req->nbuckets,
				   REQUEST_BUCKETS_MAX);
	return plan_by_op(state);
}
