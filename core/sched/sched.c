/* SPDX-License-Identifier: Apache-2.0
 * sched.c - start, the way in, timers, and stop.
 *
 * A caller may hold locks of its own when it calls in, as long as its reply() takes none of them.
 */
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sched/state.h"

#include "banned.h"

/* ---- the mutex ---------------------------------------------------------------------------- */

void
sched_enter(struct sched *sched)
{
	pthread_mutex_lock(&sched->mutex);
	sched->holder = pthread_self();
}

static void
sched_unlock(struct sched *sched)
{
	sched->holder = (pthread_t){ 0 };
	pthread_mutex_unlock(&sched->mutex);
}

/* What a section under the mutex leaves to be done without it. */
struct after {
	struct worker *wakes; /* NULL: none */
	bool starts_worker, wakes_timer;
	bool replies, frees; /* the call */
	void (*reap)(void *);
	void *reap_arg;
};

/* Is the call over, so that the first one to ask frees it? */
static bool
take_ended(struct call *call)
{
	if (call->phase != CALL_DONE || call->reply_state != REPLY_SENT)
		return false;
	call_set_phase(call, CALL_ENDED);
	return true;
}

static struct after
take_after(struct sched *sched, struct call *call)
{
	struct after after = {
		.wakes = sched->workers.to_wake,
		.starts_worker = sched->workers.to_start,
		.wakes_timer = timers_next_ms(&sched->timers) < sched->timer_sleeps_until,
		.replies = call != NULL && call->reply_state == REPLY_DUE,
		.reap = sched->reap_due ? sched->config.reap : NULL,
		.reap_arg = sched->config.reap_arg,
	};

	sched->workers.to_wake = NULL;
	sched->workers.to_start = false;
	sched->reap_due = false;
	if (after.wakes_timer) /* it is awake as soon as it was told */
		sched->timer_sleeps_until = timers_next_ms(&sched->timers);
	if (after.replies)
		call->reply_state = call->phase == CALL_DONE ? REPLY_SENT : REPLY_SENDING;
	after.frees = call != NULL && take_ended(call);
	return after;
}

void
sched_leave(struct sched *sched, struct call *call)
{
	struct after after = take_after(sched, call);

	sched_unlock(sched);
	if (after.wakes != NULL)
		(void)sem_post(&after.wakes->wake);
	if (after.starts_worker)
		(void)workers_start(sched, NULL);
	if (after.wakes_timer)
		pthread_cond_signal(&sched->timer_wake);
	if (after.replies)
		call_send_reply(call);
	if (after.replies && !after.frees) { /* its worker may have ended it by now */
		sched_enter(sched);
		call->reply_state = REPLY_SENT;
		after.frees = take_ended(call);
		sched_unlock(sched);
	}
	if (after.frees)
		call_release(call, CALL_OWNER_SCHED);
	if (after.reap != NULL)
		after.reap(after.reap_arg);
}

/* ---- timers ------------------------------------------------------------------------------- */

void
timer_set(struct call_list *timers, struct call *call, int64_t at_ms)
{
	struct call *before;

	timer_clear(timers, call);
	call->timer_ms = at_ms;
	call->timer_is_set = true;
	before = TAILQ_LAST(timers, call_list);
	while (before != NULL && before->timer_ms > at_ms)
		before = TAILQ_PREV(before, call_list, timer_link);
	if (before != NULL)
		TAILQ_INSERT_AFTER(timers, before, call, timer_link);
	else
		TAILQ_INSERT_HEAD(timers, call, timer_link);
}

void
timer_clear(struct call_list *timers, struct call *call)
{
	if (call->timer_is_set)
		TAILQ_REMOVE(timers, call, timer_link);
	call->timer_is_set = false;
}

int64_t
timers_next_ms(const struct call_list *timers)
{
	return TAILQ_EMPTY(timers) ? CLOCK_NEVER : TAILQ_FIRST(timers)->timer_ms;
}

struct call *
timers_pop(struct call_list *timers, int64_t now_ms)
{
	struct call *call = TAILQ_FIRST(timers);

	if (call == NULL || call->timer_ms > now_ms)
		return NULL;
	timer_clear(timers, call);
	return call;
}

static void *
timer_main(void *arg)
{
	struct sched *sched = arg;
	struct call *call;

	sched_enter(sched);
	while (!sched->stopping) {
		call = timers_pop(&sched->timers, clock_mono_ms());
		if (call != NULL) {
			call_timer(call);
			sched_leave(sched, call);
			sched_enter(sched);
			continue;
		}
		sched->timer_sleeps_until = timers_next_ms(&sched->timers);
		sched->holder = (pthread_t){ 0 };
		(void)cond_wait_until(&sched->timer_wake, &sched->mutex, sched->timer_sleeps_until);
		sched->holder = pthread_self();
		sched->timer_sleeps_until = 0; /* awake: it looks at the timers by itself */
	}
	sched_leave(sched, NULL);
	return NULL;
}

/* ---- start and stop ----------------------------------------------------------------------- */

/* Once it is stopping, and the timer thread has ended. */
static void
sched_dispose(struct sched *sched)
{
	size_t left;

	workers_stop(sched);
	left = sched_reap(sched);
	assert(left == 0 && TAILQ_EMPTY(&sched->calls));
	(void)left;
	queues_done(&sched->queues);
	locks_done(&sched->locks);
	assert(TAILQ_EMPTY(&sched->timers));
	pthread_cond_destroy(&sched->timer_wake);
	pthread_mutex_destroy(&sched->mutex);
	generation_unref(sched->generation);
	free(sched->driver_name);
	free(sched);
}

