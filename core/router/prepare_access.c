/* SPDX-License-Identifier: Apache-2.0
 * prepare_access.c - the same for grants and revokes: an account and its buckets. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "router/hash.h"
#include "router/id.h"
#include "router/prepare.h"
#include "router/route.h"
#include "router/state.h"

#include "banned.h"

static int
by_native(const void *a, const void *b)
{
	const struct cosi_bucket_ref *const *left = a, *const *right = b;

	return strcmp((*left)->native, (*right)->native);
}

/* Sorts; folds those that are named twice into one. */
static int
set_buckets(struct call_state *state, const struct cosi_bucket_ref **refs, size_t n)
{
	size_t kept = 0;

	qsort(refs, n, sizeof(const struct cosi_bucket_ref *), by_native);
	for (size_t i = 0; i < n; i++) {
		bool again = kept > 0 && strcmp(refs[kept - 1]->native, refs[i]->native) == 0;

		if (again && refs[kept - 1]->mode != refs[i]->mode)
			return status_fail(&state->status, COSI_INVALID,
					   "bucket '%s' is named with two access modes",
					   refs[i]->native);
		if (!again)
			refs[kept++] = refs[i];
	}
	state->work.access.nbuckets = kept;
	state->work.access.buckets = refs;
	return 0;
}

/* One bucket of a grant: ours by its id, or a native one that may be let in. */
static int
granted_bucket(struct call_state *state, const struct request_bucket *asked,
	       struct cosi_bucket_ref *out)
{
	const struct backend *backend = state->backend;
	uint32_t mode = state->call->req.mode_is_param ? state->work.params.mode : asked->mode;
	const char *native = prepare_native_of(state, asked->id);

	if (id_format(&state->call->arena, backend->name, native, &state->status) == NULL)
		return -1;
	if (native == asked->id && !route_lets_in(backend, native))
		return status_fail(&state->status, COSI_NOT_FOUND,
				   "backend '%s' lets no bucket '%s' in (existing_buckets)",
				   backend->name, native);
	if (mode < COSI_READ_WRITE || mode > COSI_WRITE_ONLY)
		return status_fail(&state->status, COSI_INVALID,
				   "the access mode for bucket '%.160s' is missing", asked->id);
	*out = (struct cosi_bucket_ref){ .native = native, .mode = mode };
	return 0;
}

static int
granted_buckets(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct arena *arena = &state->call->arena;
	struct cosi_bucket_ref *store = arena_alloc(arena, req->nbuckets * sizeof store[0]);
	const struct cosi_bucket_ref **refs = arena_alloc(arena, req->nbuckets * sizeof refs[0]);

	if (store == NULL || refs == NULL)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		if (granted_bucket(state, &req->buckets[i], &store[i]) < 0)
			return -1;
		refs[i] = &store[i];
	}
	return set_buckets(state, refs, req->nbuckets);
}

static int
check_auth(struct call_state *state)
{
	uint32_t asked = state->call->req.auth;

	if (asked == 0)
		return status_fail(&state->status, COSI_INVALID,
				   "the authentication type is missing");
	if ((state->backend->module->auth & asked) == asked)
		return 0;
	return status_fail(&state->status, COSI_INVALID, "backend '%s' cannot authenticate by %s",
			   state->backend->name,
			   asked == COSI_AUTH_KEY ? "key" : "service account");
}

/* The module may shorten what we make of the name, but the prefix says whose it is. */
static int
name_account(struct call_state *state)
{
	struct arena *arena = &state->call->arena;
	const char *plain = id_account_native(arena, state->call->req.name), *native;
	struct module_call call;

	work_module_call(state, state->backend, arena, &state->status, &call);
	native = backend_map_name(&call, COSI_ACCOUNT, plain, false);
	if (native == NULL)
		return -1;
	if (strncmp(native, ID_ACCOUNT_PREFIX, strlen(ID_ACCOUNT_PREFIX)) != 0)
		return status_fail(&state->status, COSI_INTERNAL,
				   "module '%s' names an account '%.160s', not '%s...'",
				   state->backend->module->name, native, ID_ACCOUNT_PREFIX);
	state->work.native = native;
	state->work.id = id_format(arena, state->backend->name, native, &state->status);
	return state->work.id != NULL ? 0 : -1;
}

