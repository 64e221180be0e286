/* SPDX-License-Identifier: Apache-2.0
 * flow.c - moves calls from one place to the next.
 *
 *   flow_begin ─► locks ─► lane ─► pool ─► run_call ──────────────► flow_finish ─► reply
 *       ▲                                    │ backend not known       │
 *       │                                    ▼                         ├─► settle ─► reply
 *       └──────────── decide ◄── run_ask, one per backend              └─► hold the locks
 *
 * Whoever comes first replies: flow_finish(), or flow_expire() for the deadline, a cancellation and
 * the end of the router.  The other one finds state->replied set.
 */
#include "router/flow.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "router/run.h"

#include "banned.h"

enum { TIMERS_PER_CALL = 2 };

/* ---- the outbox ------------------------------------------------------------------- */

/* For the administrator: how the backend fares. */
static void
count_reply(struct call_state *state)
{
	static const struct status late = { COSI_TIMEOUT, "the deadline passed" };
	struct lane *lane = state->fields.backend == NULL
				    ? NULL
				    : lanes_find(&state->router->lanes, state->fields.backend);

	if (lane == NULL || (state->verdict == VERDICT_WORK && state->work.astray))
		return;
	switch (state->verdict) {
	case VERDICT_WORK:
		lane_count(lane, &state->status);
		break;
	case VERDICT_QUEUE_TIMEOUT:
	case VERDICT_WORK_TIMEOUT:
		lane_count(lane, &late);
		break;
	case VERDICT_CANCELLED:
	case VERDICT_STOPPED:
		lane_count(lane, NULL);
		break;
	}
}

static void
note_reply(struct call_state *state, enum verdict verdict)
{
	struct router *router = state->router;

	router_assert(router);
	assert(!state->replied);
	if (state->settling)
		TAILQ_REMOVE(&router->settling, state, settle_link);
	state->settling = false;
	state->replied = true;
	state->verdict = verdict;
	count_reply(state);
	timer_clear(&router->timers, &state->timer);
	atomic_fetch_add(&state->call->refs, 1);
	state->next_reply = router->replies;
	router->replies = state;
}

static void
let_generation_go(struct call_state *state)
{
	struct router *router = state->router;

	if (state->generation == NULL)
		return;
	TAILQ_REMOVE(&router->calls, state, call_link);
	if (state->needs != NULL)
		state->needs->ncalls--;
	state->needs = NULL;
	router_let_go(router, TAKE(state->generation));
}

static void
note_end(struct call_state *state)
{
	struct router *router = state->router;

	if (!state->replied || state->working || state->holding)
		return;
	let_generation_go(state);
	timers_unreserve(&router->timers, TIMERS_PER_CALL);
	state->next_ended = router->ended;
	router->ended = state;
}

void
flow_confine(struct call_state *state, const struct lane *lane)
{
	struct router *router = state->router;

	router_assert(router);
	assert(state->needs == NULL);
	state->needs = state->backend;
	state->needs->ncalls++;
	/* The others of a generation that was swapped out may be free to go now. */
	if (state->generation != router->generation)
		router->idle = true;
	if (!state->replied)
		call_place(state, lane->name);
}

/* ---- places ----------------------------------------------------------------------- */

void
flow_pump(struct router *router, struct lane *lane)
{
	struct job *job;

	while ((job = lane_next(lane)) != NULL)
		pool_push(&router->pool, job);
}

void
flow_leave_lane(struct router *router, struct job *job)
{
	if (job->at == JOB_NOWHERE)
		return;
	if (job->at == JOB_POOL)
		pool_withdraw(&router->pool, job);
	lane_leave(job);
	flow_pump(router, job->lane);
}

static void
release_locks(struct call_state *state)
{
	struct lock_set *set = locks_release(&state->router->locks, &state->locks), *next;

	for (; set != NULL; set = next) {
		struct job *job = &CALL_OF(set, locks)->job;

		next = set->next;
		lane_ready(job);
		flow_pump(state->router, job->lane);
	}
}

static void
hold_end(struct timer *timer)
{
	struct call_state *state = CALL_OF(timer, hold);

	state->holding = false;
	state->held_in->held--;
	release_locks(state);
	note_end(state);
}

static void
hold_begin(struct call_state *state)
{
	struct router *router = state->router;

	state->holding = true;
	state->held_in = state->job.lane;
	state->held_in->held++;
	state->hold.fire = hold_end;
	timer_set(&router->timers, &state->hold, clock_mono_ms() + state->unknown_ms);
}

void
flow_work_end(struct call_state *state)
{
	struct router *router = state->router;

	router_assert(router);
	flow_leave_lane(router, &state->job);
	state->working = false;
	if (state->unknown_ms > 0 && state->locks.drawn && !router->stopping)
		hold_begin(state);
	else
		release_locks(state);
	note_end(state);
}

/* ---- deadline, cancellation, end of the router ------------------------------------- */

/* Takes out of their lanes the asks that have not begun. */
static void
withdraw_asks(struct call_state *state)
{
	for (size_t i = 0; i < state->find->nasks; i++) {
		struct job *job = &state->find->asks[i].job;

		if (job->at == JOB_NOWHERE || job->at == JOB_RUNS)
			continue;
		flow_leave_lane(state->router, job);
		state->asks_out--;
	}
	if (state->asks_out == 0)
		flow_work_end(state);
}