struct sched *
sched_new(const struct sched_config *config, struct generation *generation, struct status *status)
{
	struct sched *sched = calloc(1, sizeof *sched);
	int error;

	if (sched == NULL) {
		generation_unref(generation);
		status_no_memory(status);
		return NULL;
	}
	sched->config = *config;
	if (sched->config.workers == 0)
		sched->config.workers = 1;
	sched->generation = generation;
	sched->generation_since_s = clock_wall_s();
	pthread_mutex_init(&sched->mutex, NULL);
	cond_init(&sched->timer_wake);
	workers_init(&sched->workers, sched->config.workers, config->worker_idle_ms);
	TAILQ_INIT(&sched->timers);
	TAILQ_INIT(&sched->delayed);
	TAILQ_INIT(&sched->draining);
	TAILQ_INIT(&sched->calls);
	sched->workers.n = 1;
	sched->driver_name = strdup(generation->config->driver_name);
	if (sched->driver_name == NULL) {
		status_no_memory(status);
	} else if (sched_set_queues(sched, generation, sched->config.workers, status) == 0 &&
		   workers_start(sched, status) == 0) {
		error = thread_start(&sched->timer_thread, "timer", timer_main, sched);
		if (error == 0)
			return sched;
		status_fail(status, COSI_EXHAUSTED, "cannot start the timer thread: %s",
			    strerrordesc_np(error));
	}
	sched_enter(sched);
	sched->stopping = true;
	sched_leave(sched, NULL);
	sched_dispose(sched);
	return NULL;
}

void
sched_free(struct sched *sched)
{
	struct call *call;

	if (sched == NULL)
		return;
	sched_enter(sched);
	sched->stopping = true;
	/* Every call has a timer, but for those that a worker runs although they were replied to:
	 * workers_stop() waits for them. */
	while ((call = timers_pop(&sched->timers, CLOCK_NEVER)) != NULL) {
		call_timer(call);
		sched_leave(sched, call);
		sched_enter(sched);
	}
	sched_leave(sched, NULL);
	pthread_cond_signal(&sched->timer_wake);
	(void)pthread_join(sched->timer_thread, NULL);
	sched_dispose(sched);
}

void
sched_answer_at_once(struct sched *sched)
{
	struct call *call;

	sched_enter(sched);
	sched->answers_at_once = true;
	while ((call = TAILQ_FIRST(&sched->delayed)) != NULL) {
		call_set_reply(call, REPLY_RESULT);
		sched_leave(sched, call);
		sched_enter(sched);
	}
	sched_leave(sched, NULL);
}

/* ---- calls -------------------------------------------------------------------------------- */

void
sched_submit(struct sched *sched, struct call *call)
{
	int rc;

	atomic_fetch_or(&call->owners, CALL_OWNER_SCHED);
	call->sched = sched;
	call_init_fields(call);
	sched_enter(sched);
	call->generation = generation_ref(sched->generation);
	TAILQ_INSERT_TAIL(&sched->calls, call, all_link);
	call->deadline_ms = call->req.arrived_ms + sched->config.call_timeout_ms;
	sched_leave(sched, NULL);

	if (call->req.deadline_ms < call->deadline_ms)
		call->deadline_ms = call->req.deadline_ms;
	call->plan = (struct plan){
		.generation = call->generation,
		.req = &call->req,
		.arena = &call->arena,
		.status = &call->status,
		.deadline_ms = call->deadline_ms,
		.cancelled = &call->cancelled,
		.fields = &call->fields,
	};
	if (clock_mono_ms() >= call->deadline_ms)
		rc = status_fail(&call->status, COSI_TIMEOUT,
				 "the deadline passed before it began");
	else
		rc = plan_request(&call->plan);
	if (rc == 0)
		rc = call_make_tickets(call);
	if (rc < 0)
		call_add_title(call);

	sched_enter(sched);
	if (rc == 0 && sched->stopping)
		rc = status_fail(&call->status, COSI_UNAVAILABLE, "cosid is stopping");
	if (rc < 0 || call->plan.nothing_to_do) {
		call_end_now(call, REPLY_RESULT);
	} else if (atomic_load(&call->cancelled)) {
		call_end_now(call, call->reason);
	} else {
		timer_set(&sched->timers, call, call->deadline_ms);
		call_begin(call);
	}
	sched_leave(sched, call);
}

void
sched_cancel(struct sched *sched, struct call *call, enum reply_reason reason)
{
	assert(reason == REPLY_CANCELLED || reason == REPLY_STOPPED);
	sched_enter(sched);
	if (call->phase != CALL_NEW)
		call_interrupt(call, reason);
	else if (!atomic_exchange(&call->cancelled, true))
		call->reason = reason; /* sched_submit() replies */
	sched_leave(sched, call);
}

uint32_t
sched_protocols(struct sched *sched)
{
	uint32_t protocols;

	sched_enter(sched);
	protocols = sched->generation->protocols;
	sched_leave(sched, NULL);
	return protocols;
}

const char *
sched_driver_name(const struct sched *sched)
{
	return sched->driver_name;
}
