/* SPDX-License-Identifier: Apache-2.0
 * pool.c - workers asleep, on their way, at work; and the one who polls. */
#include "router/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "router/state.h"

#include "banned.h"

static bool
has_too_many(const struct pool *pool)
{
	return pool->n > pool->wanted;
}

static void
wake_one(struct pool *pool)
{
	struct worker *worker = pool->sleeping;

	if (pool->waking || worker == NULL || (TAILQ_EMPTY(&pool->queue) && !has_too_many(pool)))
		return;
	pool->sleeping = worker->next;
	pool->waking = true;
	pool->to_wake = worker;
}

void
pool_push(struct pool *pool, struct job *job)
{
	TAILQ_INSERT_TAIL(&pool->queue, job, link);
	wake_one(pool);
}

void
pool_relieve(struct pool *pool)
{
	struct worker *next = pool->to_wake;

	assert(pool->poller != NULL);
	if (next == NULL)
		return;
	pool->poller->polls = false;
	pool->poller = next;
	next->polls = true;
}

void
pool_withdraw(struct pool *pool, struct job *job)
{
	TAILQ_REMOVE(&pool->queue, job, link);
}

static void
fall_asleep(struct worker *worker)
{
	struct router *router = worker->router;

	worker->next = router->pool.sleeping;
	router->pool.sleeping = worker;
	router_leave(router);
	while (sem_wait(&worker->wake) < 0 && errno == EINTR)
		continue;
	router_enter(router);
	router->pool.waking = false;
}

static bool
may_stay(const struct router *router)
{
	return !router->stopping && !has_too_many(&router->pool);
}

/* It will be joined, and wakes the next one that has to go. */
static void
leave(struct worker *worker)
{
	struct router *router = worker->router;

	worker->gone = true;
	router->pool.n--;
	if (router->stopping)
		return;
	router->idle = true;
	wake_one(&router->pool);
}

/* The next job; NULL: the worker has to poll, or to go. */
static struct job *
take(struct worker *worker)
{
	struct router *router = worker->router;
	struct pool *pool = &router->pool;
	struct job *job = NULL;

	router_enter(router);
	while (!worker->polls && TAILQ_EMPTY(&pool->queue) && may_stay(router))
		fall_asleep(worker);
	if (!worker->polls && !has_too_many(pool))
		job = TAILQ_FIRST(&pool->queue);
	if (job != NULL) {
		TAILQ_REMOVE(&pool->queue, job, link);
		job->at = JOB_RUNS;
	}
	if (job != NULL || worker->polls)
		wake_one(pool);
	else
		leave(worker);
	router_leave(router);
	return job;
}

/* Until it is relieved, or there is nothing to poll for any more. */
static void
poll_calls(struct worker *worker)
{
	struct router *router = worker->router;

	router->pool.poll(router->pool.poll_arg, &worker->polls);
	if (!worker->polls)
		return;
	router_enter(router);
	router->pool.poller = NULL;
	worker->gone = true;
	router_leave(router);
}

static void *
worker_main(void *arg)
{
	struct worker *worker = arg;

	while (!worker->gone) {
		struct job *job = take(worker);

		if (job != NULL)
			job->run(job);
		else if (worker->polls)
			poll_calls(worker);
	}
	return NULL;
}

/* Signals are the main thread's. */
static int
start_thread(struct worker *worker)
{
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&worker->thread, NULL, worker_main, worker);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		(void)pthread_setname_np(worker->thread, "worker");
	return error;
}

void
pool_init(struct pool *pool)
{
	TAILQ_INIT(&pool->queue);
	TAILQ_INIT(&pool->workers);
}

static struct worker *
worker_new(struct router *router)
{
	struct worker *worker = calloc(1, sizeof *worker);

	if (worker == NULL)
		return NULL;
	worker->router = router;
	(void)sem_init(&worker->wake, 0, 0);
	return worker;
}

static void
worker_free(struct worker *worker)
{
	(void)sem_destroy(&worker->wake);
	free(worker);
}

static void
count_worker(struct worker *worker)
{
	struct pool *pool = &worker->router->pool;

	router_enter(worker->router);
	TAILQ_INSERT_TAIL(&pool->workers, worker, link);
	if (worker->polls)
		pool->poller = worker;
	else
		pool->n++;
	router_leave(worker->router);
}

static void
discount_worker(struct worker *worker)
{
	struct pool *pool = &worker->router->pool;

	router_enter(worker->router);
	TAILQ_REMOVE(&pool->workers, worker, link);
	if (worker->polls)
		pool->poller = NULL;
	else
		pool->n--;
	router_leave(worker->router);
}

/* 0 or an errno value. */
static int
add_worker(struct router *router, bool polls)
{
	struct worker *worker = worker_new(router);
	int error;

	if (worker == NULL)
		return ENOMEM;
	worker->polls = polls;
	count_worker(worker);
	error = start_thread(worker);
	if (error == 0)
		return 0;
	discount_worker(worker);
	worker_free(worker);
	return error;
}

int
pool_grow(struct router *router, unsigned workers, struct status *status)
{
	struct pool *pool = &router->pool;
	unsigned before, n;
	int error = 0;

	router_enter(router);
	before = pool->wanted;
	n = pool->n;
	if (workers > before)
		pool->wanted = workers;
	router_leave(router);
	for (; n < workers && error == 0; n++)
		error = add_worker(router, false);
	if (error == 0)
		return 0;
	router_enter(router);
	pool_shrink(pool, before);
	router_leave(router);
	return status_fail(status, COSI_EXHAUSTED, "cannot start worker %u of %u: %s", n, workers,
			   strerrordesc_np(error));
}

int
pool_poll(struct router *router, void (*poll)(void *arg, const bool *mine), void *arg,
	  struct status *status)
{
	int error;

	router->pool.poll = poll;
	router->pool.poll_arg = arg;
	error = add_worker(router, true);
	if (error == 0)
		return 0;
	return status_fail(status, COSI_EXHAUSTED, "cannot start the polling thread: %s",
			   strerrordesc_np(error));
}

void
pool_shrink(struct pool *pool, unsigned workers)
{
	pool->wanted = workers;
	wake_one(pool);
}

static struct worker *
take_gone(struct router *router)
{
	struct worker *worker;

	router_enter(router);
	TAILQ_FOREACH(worker, &router->pool.workers, link) {
		if (worker->gone)
			break;
	}
	if (worker != NULL)
		TAILQ_REMOVE(&router->pool.workers, worker, link);
	router_leave(router);
	return worker;
}

void
pool_reap(struct router *router)
{
	struct worker *worker;

	while ((worker = take_gone(router)) != NULL) {
		(void)pthread_join(worker->thread, NULL);
		worker_free(worker);
	}
}

void
pool_stop(struct router *router)
{
	struct pool *pool = &router->pool;
	struct worker *worker;

	TAILQ_FOREACH(worker, &pool->workers, link)
		(void)sem_post(&worker->wake);
	TAILQ_FOREACH(worker, &pool->workers, link)
		(void)pthread_join(worker->thread, NULL);
	/* Until the last one has ended, one may still be woken by another. */
	while ((worker = TAILQ_FIRST(&pool->workers)) != NULL) {
		TAILQ_REMOVE(&pool->workers, worker, link);
		worker_free(worker);
	}
}
