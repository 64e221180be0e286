/* SPDX-License-Identifier: Apache-2.0
 * pool.h - the workers: threads that may block in a module's handler.
 *
 * Jobs lie in one queue.  A worker that ends a job takes the next one itself.  Of those that sleep,
 * the last to fall asleep is woken first (its memory is warm), and never more than one is on its
 * way at a time: it wakes the next when it finds more to do.  So a job costs at most one wake, most
 * of them are not paid by the polling thread, and a burst of short jobs costs hardly any.
 *
 * One thread more polls for calls, and which one that is changes: the thread that takes in a call
 * which comes alone runs its job, and the worker that would have been woken for the job polls from
 * then on.  So the call itself does not wait for that wake, what comes next may (measured: the
 * wake was 30 us of the 120 that a call took).
 *
 * A pool that shrinks waits for nobody: a worker that is one too many leaves when it has nothing in
 * hand, and is joined later, by pool_reap().
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
	bool polls;          /* written with the mutex by whoever polls; read by this thread */
	bool gone;           /* it has left, or is about to: to be joined */
	struct worker *next; /* among those that sleep */
	TAILQ_ENTRY(worker) link;
};

/* Under the router's mutex, all of it. */
struct pool {
	struct job_queue queue;       /* JOB_POOL */
	TAILQ_HEAD(, worker) workers; /* owned; with those that are gone */
	unsigned n;                   /* without them, and without the one who polls */
	unsigned wanted;
	struct worker *sleeping; /* last to fall asleep first */
	bool waking;             /* one is on its way */
	struct worker *to_wake;  /* by whoever opens the mutex */
	struct worker *poller;   /* NULL: nobody polls */
	/* Set once, before there is a poller. */
	void (*poll)(void *arg, const bool *mine);
	void *poll_arg;
};

void pool_init(struct pool *pool);
/* Starts workers up to that number.  0, or -1 with status: then there are as many as before,
 * or will be soon.  One thread. */
int pool_grow(struct router *router, unsigned workers, struct status *status);
/* What router_poll() says. */
int pool_poll(struct router *router, void (*poll)(void *arg, const bool *mine), void *arg,
	      struct status *status);
/* Joins those that have left.  The same thread. */
void pool_reap(struct router *router);
/* Once router->stopping is set: waits until every worker has ended its job. */
void pool_stop(struct router *router);

/* With the mutex: those above that number leave, soon. */
void pool_shrink(struct pool *pool, unsigned workers);

/* With the mutex: a job that has its slot (JOB_POOL). */
void pool_push(struct pool *pool, struct job *job);
/* The same, on the polling thread, right after a pool_push(): the worker that is about to be woken
 * polls from now on, and this thread becomes a worker.  Nothing, if none is to be woken. */
void pool_relieve(struct pool *pool);
/* With the mutex: takes it out of the queue again. */
void pool_withdraw(struct pool *pool, struct job *job);

#endif