/* Grants and revokes of one account exclude each other; buckets are excluded from being deleted,
 * and from each other where a grant edits the bucket itself. */
static int
lock_access(struct call_state *state)
{
	const struct cosi_access_req *access = &state->work.access;
	bool edits = (state->backend->module->flags & COSI_GRANT_WRITES_BUCKET) != 0;
	bool revoke = state->call->req.op == REQUEST_REVOKE;

	if (prepare_tickets(state, 1 + access->nbuckets) < 0)
		return -1;
	prepare_ticket(state, COSI_ACCOUNT, state->backend, state->work.native, true);
	for (size_t i = 0; i < access->nbuckets && (edits || !revoke); i++)
		prepare_ticket(state, COSI_BUCKET, state->backend, access->buckets[i]->native,
			       edits);
	return 0;
}

static void
fill_access_req(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct cosi_access_req *access = &state->work.access;

	access->native = state->work.native;
	access->mark = (struct cosi_mark){ .owner = state->generation->config->owner };
	access->protocol = req->protocols;
	access->auth = req->auth;
	access->service_account = req->service_account;
	access->params = state->work.params.own;
}

int
prepare_grant(struct call_state *state)
{
	const struct request *req = &state->call->req;
	uint32_t served = state->backend->module->protocols;
	struct arena *arena = &state->call->arena;
	struct work *work = &state->work;

	if (name_account(state) < 0 || check_auth(state) < 0 ||
	    prepare_check_protocols(state) < 0 ||
	    params_read(&work->params, req, state->backend->module, arena, &state->status) < 0 ||
	    granted_buckets(state) < 0)
		return -1;
	fill_access_req(state);
	work->access.mark.name = req->name;
	work->access.mark.params = hash_params(work->params.given, work->params.ngiven,
					       work->access.buckets, work->access.nbuckets, arena);
	if (req->protocols == 0)
		work->access.protocol = served & -served; /* its first */
	return lock_access(state);
}

/* The buckets of a revoke that the account can have access to: those of its backend.  Whatever else
 * is named, it has no access to. */
static int
revoked_buckets(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct arena *arena = &state->call->arena;
	struct cosi_bucket_ref *store = arena_alloc(arena, req->nbuckets * sizeof store[0]);
	const struct cosi_bucket_ref **refs = arena_alloc(arena, req->nbuckets * sizeof refs[0]);
	size_t n = 0;

	if (store == NULL || refs == NULL)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *id = req->buckets[i].id, *native = id;
		struct backend *backend = id_backend(state->generation, id, &native);

		if ((backend != NULL && backend != state->backend) || !id_is_native(native))
			continue;
		store[n].native = native;
		refs[n] = &store[n];
		n++;
	}
	return set_buckets(state, refs, n);
}

/* The bucket that v1alpha1 names is of use only where the access lies in the bucket itself: a
 * module would have to search all of them for it. */
int
prepare_revoke(struct call_state *state)
{
	const struct request *req = &state->call->req;
	bool edits = (state->backend->module->flags & COSI_GRANT_WRITES_BUCKET) != 0;
	struct work *work = &state->work;

	work->native = prepare_native_of(state, req->id);
	work->id = req->id;
	if (params_read(&work->params, req, state->backend->module, &state->call->arena,
			&state->status) < 0 ||
	    revoked_buckets(state) < 0)
		return -1;
	fill_access_req(state);
	if (lock_access(state) < 0)
		return -1;
	if (req->whole_account && !edits)
		work->access.nbuckets = 0;
	else if (!req->whole_account)
		work->nothing_to_do = req->nbuckets > 0 && work->access.nbuckets == 0;
	return 0;
}
