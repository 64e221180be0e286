/* SPDX-License-Identifier: Apache-2.0
 * flow.c - a call's way from its plan to its end; call.h draws the phases.
 *
 *   call_begin() ─► queue ─► call_run(): look-up, handler ─► call_finish() ─► reply
 *                     ▲                   │                       at once, or after create_settle
 *                     └───────────────────┘ the next store to ask, or the backend it found
 *
 * Two may want to reply: call_finish(), and call_expire() for the deadline, a cancellation and the
 * end of the scheduler.  The first one does.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "sched/state.h"

#include "banned.h"

/* ---- the reply -------------------------------------------------------------------------- */

/* For the status: the backend's counters. */
static void
count_reply(struct call *call)
{
	static const struct status late = { COSI_TIMEOUT, "the deadline passed" };
	struct queue *queue = call->fields.backend == NULL
				      ? NULL
				      : queues_find(&call->sched->queues, call->fields.backend);

	if (queue == NULL || (call->reason == REPLY_RESULT && call->result.misrouted))
		return;
	switch (call->reason) {
	case REPLY_RESULT:
		queue_count(queue, &call->status);
		break;
	case REPLY_QUEUE_TIMEOUT:
	case REPLY_WORK_TIMEOUT:
		queue_count(queue, &late);
		break;
	case REPLY_CANCELLED:
	case REPLY_STOPPED:
		queue_count(queue, NULL);
		break;
	}
}

void
call_set_reply(struct call *call, enum reply_reason reason)
{
	struct sched *sched = call->sched;

	sched_assert(sched);
	assert(call->reply_state == REPLY_PENDING || call->reply_state == REPLY_DELAYED);
	if (call->reply_state == REPLY_DELAYED)
		TAILQ_REMOVE(&sched->delayed, call, delayed_link);
	call->reply_state = REPLY_DUE;
	call->reason = reason;
	count_reply(call);
	timer_clear(&sched->timers, &call->timer);
}

/* ---- queue and locks -------------------------------------------------------------------- */

/* Hands the calls that may run now to the workers, all but `own`; returns whether that one may.
 * None starts once the scheduler stops: each is about to be replied to. */
static bool
start_others(struct sched *sched, const struct call *own)
{
	bool own_may_run = false;
	struct call *call;

	while (!sched->stopping && (call = queues_take(&sched->queues)) != NULL) {
		if (call == own)
			own_may_run = true;
		else
			workers_push(&sched->workers, call);
	}
	return own_may_run;
}

void
calls_start(struct sched *sched)
{
	(void)start_others(sched, NULL);
}

static void
leave_queue(struct call *call)
{
	struct sched *sched = call->sched;

	if (call->queue == NULL)
		return;
	if (call->phase == CALL_READY)
		workers_withdraw(&sched->workers, call);
	queue_leave(&sched->queues, call);
}

static void
drop_generation(struct call *call)
{
	if (call->generation == NULL)
		return;
	TAILQ_REMOVE(&call->sched->calls, call, all_link);
	if (call->needs != NULL)
		call->needs->ncalls--;
	call->needs = NULL;
	sched_return_generation(call->sched, TAKE(call->generation));
}

/* The work is over, or was never begun: gives everything back. */
static void
call_end_work(struct call *call)
{
	struct sched *sched = call->sched;
	struct lock_set *next;

	leave_queue(call);
	for (struct lock_set *set = locks_release(&sched->locks, &call->locks); set != NULL;
	     set = next) {
		next = set->next;
		queue_got_locks(CALL_OF(set, locks));
	}
	drop_generation(call);
	call_set_phase(call, CALL_DONE);
	calls_start(sched);
}

/* The call's backend is known: it needs no other one any more. */
static void
confine(struct call *call)
{
	struct sched *sched = call->sched;

	assert(call->needs == NULL);
	call->needs = call->plan.backend;
	call->needs->ncalls++;
	/* The others of a draining generation may be closed now. */
	if (call->generation != sched->generation)
		sched->reap_due = true;
	/* The name in the queue outlives the generation, which may be closed when the reply is
	 * logged. */
	if (call->reply_state == REPLY_PENDING)
		call_set_backend_field(call, queues_find(&sched->queues, call->needs->name)->name);
}

void
call_refuse(struct call *call, enum reply_reason reason)
{
	if (call->reply_state == REPLY_PENDING)
		call_set_reply(call, reason);
	call_end_work(call);
}

/* Into the queue of that backend, by way of the locks, and starts what may run.  A call that would
 * have to wait in a full queue, or cannot get its locks, is refused.  Returns whether a worker that
 * has the call (on_worker) goes on with it at once. */
static bool
enter_queue(struct call *call, const struct backend *backend, bool on_worker)
{
	struct sched *sched = call->sched;
	struct queue *queue = queues_find(&sched->queues, backend->name);
	bool goes_on = false;
	char title[CALL_TITLE_MAX];

	if (queue_quarantine_is_full(queue)) {
		status_fail(&call->status, COSI_EXHAUSTED,
			    "too many calls of backend '%s' have an unknown outcome", queue->name);
	} else if (!call->locks.drawn && call->locks.n > 0 &&
		   locks_draw(&sched->locks, &call->locks) < 0) {
		status_no_memory(&call->status);
	} else {
		queue_join(queue, call);
		if (call->locks.waiting == 0)
			queue_got_locks(call);
		goes_on = start_others(sched, on_worker ? call : NULL);
		if (goes_on)
			call_set_phase(call, CALL_RUNNING);
		else if (call->phase != CALL_READY && queue_is_full(queue))
			status_fail(&call->status, COSI_EXHAUSTED,
				    "too many calls wait for backend '%s'", queue->name);
	}
	if (status_ok(&call->status))
		return goes_on;
	status_fail(&call->status, COSI_OK, "cannot %s", call_title(call, title));
	call_refuse(call, REPLY_RESULT);
	return false;
}

