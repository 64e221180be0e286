/* SPDX-License-Identifier: Apache-2.0
 * workers.c - workers started, asleep, being woken, at work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "sched/state.h"

#include "banned.h"

enum { IDLE_MS = 5000, WARN_EVERY_MS = 60000 };

static bool
has_surplus(const struct workers *workers)
{
	return workers->n > workers->most;
}

/* One more worker is on its way, if there is something to do for it. */
static void
wake_next(struct workers *workers)
{
	struct worker *worker = workers->sleeping;

	if (workers->waking || (TAILQ_EMPTY(&workers->ready) && !has_surplus(workers)))
		return;
	if (worker != NULL) {
		workers->sleeping = worker->next;
		worker->on_its_way = true;
		workers->to_wake = worker;
	} else if (workers->n < workers->most) {
		workers->n++;
		workers->to_start = true;
	} else {
		return;
	}
	workers->waking = true;
}

void
workers_push(struct workers *workers, struct call *call)
{
	assert(call->phase == CALL_READY);
	TAILQ_INSERT_TAIL(&workers->ready, call, queue_link);
	wake_next(workers);
}

/* ---- a worker ------------------------------------------------------------------------------- */

/* With the mutex, which it opens for the time of its sleep.  False: nothing has woken it for so
 * long that it may leave. */
static bool
worker_sleep(struct worker *worker)
{
	struct sched *sched = worker->sched;
	struct workers *workers = &sched->workers;
	int64_t until_ms = clock_mono_ms() + workers->idle_ms;
	const struct timespec until = { .tv_sec = until_ms / 1000,
					.tv_nsec = until_ms % 1000 * 1000000 };
	bool may_leave = workers->n > 1;
	struct worker **at;
	int rc;

	worker->next = workers->sleeping;
	workers->sleeping = worker;
	sched_leave(sched, NULL);
	do
		rc = may_leave ? sem_clockwait(&worker->wake, CLOCK_MONOTONIC, &until)
			       : sem_wait(&worker->wake);
	while (rc < 0 && errno == EINTR);
	sched_enter(sched);
	if (worker->on_its_way) {
		worker->on_its_way = false;
		workers->waking = false;
		return true;
	}
	for (at = &workers->sleeping; *at != worker; at = &(*at)->next)
		continue;
	*at = worker->next;
	return rc == 0 || workers->n == 1;
}

static void *
worker_main(void *arg)
{
	struct worker *worker = arg;
	struct sched *sched = worker->sched;
	struct workers *workers = &sched->workers;
	struct call *call;

	for (;;) {
		bool stays = true;

		sched_enter(sched);
		if (worker->on_its_way) { /* it has just been started */
			worker->on_its_way = false;
			workers->waking = false;
		}
		while (stays && TAILQ_EMPTY(&workers->ready) && !sched->stopping &&
		       !has_surplus(workers))
			stays = worker_sleep(worker);
		call = has_surplus(workers) ? NULL : TAILQ_FIRST(&workers->ready);
		if (call != NULL) {
			TAILQ_REMOVE(&workers->ready, call, queue_link);
			call_set_phase(call, CALL_RUNNING);
		} else {
			worker->gone = true;
			workers->n--;
			sched->reap_due |= !sched->stopping;
		}
		if (!sched->stopping)
			wake_next(workers);
		sched_leave(sched, NULL);
		if (call == NULL)
			return NULL;
		call_run(call);
	}
}

static void
worker_free(struct worker *worker)
{
	(void)sem_destroy(&worker->wake);
	free(worker);
}

/* ---- all of them ---------------------------------------------------------------------------- */

void
workers_init(struct workers *workers, unsigned most, int64_t idle_ms)
{
	TAILQ_INIT(&workers->ready);
	TAILQ_INIT(&workers->all);
	workers->most = most;
	workers->idle_ms = idle_ms > 0 ? idle_ms : IDLE_MS;
}

int
workers_start(struct sched *sched, struct status *status)
{
	struct workers *workers = &sched->workers;
	struct worker *worker = calloc(1, sizeof *worker);
	int64_t now_ms = clock_mono_ms();
	unsigned n, most;
	int error = ENOMEM;
	bool warns;

	if (worker != NULL) {
		worker->sched = sched;
		worker->on_its_way = true;
		(void)sem_init(&worker->wake, 0, 0);
		error = thread_start(&worker->thread, "worker", worker_main, worker);
	}
	if (error == 0) {
		sched_enter(sched);
		TAILQ_INSERT_TAIL(&workers->all, worker, link);
		sched_leave(sched, NULL);
		return 0;
	}
	if (worker != NULL)
		worker_free(worker);
	/* The calls wait for the workers that there are. */
	sched_enter(sched);
	n = workers->n--;
	most = workers->most;
	workers->waking = false;
	warns = status == NULL && now_ms >= workers->warn_ms;
	if (warns)
		workers->warn_ms = now_ms + WARN_EVERY_MS;
	sched_leave(sched, NULL);
	if (warns)
		log_warning("cannot start worker thread %u of %u: %s", n, most,
			    strerrordesc_np(error));
	return status == NULL ? -1
			      : status_fail(status, COSI_EXHAUSTED, "cannot start a worker: %s",
					    strerrordesc_np(error));
}

void
workers_set_most(struct workers *workers, unsigned most)
{
	workers->most = most;
	wake_next(workers);
}

void
workers_reap(struct sched *sched)
{
	struct workers *workers = &sched->workers;
	struct worker *worker;

	do {
		sched_enter(sched);
		TAILQ_FOREACH(worker, &workers->all, link) {
			if (worker->gone)
				break;
		}
		if (worker != NULL)
			TAILQ_REMOVE(&workers->all, worker, link);
		sched_leave(sched, NULL);
		if (worker == NULL)
			return;
		(void)pthread_join(worker->thread, NULL);
		worker_free(worker);
	} while (true);
}

void
workers_stop(struct sched *sched)
{
	struct workers *workers = &sched->workers;
	struct worker *worker, *joined = NULL;

	/* One that is being started comes into the list before the worker that starts it ends. */
	do {
		sched_enter(sched);
		worker = TAILQ_FIRST(&workers->all);
		if (worker != NULL)
			TAILQ_REMOVE(&workers->all, worker, link);
		sched_leave(sched, NULL);
		if (worker == NULL)
			break;
		(void)sem_post(&worker->wake);
		(void)pthread_join(worker->thread, NULL);
		worker->next = joined;
		joined = worker;
	} while (true);
	/* Until the last one has ended, one may still be woken by another. */
	while ((worker = joined) != NULL) {
		joined = worker->next;
		worker_free(worker);
	}
}
