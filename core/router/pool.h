/* SPDX-License-Identifier: Apache-2.0
 * pool.h - the workers: threads that may block in a module's handler.
 *
 * Jobs lie in one queue.  A worker that ends a job takes the next one itself.  Of those that sleep,
 * the last to fall asleep is woken first (its memory is warm), and never more than one is on its
 * way at a time: it wakes the next when it finds more to do.  So a job costs at most one wake, most
 * of them are not paid by the polling thread, and a burst of short jobs costs hardly any.
 */
#ifndef COSID_ROUTER_POOL_H
#define COSID_ROUTER_POOL_H
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/status.h"
#include "router/lane.h"

struct router;
struct worker {
	struct router *router;
	pthread_t thread;
	sem_t wake;
	struct worker *next; /* among those that sleep */
};

/* Under the router's mutex, all of it. */
struct pool {
	struct job_queue queue; /* JOB_POOL */
	struct worker *workers; /* owned */
	unsigned n;
	struct worker *sleeping; /* last to fall asleep first */
	bool waking;             /* one is on its way */
	struct worker *to_wake;  /* by whoever opens the mutex */
};

/* 0 or -1 with status; then nothing is left running. */
int pool_start(struct router *router, unsigned workers, struct status *status);
/* Once router->stopping is set: waits until every worker has ended its job. */
void pool_stop(struct router *router);

/* With the mutex: a job that has its slot (JOB_POOL). */
void pool_push(struct pool *pool, struct job *job);
/* With the mutex: takes it out of the queue again. */
void pool_withdraw(struct pool *pool, struct job *job);

#endif