void
call_begin(struct call *call)
{
	const struct plan *plan = &call->plan;
	const struct backend *backend = plan->backend;

	if (backend != NULL)
		confine(call);
	else
		backend = lookup_next(plan->lookup)->backend;
	(void)enter_queue(call, backend, false);
}

/* ---- on a worker ------------------------------------------------------------------------ */

/* Moves the running call to the queue of the store to ask next, so that a store that hangs holds up
 * its own queue alone.  A queue without room makes the candidate one that cannot tell.  False: the
 * call waits there, and another worker goes on with it. */
static bool
move_to(struct call *call, struct candidate *candidate)
{
	struct sched *sched = call->sched;
	struct queue *queue = queues_find(&sched->queues, candidate->backend->name);
	struct status full = { 0 };
	bool goes_on = true;

	sched_enter(sched);
	if (call->queue != queue && call->reply_state == REPLY_PENDING) {
		if (queue_has_room(queue)) {
			leave_queue(call);
			goes_on = enter_queue(call, candidate->backend, true);
		} else {
			status_fail(&full, COSI_EXHAUSTED, "too many calls wait for it");
			lookup_failed(call->plan.lookup, candidate, &full);
		}
	}
	sched_leave(sched, call);
	return goes_on;
}

/* Asks one store after another, then goes to the queue of the backend that has the bucket, or gets
 * it.  False: the call waits in a queue or is over; true: this worker goes on with it. */
static bool
look_up(struct call *call)
{
	struct sched *sched = call->sched;
	struct plan *plan = &call->plan;
	struct candidate *candidate;
	struct backend *found;
	char title[CALL_TITLE_MAX];
	bool goes_on = true;

	while (!atomic_load(&call->cancelled) && (candidate = lookup_next(plan->lookup)) != NULL) {
		if (!move_to(call, candidate))
			return false;
		if (candidate->answer == CANDIDATE_OPEN && !atomic_load(&call->cancelled))
			lookup_ask(plan, candidate);
	}
	if (atomic_load(&call->cancelled))
		return true;
	found = lookup_decide(plan->lookup, &call->status);
	if (found == NULL || plan_found(plan, found) < 0 || call_make_tickets(call) < 0) {
		status_fail(&call->status, COSI_OK, "cannot %s", call_title(call, title));
		return true;
	}
	sched_enter(sched);
	if (call->reply_state == REPLY_PENDING) {
		bool has_locks = call->locks.drawn || call->locks.n == 0;

		confine(call);
		if (!has_locks || call->queue != queues_find(&sched->queues, found->name)) {
			leave_queue(call);
			goes_on = enter_queue(call, found, true);
		}
	}
	sched_leave(sched, call);
	return goes_on;
}

/* A reply that is delayed up to the deadline meets a client that has just given up. */
static bool
must_delay(const struct call *call, int64_t until_ms)
{
	return call->req.delay_reply && status_ok(&call->status) && !call->sched->answers_at_once &&
	       !call->sched->stopping && until_ms > clock_mono_ms() && until_ms < call->deadline_ms;
}

static void
call_finish(struct call *call)
{
	struct sched *sched = call->sched;
	int64_t unknown_ms = call->result.unknown_ms, until_ms;

	sched_enter(sched);
	until_ms = call->req.arrived_ms + sched->config.create_settle_ms;
	if (call->reply_state == REPLY_PENDING && unknown_ms == 0 && must_delay(call, until_ms)) {
		call->reply_state = REPLY_DELAYED;
		TAILQ_INSERT_TAIL(&sched->delayed, call, delayed_link);
		timer_set(&sched->timers, &call->timer, until_ms);
	} else if (call->reply_state == REPLY_PENDING) {
		call_set_reply(call, REPLY_RESULT);
	}
	if (unknown_ms > 0 && call->locks.drawn && !sched->stopping) {
		/* The store may still carry the request out: the next call waits until it cannot.
		 */
		queue_quarantine(&sched->queues, call);
		timer_set(&sched->timers, &call->timer, clock_mono_ms() + unknown_ms);
		drop_generation(call);
		calls_start(sched);
	} else {
		call_end_work(call);
	}
	sched_leave(sched, call);
}

void
call_run(struct call *call)
{
	struct plan *plan = &call->plan;

	if (plan->backend == NULL && !look_up(call))
		return;
	if (plan->backend != NULL && status_ok(&call->status) && !atomic_load(&call->cancelled))
		work_run(plan, &call->answer, &call->result);
	call_finish(call);
}

/* ---- deadline, cancellation, end of the scheduler ---------------------------------------- */

void
call_expire(struct call *call, enum reply_reason reason)
{
	sched_assert(call->sched);
	atomic_store(&call->cancelled, true);
	if (call->reply_state == REPLY_DELAYED) {
		call_set_reply(call, REPLY_RESULT);
		return;
	}
	if (call->reply_state != REPLY_PENDING)
		return;
	if (call->phase != CALL_RUNNING || call->needs == NULL)
		call->awaited = call->queue->name;
	call_set_reply(call, reason);
	if (call->phase != CALL_RUNNING) /* else its worker ends it */
		call_end_work(call);
}

void
call_timer(struct call *call)
{
	if (call->phase == CALL_QUARANTINED)
		call_end_work(call);
	else
		call_expire(call, call->sched->stopping         ? REPLY_STOPPED
				  : call->phase == CALL_RUNNING ? REPLY_WORK_TIMEOUT
								: REPLY_QUEUE_TIMEOUT);
}
