/* SPDX-License-Identifier: Apache-2.0
 * call.c - calls are made, answered and freed. */
#include <stdio.h>
#include <stdlib.h>

#include "router/state.h"

#include "banned.h"

struct box {
	struct call call;
	struct call_state state;
};

struct call *
call_new(struct router *router)
{
	struct box *box = calloc(1, sizeof *box);

	if (box == NULL)
		return NULL;
	arena_init(&box->call.arena, MODULE_CALL_MEMORY);
	atomic_init(&box->call.refs, 1);
	box->call.state = &box->state;
	box->state.call = &box->call;
	box->state.router = router;
	return &box->call;
}

void
call_unref(struct call *call)
{
	struct call_state *state = call->state;

	if (atomic_fetch_sub(&call->refs, 1) != 1)
		return;
	assert(state->generation == NULL);
	find_done(state->find);
	arena_done(&call->arena);
	free(call); /* the box begins with it */
}

const struct log_fields *
call_fields(const struct call *call)
{
	return &call->state->fields;
}

void
call_place(struct call_state *state, const char *backend)
{
	router_assert(state->router);
	assert(!state->replied);
	state->fields.backend = backend;
	if (state->call->req.op == REQUEST_CREATE)
		state->fields.bucket = state->work.id;
	else if (state->call->req.op == REQUEST_GRANT)
		state->fields.account = state->work.id;
}

const char *
call_title(const struct call_state *state, char out[CALL_TITLE_MAX])
{
	static const char *const verbs[] = {
		[REQUEST_CREATE] = "create bucket", [REQUEST_GET] = "get bucket",
		[REQUEST_DELETE] = "delete bucket", [REQUEST_GRANT] = "grant access for",
		[REQUEST_REVOKE] = "revoke",
	};
	const struct request *req = &state->call->req;
	bool by_name = req->op == REQUEST_CREATE || req->op == REQUEST_GRANT;
	const char *object = by_name ? req->name : req->id;

	(void)snprintf(out, CALL_TITLE_MAX, "%s '%.160s'", verbs[req->op],
		       object != NULL ? object : "");
	return out;
}

/* The arena may be in use by the handler: the texts here need none. */
static void
explain(const struct call_state *state, struct status *status)
{
	const char *backend = state->awaited != NULL ? state->awaited : state->fields.backend;
	char title[CALL_TITLE_MAX];

	(void)call_title(state, title);
	switch (state->verdict) {
	case VERDICT_WORK:
		break;
	case VERDICT_QUEUE_TIMEOUT:
		status_fail(status, COSI_TIMEOUT,
			    "cannot %s: the deadline passed in the queue%s%s%s", title,
			    backend != NULL ? " of backend '" : "", backend != NULL ? backend : "",
			    backend != NULL ? "'" : "");
		break;
	case VERDICT_WORK_TIMEOUT:
		if (state->awaited == NULL)
			status_fail(status, COSI_TIMEOUT,
				    "cannot %s: the deadline passed; the work goes on in the store",
				    title);
		else
			status_fail(status, COSI_TIMEOUT,
				    "cannot %s: cannot tell where bucket '%.160s' is: backend '%s' "
				    "cannot say: it did not answer before the deadline",
				    title, state->find->name, state->awaited);
		break;
	case VERDICT_CANCELLED:
		status_fail(status, COSI_TIMEOUT, "cannot %s: the client has cancelled it", title);
		break;
	case VERDICT_STOPPED:
		status_fail(status, COSI_UNAVAILABLE, "cannot %s: cosid stops", title);
		break;
	}
}

void
call_reply(struct call_state *state)
{
	struct status status = { 0 };

	if (state->verdict == VERDICT_WORK) {
		state->call->reply(state->call, &state->status);
		return;
	}
	explain(state, &status);
	state->call->reply(state->call, &status);
}
