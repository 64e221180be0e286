/* SPDX-License-Identifier: Apache-2.0
 * router.c - start, the way in, and stop.
 *
 * A caller may hold locks of its own when it calls in, as long as its reply() takes none of them.
 */
#include "router/router.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "router/flow.h"
#include "router/plan.h"
#include "router/prepare.h"
#include "router/state.h"
#include "router/swap.h"

#include "banned.h"

/* ---- the mutex --------------------------------------------------------------------- */

void
router_enter(struct router *router)
{
	pthread_mutex_lock(&router->mutex);
	router->holder = pthread_self();
}

static void
let_go(struct call_state *ended)
{
	struct call_state *next;

	for (; ended != NULL; ended = next) {
		next = ended->next_ended;
		call_unref(ended->call);
	}
}

void
router_leave(struct router *router)
{
	struct worker *worker = TAKE(router->pool.to_wake);
	struct call_state *replies = TAKE(router->replies), *ended = TAKE(router->ended), *next;
	bool wake_clock = timers_next_ms(&router->timers) < router->clock_sleeps_until;
	void (*idle)(void *) = router->idle ? router->config.idle : NULL;
	void *idle_arg = router->config.idle_arg;

	/* It is on its way once it was told. */
	if (wake_clock)
		router->clock_sleeps_until = timers_next_ms(&router->timers);
	router->idle = false;
	router->holder = (pthread_t){ 0 };
	pthread_mutex_unlock(&router->mutex);
	if (worker != NULL)
		(void)sem_post(&worker->wake);
	if (wake_clock)
		pthread_cond_signal(&router->clock_wake);
	for (; replies != NULL; replies = next) {
		next = replies->next_reply;
		call_reply(replies);
		call_unref(replies->call);
	}
	let_go(ended);
	if (idle != NULL)
		idle(idle_arg);
}

/* ---- the clock thread --------------------------------------------------------------- */

static void
clock_sleep(struct router *router)
{
	int64_t until_ms = timers_next_ms(&router->timers);
	struct timespec at = { .tv_sec = (time_t)(until_ms / 1000),
			       .tv_nsec = (long)(until_ms % 1000) * 1000000 };

	router->clock_sleeps_until = until_ms;
	router->holder = (pthread_t){ 0 };
	if (until_ms == CLOCK_NEVER)
		pthread_cond_wait(&router->clock_wake, &router->mutex);
	else
		(void)pthread_cond_timedwait(&router->clock_wake, &router->mutex, &at);
	router->holder = pthread_self();
	router->clock_sleeps_until = 0; /* awake: it looks at the timers by itself */
}

static void *
clock_main(void *arg)
{
	struct router *router = arg;
	struct timer *timer;

	router_enter(router);
	while (!router->stopping) {
		timer = timers_pop(&router->timers, clock_mono_ms());
		if (timer == NULL) {
			clock_sleep(router);
			continue;
		}
		timer->fire(timer);
		router_leave(router);
		router_enter(router);
	}
	router_leave(router);
	return NULL;
}

static int
clock_start(struct router *router, struct status *status)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int error;

	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&router->clock_wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&router->clock_thread, NULL, clock_main, router);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		pthread_cond_destroy(&router->clock_wake);
		return status_fail(status, COSI_EXHAUSTED, "cannot start the timer thread: %s",
				   strerrordesc_np(error));
	}
	(void)pthread_setname_np(router->clock_thread, "timer");
	return 0;
}

/* ---- start and stop ----------------------------------------------------------------- */

static void
dispose(struct router *router)
{
	size_t left = router_reap(router);

	assert(left == 0 && TAILQ_EMPTY(&router->calls));
	(void)left;
	lanes_done(&router->lanes);
	locks_done(&router->locks);
	timers_done(&router->timers);
	pthread_mutex_destroy(&router->mutex);
	generation_unref(router->generation);
	free(router->driver_name);
	free(router);
}

static void
stop_workers(struct router *router)
{
	router_enter(router);
	router->stopping = true;
	router_leave(router);
	pool_stop(router);
}

static int
set_driver_name(struct router *router, struct status *status)
{
	router->driver_name = strdup(router->generation->config->driver_name);
	return router->driver_name != NULL ? 0 : status_no_memory(status);
}

