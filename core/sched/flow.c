/* SPDX-License-Identifier: Apache-2.0
 * flow.c - a call's way from its plan to its end; call.h draws the phases.
 *
 *   call_begin() ─► queue ─► call_run(): look-up, handler ─► reply
 *                     ▲                   │                  at once, or after create_settle
 *                     └───────────────────┘ the next store to ask, or the backend it found
 *
 * Two may want to reply: call_run(), and call_interrupt() for the deadline, a cancellation and the
 * end of the scheduler.  The first one does.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "sched/state.h"

#include "banned.h"

void
call_set_reply(struct call *call, enum reply_reason reason)
{
	static const struct status late = { COSI_TIMEOUT, "the deadline passed" };
	struct sched *sched = call->sched;
	struct queue *queue = NULL;

	sched_assert(sched);
	assert(call->reply_state == REPLY_PENDING || call->reply_state == REPLY_DELAYED);
	if (call->reply_state == REPLY_DELAYED)
		TAILQ_REMOVE(&sched->delayed, call, delayed_link);
	call->reply_state = REPLY_DUE;
	call->reason = reason;
	timer_clear(&sched->timers, call);
	/* For the status: the backend's counters. */
	if (call->fields.backend != NULL)
		queue = queues_find(&sched->queues, call->fields.backend);
	if (queue == NULL || (reason == REPLY_RESULT && call->result.misrouted))
		return;
	switch (reason) {
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

/* ---- queue and locks -------------------------------------------------------------------- */

void
calls_dispatch(struct sched *sched, struct call *own)
{
	struct call *call;

	/* None starts once the scheduler stops: each is about to be replied to. */
	while (!sched->stopping && (call = queues_take(&sched->queues)) != NULL) {
		if (call == own)
			call_set_phase(call, CALL_RUNNING);
		else
			workers_push(&sched->workers, call);
	}
}

static void
leave_queue(struct call *call)
{
	struct sched *sched = call->sched;

	if (call->queue == NULL)
		return;
	if (call->phase == CALL_READY)
		TAILQ_REMOVE(&sched->workers.ready, call, queue_link);
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
	calls_dispatch(sched, NULL);
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
	if (call->reply_state != REPLY_PENDING) /* the replying thread reads the fields */
		return;
	/* The name in the queue outlives the generation, which may be closed when the reply is
	 * logged. */
	call->fields.backend = queues_find(&sched->queues, call->needs->name)->name;
	/* A bucket that the request calls by its name in the store is logged by its id, too. */
	if (call->req.op == REQUEST_GRANT || call->req.op == REQUEST_REVOKE)
		call->fields.account = call->plan.id;
	else
		call->fields.bucket = call->plan.id;
	if (call->plan.bucket_id != NULL)
		call->fields.bucket = call->plan.bucket_id;
}

void
call_end_now(struct call *call, enum reply_reason reason)
{
	if (call->reply_state == REPLY_PENDING)
		call_set_reply(call, reason);
	call_end_work(call);
}

/* Into the queue of that backend, by way of the locks, and starts what may run.  A call that a
 * worker has stays CALL_RUNNING if its turn comes at once.  One that would have to wait in a full
 * queue, or cannot get its locks, is refused. */
static void
enter_queue(struct call *call, const struct backend *backend)
{
	struct sched *sched = call->sched;
	struct queue *queue = queues_find(&sched->queues, backend->name);
	bool has_worker = call->phase == CALL_RUNNING;
	int rc;

	leave_queue(call);
	rc = queue_check_room(queue, 0, &call->status);
	if (rc == 0 && !call->locks.drawn && call->locks.n > 0 &&
	    locks_draw(&sched->locks, &call->locks) < 0)
		rc = status_no_memory(&call->status);
	if (rc == 0) {
		queue_join(queue, call);
		if (call->locks.waiting == 0)
			queue_got_locks(call);
		calls_dispatch(sched, has_worker ? call : NULL);
		if (call->phase == CALL_LOCKING || call->phase == CALL_QUEUED)
			rc = queue_check_room(queue, 0, &call->status);
	}
	if (rc < 0) {
		call_add_title(call);
		call_end_now(call, REPLY_RESULT);
	}
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
	enter_queue(call, backend);
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
	bool goes_on;

	sched_enter(sched);
	if (call->queue != queue && call->reply_state == REPLY_PENDING) {
		if (queue_check_room(queue, 1, &full) < 0)
			lookup_failed(call->plan.lookup, candidate, &full);
		else
			enter_queue(call, candidate->backend);
	}
	goes_on = call->phase == CALL_RUNNING;
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
	bool goes_on;

	while (!atomic_load(&call->cancelled) && (candidate = lookup_next(plan->lookup)) != NULL) {
		if (!move_to(call, candidate))
			return false;
		if (candidate->answer == CANDIDATE_OPEN && !atomic_load(&call->cancelled))
			lookup_ask(plan, candidate);
	}
	if (atomic_load(&call->cancelled))
		return true;
	found = lookup_decide(plan->lookup, &call->status);
	if (found == NULL || plan_complete(plan, found) < 0 || call_make_tickets(call) < 0) {
		call_add_title(call);
		return true;
	}
	sched_enter(sched);
	if (call->reply_state == REPLY_PENDING) {
		bool has_locks = call->locks.drawn || call->locks.n == 0;

		confine(call);
		if (!has_locks || call->queue != queues_find(&sched->queues, found->name))
			enter_queue(call, found);
	}
	goes_on = call->phase == CALL_RUNNING;
	sched_leave(sched, call);
	return goes_on;
}

void
call_run(struct call *call)
{
	struct sched *sched = call->sched;
	struct plan *plan = &call->plan;
	int64_t unknown_ms, settled_ms;

	if (plan->backend == NULL && !look_up(call))
		return;
	if (plan->backend != NULL && status_ok(&call->status) && !atomic_load(&call->cancelled))
		work_run(plan, &call->answer, &call->result);
	unknown_ms = call->result.unknown_ms;

	sched_enter(sched);
	settled_ms = call->req.arrived_ms + sched->config.create_settle_ms;
	/* A reply that is delayed up to the deadline meets a client that has just given up. */
	if (call->reply_state == REPLY_PENDING && call->req.delay_reply &&
	    status_ok(&call->status) && unknown_ms == 0 && !sched->answers_at_once &&
	    !sched->stopping && settled_ms > clock_mono_ms() && settled_ms < call->deadline_ms) {
		call->reply_state = REPLY_DELAYED;
		TAILQ_INSERT_TAIL(&sched->delayed, call, delayed_link);
		timer_set(&sched->timers, call, settled_ms);
	} else if (call->reply_state == REPLY_PENDING) {
		call_set_reply(call, REPLY_RESULT);
	}
	if (unknown_ms > 0 && call->locks.drawn && !sched->stopping) {
		/* The store may still carry the request out: the next call waits until it cannot.
		 */
		queue_quarantine(&sched->queues, call);
		timer_set(&sched->timers, call, clock_mono_ms() + unknown_ms);
		drop_generation(call);
		calls_dispatch(sched, NULL);
	} else {
		call_end_work(call);
	}
	sched_leave(sched, call);
}

/* ---- deadline, cancellation, end of the scheduler ---------------------------------------- */

void
call_interrupt(struct call *call, enum reply_reason reason)
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
		call_interrupt(call, call->sched->stopping         ? REPLY_STOPPED
				     : call->phase == CALL_RUNNING ? REPLY_WORK_TIMEOUT
								   : REPLY_QUEUE_TIMEOUT);
}