/* While the call's backend is not known: one that has not answered yet; else NULL. */
static const char *
awaited(const struct call_state *state)
{
	const struct job *job = &state->job;

	if (state->needs != NULL || state->find == NULL)
		return NULL;
	for (size_t i = 0; i < state->find->nasks && job->at == JOB_NOWHERE; i++)
		job = &state->find->asks[i].job;
	return job->at == JOB_NOWHERE ? NULL : job->lane->name;
}

void
flow_expire(struct call_state *state, enum verdict verdict)
{
	router_assert(state->router);
	atomic_store(&state->cancelled, true);
	if (state->replied || (!state->working && !state->settling))
		return;
	state->awaited = awaited(state);
	note_reply(state, state->settling ? VERDICT_WORK : verdict);
	if (!state->working)
		note_end(state);
	else if (state->asks_out > 0)
		withdraw_asks(state);
	else if (state->job.at != JOB_RUNS && state->job.at != JOB_NOWHERE)
		flow_work_end(state);
	/* else a thread is at it and ends it */
}

static void
deadline_fire(struct timer *timer)
{
	struct call_state *state = CALL_OF(timer, timer);
	bool waits = state->asks_out == 0 && state->job.at != JOB_RUNS;

	flow_expire(state, state->router->stopping ? VERDICT_STOPPED
			   : waits                 ? VERDICT_QUEUE_TIMEOUT
						   : VERDICT_WORK_TIMEOUT);
}

/* ---- the work --------------------------------------------------------------------- */

/* An answer that settled up to the deadline would meet a client that has just given up. */
static bool
must_settle(const struct call_state *state, int64_t until_ms)
{
	const struct router *router = state->router;

	return state->call->req.settles && status_ok(&state->status) && !router->draining &&
	       !router->stopping && until_ms > clock_mono_ms() && until_ms < state->deadline_ms;
}

static void
settle(struct call_state *state, int64_t until_ms)
{
	state->settling = true;
	TAILQ_INSERT_TAIL(&state->router->settling, state, settle_link);
	timer_set(&state->router->timers, &state->timer, until_ms);
}

void
flow_finish(struct call_state *state)
{
	struct router *router = state->router;
	int64_t until_ms;

	router_enter(router);
	let_generation_go(state);
	until_ms = state->call->req.arrived_ms + router->config.create_settle_ms;
	if (!state->replied && must_settle(state, until_ms))
		settle(state, until_ms);
	else if (!state->replied)
		note_reply(state, VERDICT_WORK);
	flow_work_end(state);
	router_leave(router);
}

/* ---- the way in ------------------------------------------------------------------- */

/* The backend whose lane it goes through: its own, or the one that is asked first. */
static const struct backend *
lane_backend(const struct call_state *state)
{
	if (state->backend != NULL)
		return state->backend;
	if (state->find->picked != NULL)
		return state->find->picked->backend;
	return state->find->asks[0].backend;
}

static int
begin_first(struct call_state *state)
{
	struct router *router = state->router;

	if (router->stopping)
		return status_fail(&state->status, COSI_UNAVAILABLE, "cosid stops");
	if (timers_reserve(&router->timers, TIMERS_PER_CALL) < 0)
		return status_no_memory(&state->status);
	atomic_fetch_add(&state->call->refs, 1);
	state->working = true;
	state->job.run = run_call;
	state->timer.fire = deadline_fire;
	timer_set(&router->timers, &state->timer, state->deadline_ms);
	return 0;
}

/* Into the lane, by way of the locks.  -1: state->status says why not. */
static int
join(struct call_state *state)
{
	struct router *router = state->router;
	struct job *job = &state->job;
	struct lane *lane = lanes_find(&router->lanes, lane_backend(state)->name);

	if (state->backend != NULL)
		flow_confine(state, lane);
	if (lane_holds_too_much(lane))
		return status_fail(&state->status, COSI_EXHAUSTED,
				   "backend '%s' has left the outcome of too many calls unknown",
				   lane->name);
	if (!state->locks.drawn && state->locks.n > 0 &&
	    locks_draw(&router->locks, &state->locks) < 0)
		return status_no_memory(&state->status);
	lane_join(lane, job);
	if (state->locks.waiting == 0) {
		lane_ready(job);
		flow_pump(router, lane);
	}
	if ((job->at == JOB_LOCKS || job->at == JOB_LANE) && lane_is_full(lane))
		return status_fail(&state->status, COSI_EXHAUSTED,
				   "too many calls wait for backend '%s'", lane->name);
	return 0;
}

static void
refuse(struct call_state *state)
{
	char title[CALL_TITLE_MAX];

	status_fail(&state->status, COSI_OK, "cannot %s", call_title(state, title));
	note_reply(state, VERDICT_WORK);
	flow_work_end(state);
}

/* First time here.  False: it is answered instead. */
static bool
may_begin(struct call_state *state)
{
	if (state->working)
		return true;
	if (atomic_load(&state->cancelled))
		note_reply(state, VERDICT_CANCELLED);
	else if (begin_first(state) < 0)
		note_reply(state, VERDICT_WORK);
	return state->working;
}

void
flow_begin(struct call_state *state, bool relieve)
{
	struct router *router = state->router;

	router_enter(router);
	flow_leave_lane(router, &state->job);
	if (!may_begin(state))
		let_generation_go(state);
	else if (state->replied)
		flow_work_end(state);
	else if (join(state) < 0)
		refuse(state);
	else if (relieve)
		pool_relieve(&router->pool);
	router_leave(router);
}

void
flow_answer(struct call_state *state)
{
	router_enter(state->router);
	let_generation_go(state);
	note_reply(state, VERDICT_WORK);
	router_leave(state->router);
}