struct router *
router_new(const struct router_config *config, struct generation *generation, struct status *status)
{
	struct router *router = calloc(1, sizeof *router);

	if (router == NULL) {
		generation_unref(generation);
		status_no_memory(status);
		return NULL;
	}
	router->config = *config;
	router->config.workers = swap_workers(config);
	router->generation = generation;
	router->generation_since_s = clock_wall_s();
	pthread_mutex_init(&router->mutex, NULL);
	locks_init(&router->locks);
	pool_init(&router->pool);
	TAILQ_INIT(&router->settling);
	TAILQ_INIT(&router->retired);
	TAILQ_INIT(&router->calls);
	if (set_driver_name(router, status) < 0 ||
	    swap_lanes(router, generation, router->config.workers, status) < 0 ||
	    pool_grow(router, 1, status) < 0 || clock_start(router, status) < 0) {
		stop_workers(router);
		dispose(router);
		return NULL;
	}
	return router;
}

int
router_staff(struct router *router, struct status *status)
{
	return pool_grow(router, router->config.workers, status);
}

int
router_poll(struct router *router, void (*poll)(void *arg, const bool *mine), void *arg,
	    struct status *status)
{
	return pool_poll(router, poll, arg, status);
}

void
router_free(struct router *router)
{
	struct timer *timer;

	if (router == NULL)
		return;
	router_enter(router);
	router->stopping = true;
	/* Everything that is not over has a timer. */
	while ((timer = timers_pop(&router->timers, CLOCK_NEVER)) != NULL)
		timer->fire(timer);
	router_leave(router);
	pthread_cond_signal(&router->clock_wake);
	pool_stop(router);
	(void)pthread_join(router->clock_thread, NULL);
	pthread_cond_destroy(&router->clock_wake);
	dispose(router);
}

void
router_drain(struct router *router)
{
	router_enter(router);
	router->draining = true;
	while (!TAILQ_EMPTY(&router->settling))
		flow_expire(TAILQ_FIRST(&router->settling), VERDICT_WORK);
	router_leave(router);
}

/* ---- calls -------------------------------------------------------------------------- */

/* For the log: what the request calls things.  Of several buckets the first. */
static void
name_fields(struct call_state *state)
{
	const struct request *req = &state->call->req;
	const char *bucket = req->nbuckets > 0 ? req->buckets[0].id : NULL;
	struct log_fields *fields = &state->fields;

	*fields = (struct log_fields){ .api = req->api, .method = req->method, .ms = -1 };
	switch (req->op) {
	case REQUEST_CREATE:
		fields->name = req->name;
		break;
	case REQUEST_GET:
	case REQUEST_DELETE:
		fields->bucket = req->id;
		break;
	case REQUEST_GRANT:
		fields->bucket = bucket;
		fields->name = req->name;
		break;
	case REQUEST_REVOKE:
		fields->bucket = bucket;
		fields->account = req->id;
		break;
	}
}

static void
set_deadline(struct call_state *state, int64_t call_timeout_ms)
{
	const struct request *req = &state->call->req;

	state->deadline_ms = req->arrived_ms + call_timeout_ms;
	if (req->deadline_ms < state->deadline_ms)
		state->deadline_ms = req->deadline_ms;
}

static int
plan(struct call_state *state)
{
	char title[CALL_TITLE_MAX];
	int rc = -1;

	if (clock_mono_ms() >= state->deadline_ms)
		status_fail(&state->status, COSI_TIMEOUT, "the deadline passed before it began");
	else
		rc = plan_call(state);
	if (rc == 0 && state->backend != NULL)
		rc = prepare_call(state);
	if (prepare_check_memory(state) < 0 || rc < 0)
		return status_fail(&state->status, COSI_OK, "cannot %s", call_title(state, title));
	return 0;
}

void
router_submit(struct router *router, struct call *call)
{
	struct call_state *state = call->state;
	int64_t call_timeout_ms;

	router_enter(router);
	state->generation = generation_ref(router->generation);
	TAILQ_INSERT_TAIL(&router->calls, state, call_link);
	call_timeout_ms = router->config.call_timeout_ms;
	name_fields(state);
	router_leave(router);
	set_deadline(state, call_timeout_ms);
	if (plan(state) < 0 || state->work.nothing_to_do)
		flow_answer(state);
	else
		flow_begin(state, call->req.alone);
}

void
router_cancel(struct router *router, struct call *call)
{
	router_enter(router);
	flow_expire(call->state, VERDICT_CANCELLED);
	router_leave(router);
}

uint32_t
router_protocols(struct router *router)
{
	uint32_t protocols;

	router_enter(router);
	protocols = router->generation->protocols;
	router_leave(router);
	return protocols;
}

const char *
router_driver_name(struct router *router)
{
	return router->driver_name;
}
