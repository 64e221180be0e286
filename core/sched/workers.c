/* SPDX-License-Identifier: Apache-2.0
 * workers.c - workers asleep, being woken, at work. */
#include "sched/workers.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "sched/state.h"

#include "banned.h"

static bool
has_surplus(const struct workers *workers)
{
	return workers->n > workers->wanted;
}

static void
wake_next(struct workers *workers)
{
	struct worker *worker = workers->sleeping;

	if (workers->waking || worker == NULL ||
	    (TAILQ_EMPTY(&workers->ready) && !has_surplus(workers)))
		return;
	workers->sleeping = worker->next;
	workers->waking = true;
	workers->to_wake = worker;
}

void
workers_push(struct workers *workers, struct call *call)
{
	assert(call->phase == CALL_READY);
	TAILQ_INSERT_TAIL(&workers->ready, call, queue_link);
	wake_next(workers);
}

void
workers_withdraw(struct workers *workers, struct call *call)
{
	TAILQ_REMOVE(&workers->ready, call, queue_link);
}

/* The next call, CALL_RUNNING from now on; NULL: the worker has to leave. */
static struct call *
worker_take(struct worker *worker)
{
	struct sched *sched = worker->sched;
	struct workers *workers = &sched->workers;
	struct call *call = NULL;

	sched_enter(sched);
	while (TAILQ_EMPTY(&workers->ready) && !sched->stopping && !has_surplus(workers)) {
		worker->next = workers->sleeping;
		workers->sleeping = worker;
		sched_leave(sched, NULL);
		while (sem_wait(&worker->wake) < 0 && errno == EINTR)
			continue;
		sched_enter(sched);
		workers->waking = false;
	}
	if (!has_surplus(workers))
		call = TAILQ_FIRST(&workers->ready);
	if (call != NULL) {
		TAILQ_REMOVE(&workers->ready, call, queue_link);
		call_set_phase(call, CALL_RUNNING);
	} else {
		worker->gone = true;
		workers->n--;
		sched->reap_due |= !sched->stopping;
	}
	if (!sched->stopping || call != NULL)
		wake_next(workers);
	sched_leave(sched, NULL);
	return call;
}

static void *
worker_main(void *arg)
{
	struct worker *worker = arg;
	struct call *call;

	while ((call = worker_take(worker)) != NULL)
		call_run(call);
	return NULL;
}

void
workers_init(struct workers *workers)
{
	TAILQ_INIT(&workers->ready);
	TAILQ_INIT(&workers->all);
}

static void
worker_free(struct worker *worker)
{
	(void)sem_destroy(&worker->wake);
	free(worker);
}

/* 0 or an errno value. */
static int
worker_add(struct sched *sched)
{
	struct worker *worker = calloc(1, sizeof *worker);
	struct workers *workers = &sched->workers;
	int error;

	if (worker == NULL)
		return ENOMEM;
	worker->sched = sched;
	(void)sem_init(&worker->wake, 0, 0);
	sched_enter(sched);
	TAILQ_INSERT_TAIL(&workers->all, worker, link);
	workers->n++;
	sched_leave(sched, NULL);
	error = thread_start(&worker->thread, "worker", worker_main, worker);
	if (error == 0)
		return 0;
	sched_enter(sched);
	TAILQ_REMOVE(&workers->all, worker, link);
	workers->n--;
	sched_leave(sched, NULL);
	worker_free(worker);
	return error;
}

int
workers_grow(struct sched *sched, unsigned wanted, struct status *status)
{
	struct workers *workers = &sched->workers;
	unsigned before, n;
	int error = 0;

	sched_enter(sched);
	before = workers->wanted;
	n = workers->n;
	if (wanted > before)
		workers->wanted = wanted;
	sched_leave(sched, NULL);
	for (; n < wanted && error == 0; n++)
		error = worker_add(sched);
	if (error == 0)
		return 0;
	sched_enter(sched);
	workers_shrink(workers, before);
	sched_leave(sched, NULL);
	return status_fail(status, COSI_EXHAUSTED, "cannot start worker %u of %u: %s", n, wanted,
			   strerrordesc_np(error));
}

void
workers_shrink(struct workers *workers, unsigned n)
{
	workers->wanted = n;
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
	struct worker *worker;

	TAILQ_FOREACH(worker, &workers->all, link)
		(void)sem_post(&worker->wake);
	TAILQ_FOREACH(worker, &workers->all, link)
		(void)pthread_join(worker->thread, NULL);
	/* Until the last one has ended, one may still be woken by another. */
	while ((worker = TAILQ_FIRST(&workers->all)) != NULL) {
		TAILQ_REMOVE(&workers->all, worker, link);
		worker_free(worker);
	}
}
