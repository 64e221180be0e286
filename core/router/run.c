/* SPDX-License-Identifier: Apache-2.0
 * run.c - what workers do with a call: find its backend when that is not known, run its handler. */
#include "router/run.h"

#include <stddef.h>

#include "router/flow.h"
#include "router/prepare.h"

#include "banned.h"

static void run_ask(struct job *job);

/* Sends one ask to its lane; one that finds it full has failed. */
static void
send_ask(struct call_state *state, struct ask *ask)
{
	struct router *router = state->router;
	struct lane *lane = lanes_find(&router->lanes, ask->backend->name);

	ask->job.run = run_ask;
	lane_join(lane, &ask->job);
	lane_ready(&ask->job);
	flow_pump(router, lane);
	if (ask->job.at == JOB_LANE && lane_is_full(lane)) {
		flow_leave_lane(router, &ask->job);
		ask->result = ASK_FAILED;
		status_fail(&ask->status, COSI_EXHAUSTED, "too many calls wait for it");
		return;
	}
	state->asks_out++;
}

/* From a worker: gives its slot back and asks all whom it has not asked.  False: there is nobody
 * to wait for. */
static bool
send_asks(struct call_state *state)
{
	struct router *router = state->router;
	bool waits;

	router_enter(router);
	flow_leave_lane(router, &state->job);
	for (size_t i = 0; i < state->find->nasks && !state->replied; i++) {
		if (state->find->asks[i].result == ASK_OPEN)
			send_ask(state, &state->find->asks[i]);
	}
	waits = state->asks_out > 0;
	router_leave(router);
	return waits;
}

/* All have answered.  0: the call is ready for its backend; -1: it is refused. */
static int
decide(struct call_state *state)
{
	char title[CALL_TITLE_MAX];

	state->backend = find_decide(state->find, &state->status);
	if (state->backend != NULL && prepare_call(state) == 0)
		return 0;
	return status_fail(&state->status, COSI_OK, "cannot %s", call_title(state, title));
}

static void
decide_and_go(struct call_state *state)
{
	if (decide(state) == 0)
		flow_begin(state, false);
	else
		flow_finish(state);
}

static void
run_ask(struct job *job)
{
	struct ask *ask = (struct ask *)(void *)((char *)job - offsetof(struct ask, job));
	struct call_state *state = ask->owner;
	struct router *router = state->router;
	bool last;

	find_ask(ask);
	router_enter(router);
	flow_leave_lane(router, job);
	last = --state->asks_out == 0;
	if (last && state->replied) {
		flow_work_end(state);
		last = false;
	}
	router_leave(router);
	if (last)
		decide_and_go(state);
}

/* Can the worker that found the backend go on at once, with this slot and these locks? */
static bool
may_stay(const struct call_state *state)
{
	return state->find->picked != NULL && state->backend == state->find->picked->backend &&
	       (state->locks.drawn || state->locks.n == 0);
}

static void
find_run(struct call_state *state)
{
	struct find *find = state->find;

	if (find->picked != NULL)
		find_ask(find->picked);
	if (find->picked == NULL || find->picked->result != ASK_HAS) {
		if (!send_asks(state))
			decide_and_go(state);
		return;
	}
	if (decide(state) == 0 && !may_stay(state)) {
		flow_begin(state, false);
		return;
	}
	if (status_ok(&state->status)) {
		router_enter(state->router);
		flow_confine(state, state->job.lane);
		router_leave(state->router);
		work_run(state);
	}
	flow_finish(state);
}

void
run_call(struct job *job)
{
	struct call_state *state = CALL_OF(job, job);

	if (state->backend == NULL) {
		find_run(state);
		return;
	}
	work_run(state);
	flow_finish(state);
}
