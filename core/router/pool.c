/* SPDX-License-Identifier: Apache-2.0
 * pool.c - workers asleep, on their way, at work. */
#include "router/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "router/state.h"

#include "banned.h"

static void
wake_one(struct pool *pool)
{
	struct worker *worker = pool->sleeping;

	if (pool->waking || worker == NULL || TAILQ_EMPTY(&pool->queue))
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

/* The next job; NULL: the router stops. */
static struct job *
take(struct worker *worker)
{
	struct router *router = worker->router;
	struct pool *pool = &router->pool;
	struct job *job;

	router_enter(router);
	while ((job = TAILQ_FIRST(&pool->queue)) == NULL && !router->stopping)
		fall_asleep(worker);
	if (job != NULL) {
		TAILQ_REMOVE(&pool->queue, job, link);
		job->at = JOB_RUNS;
		wake_one(pool);
	}
	router_leave(router);
	return job;
}

static void *
worker_main(void *arg)
{
	struct worker *worker = arg;
	struct job *job;

	while ((job = take(worker)) != NULL)
		job->run(job);
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

int
pool_start(struct router *router, unsigned workers, struct status *status)
{
	struct pool *pool = &router->pool;
	int error = 0;

	TAILQ_INIT(&pool->queue);
	pool->workers = calloc(workers, sizeof pool->workers[0]);
	if (pool->workers == NULL)
		return status_fail(status, COSI_EXHAUSTED, "cannot start workers: out of memory");
	while (pool->n < workers && error == 0) {
		struct worker *worker = &pool->workers[pool->n];

		worker->router = router;
		(void)sem_init(&worker->wake, 0, 0);
		error = start_thread(worker);
		pool->n += error == 0;
	}
	if (error == 0)
		return 0;
	return status_fail(status, COSI_EXHAUSTED, "cannot start worker %u of %u: %s", pool->n + 1,
			   workers, strerrordesc_np(error));
}

void
pool_stop(struct router *router)
{
	struct pool *pool = &router->pool;

	for (unsigned i = 0; i < pool->n; i++)
		(void)sem_post(&pool->workers[i].wake);
	for (unsigned i = 0; i < pool->n; i++) {
		(void)pthread_join(pool->workers[i].thread, NULL);
		(void)sem_destroy(&pool->workers[i].wake);
	}
	free(TAKE(pool->workers));
	pool->n = 0;
}
