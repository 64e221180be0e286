/* SPDX-License-Identifier: Apache-2.0
 * work.c - runs the module's handler and completes its answer. */
#include "router/work.h"

#include <string.h>

#include "config/config.h"
#include "router/id.h"
#include "router/route.h"
#include "router/state.h"

#include "banned.h"

void
work_module_call(const struct call_state *state, struct backend *backend, struct arena *arena,
		 struct status *status, struct module_call *out)
{
	*out = (struct module_call){
		.arena = arena,
		.status = status,
		.backend = backend,
		.deadline_ms = state->deadline_ms,
		.cancelled = &state->cancelled,
		.fields = &state->fields,
	};
	module_call_init(out);
}

int
work_look(struct module_call *call, const char *owner, const char *native, const char *mark_name,
	  struct cosi_bucket *out)
{
	const struct cosi_schema *schema = &call->backend->module->bucket_params;
	const struct cosi_bucket_params common = { 0 };
	void *defaults = arena_alloc(call->arena, schema->size);
	const char *error;

	if (defaults == NULL)
		return status_no_memory(call->status);
	if (config_params(schema, NULL, 0, false, defaults, call->arena, NULL, &error) < 0)
		return status_fail(call->status,
				   arena_failed(call->arena) ? COSI_EXHAUSTED : COSI_INTERNAL,
				   "module '%s': %s", call->backend->module->name, error);
	return backend_get_bucket(call,
				  &(struct cosi_bucket_req){
					  .native = native,
					  .mark = { .owner = owner, .name = mark_name },
					  .common = &common,
					  .params = defaults,
				  },
				  out);
}

static int
answer_bucket(struct call_state *state)
{
	const struct request *req = &state->call->req;
	struct answer *answer = &state->call->answer;
	uint32_t served = state->backend->module->protocols;

	answer->id = state->work.id;
	answer->protocols = answer->bucket.protocols;
	answer->default_protocol = served & -served;
	if ((answer->protocols & req->protocols) != req->protocols)
		return status_fail(&state->status, COSI_INVALID,
				   "bucket '%s' can be spoken to by %s, and %s is asked for",
				   answer->bucket.name, route_protocol_names(answer->protocols),
				   route_protocol_names(req->protocols));
	return 0;
}

static int
create(struct call_state *state, struct module_call *call)
{
	if (backend_create_bucket(call, &state->work.bucket, &state->call->answer.bucket) < 0)
		return -1;
	return answer_bucket(state);
}

static int
refuse_foreign(struct call_state *state, const char *native)
{
	return status_fail(&state->status, COSI_PRECONDITION,
			   "bucket '%s' is not cosid's, and existing_buckets of backend '%s' does "
			   "not let it in",
			   native, state->backend->name);
}

static int
get(struct call_state *state, struct module_call *call)
{
	const struct cosi_bucket_req *req = &state->work.bucket;
	struct cosi_bucket *bucket = &state->call->answer.bucket;

	if (backend_get_bucket(call, req, bucket) < 0)
		return -1;
	if (!bucket->ours && !route_lets_in(state->backend, req->native))
		return refuse_foreign(state, req->native);
	if (bucket->ours && req->mark.params != NULL && bucket->params != NULL &&
	    strcmp(bucket->params, req->mark.params) != 0)
		return status_fail(&state->status, COSI_EXISTS,
				   "bucket '%s' was made with other parameters", req->native);
	return answer_bucket(state);
}

/* Where existing_buckets limits what may be used, a bucket that it does not let in must be ours. */
static int
check_foreign(struct call_state *state, struct module_call *call, const char *native)
{
	struct cosi_bucket bucket = { 0 };

	if (route_lets_in(state->backend, native))
		return 0;
	if (work_look(call, state->generation->config->owner, native, NULL, &bucket) < 0)
		return -1;
	return bucket.ours ? 0 : refuse_foreign(state, native);
}

/* The module's buckets are sorted and without duplicates; the client's are as it named them. */
static int
answer_buckets(struct call_state *state)
{
	const struct request *req = &state->call->req;
	const struct cosi_access_req *asked = &state->work.access;
	struct cosi_access *access = &state->call->answer.access;
	struct cosi_bucket **out = arena_alloc(&state->call->arena, req->nbuckets * sizeof out[0]);

	for (size_t i = 0; out != NULL && i < req->nbuckets; i++) {
		const char *native = req->buckets[i].id;

		(void)id_backend(state->generation, native, &native);
		for (size_t j = 0; j < asked->nbuckets; j++) {
			if (strcmp(asked->buckets[j]->native, native) == 0)
				out[i] = access->buckets[j];
		}
	}
	access->buckets = out;
	return 0;
}

static int
grant(struct call_state *state, struct module_call *call)
{
	const struct cosi_access_req *req = &state->work.access;
	struct answer *answer = &state->call->answer;
	uint32_t served = state->backend->module->protocols;

	for (size_t i = 0; i < req->nbuckets; i++) {
		if (check_foreign(state, call, req->buckets[i]->native) < 0)
			return -1;
	}
	if (backend_grant(call, req, &answer->access) < 0)
		return -1;
	answer->id = state->work.id;
	answer->protocols = req->protocol;
	answer->default_protocol = served & -served;
	return answer_buckets(state);
}

static int
run_by_op(struct call_state *state, struct module_call *call)
{
	switch (state->call->req.op) {
	case REQUEST_CREATE:
		return create(state, call);
	case REQUEST_GET:
		return get(state, call);
	case REQUEST_DELETE:
		return backend_delete_bucket(call, &state->work.bucket);
	case REQUEST_GRANT:
		return grant(state, call);
	case REQUEST_REVOKE:
		return backend_revoke(call, &state->work.access);
	}
	return -1;
}

/* Of Get and Grant: the name of a bucket that is not there, or an id whose backend is gone. */
static const char *
orphan(const struct call_state *state)
{
	const struct request *req = &state->call->req;

	if (req->op == REQUEST_GET && id_may_be_orphan(state->generation, req->id))
		return req->id;
	for (size_t i = 0; req->op == REQUEST_GRANT && i < req->nbuckets; i++) {
		if (id_may_be_orphan(state->generation, req->buckets[i].id))
			return req->buckets[i].id;
	}
	return NULL;
}

/* Clients take NOT_FOUND for "gone", and only what is certain may be told so. */
static void
check_not_found(struct call_state *state, struct status *status)
{
	enum request_op op = state->call->req.op;

	if (op == REQUEST_DELETE || op == REQUEST_REVOKE) {
		status->code = COSI_OK;
		status_fail(status, COSI_INTERNAL, "module '%s' answered NOT_FOUND",
			    state->backend->module->name);
	} else if (orphan(state) != NULL) {
		state->work.astray = true;
		status->code = COSI_OK;
		status_fail(status, COSI_PRECONDITION, "'%.160s' names no backend", orphan(state));
	}
}

void
work_run(struct call_state *state)
{
	struct status *status = &state->status;
	struct module_call call;

	work_module_call(state, state->backend, &state->call->arena, status, &call);
	if (run_by_op(state, &call) < 0 && status_ok(status))
		status_fail(status, COSI_INTERNAL, "module '%s' gave no reason",
			    state->backend->module->name);
	if (arena_failed(&state->call->arena))
		status_fail(status, COSI_EXHAUSTED, "the call needs too much memory");
	if (status->code == COSI_NOT_FOUND)
		check_not_found(state, status);
	state->unknown_ms = call.unknown_ms;
}
