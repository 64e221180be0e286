/* SPDX-License-Identifier: Apache-2.0
 * prepare.c - turns a request into what a module is asked, and says which locks that needs. */
#include "router/prepare.h"

#include <string.h>

#include "config/config.h"
#include "router/hash.h"
#include "router/id.h"
#include "router/route.h"
#include "router/state.h"
#include "router/work.h"

#include "banned.h"

int
prepare_tickets(struct call_state *state, size_t n)
{
	state->locks.tickets = arena_alloc(&state->call->arena, n * sizeof(struct ticket));
	return state->locks.tickets != NULL ? 0 : -1;
}

void
prepare_ticket(struct call_state *state, uint32_t kind, const struct backend *backend,
	       const char *native, bool exclusive)
{
	state->locks.tickets[state->locks.n++] = (struct ticket){
		.name = arena_printf(&state->call->arena, "%c:%s.%s",
				     kind == COSI_BUCKET ? 'b' : 'a', backend->name, native),
		.exclusive = exclusive,
	};
}

/* A Create that had to ask has its locks already. */
static int
lock_bucket(struct call_state *state)
{
	if (state->locks.n > 0)
		return 0;
	if (prepare_tickets(state, 1) < 0)
		return -1;
	prepare_ticket(state, COSI_BUCKET, state->backend, state->work.native, true);
	return 0;
}

int
prepare_check_protocols(struct call_state *state)
{
	const struct backend *backend = state->backend;
	uint32_t asked = state->call->req.protocols;

	if (route_serves(backend, asked))
		return 0;
	return status_fail(&state->status, COSI_INVALID,
			   "backend '%s' speaks %s, and %s is asked for", backend->name,
			   route_protocol_names(backend->module->protocols),
			   route_protocol_names(asked));
}

static void
fill_bucket_req(struct call_state *state)
{
	struct work *work = &state->work;

	work->bucket = (struct cosi_bucket_req){
		.native = work->native,
		.mark = { .owner = state->generation->config->owner },
		.protocols = state->call->req.protocols,
		.common = work->params.common,
		.params = work->params.own,
	};
}

static int
prepare_create(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct arena *arena = &state->call->arena;
	struct work *work = &state->work;
	struct module_call call;

	work_module_call(state, state->backend, arena, &state->status, &call);
	work->native = backend_map_name(&call, COSI_BUCKET, req->name, req->exact_names);
	if (work->native == NULL)
		return -1;
	work->id = id_format(arena, state->backend->name, work->native, &state->status);
	if (work->id == NULL || prepare_check_protocols(state) < 0 ||
	    params_read(&work->params, req, state->backend->module, arena, &state->status) < 0)
		return -1;
	fill_bucket_req(state);
	work->bucket.mark.name = req->name;
	work->bucket.mark.params =
		hash_params(work->params.given, work->params.ngiven, NULL, 0, arena);
	return lock_bucket(state);
}

const char *
prepare_native_of(const struct call_state *state, const char *id)
{
	const char *native = id;

	(void)id_backend(state->generation, id, &native);
	return native;
}

static int
prepare_by_id(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct arena *arena = &state->call->arena;
	struct work *work = &state->work;

	work->native = prepare_native_of(state, req->id);
	work->id = id_format(arena, state->backend->name, work->native, &state->status);
	if (work->id == NULL || prepare_check_protocols(state) < 0 ||
	    params_read(&work->params, req, state->backend->module, arena, &state->status) < 0)
		return -1;
	fill_bucket_req(state);
	if (req->op == REQUEST_DELETE)
		return lock_bucket(state);
	if (work->params.ngiven > 0)
		work->bucket.mark.params =
			hash_params(work->params.given, work->params.ngiven, NULL, 0, arena);
	return 0;
}

static int
prepare_by_op(struct call_state *state)
{
	switch (state->call->req.op) {
	case REQUEST_CREATE:
		return prepare_create(state);
	case REQUEST_GET:
	case REQUEST_DELETE:
		return prepare_by_id(state);
	case REQUEST_GRANT:
		return prepare_grant(state);
	case REQUEST_REVOKE:
		return prepare_revoke(state);
	}
	return status_fail(&state->status, COSI_INTERNAL, "unknown operation");
}

int
prepare_check_memory(struct call_state *state)
{
	if (!arena_failed(&state->call->arena))
		return 0;
	/* Whatever else seemed wrong follows from it. */
	state->status = (struct status){ 0 };
	return status_fail(&state->status, COSI_EXHAUSTED, "the request needs too much memory");
}

int
prepare_call(struct call_state *state)
{
	int rc = prepare_by_op(state);

	return prepare_check_memory(state) < 0 ? -1 : rc;
}
