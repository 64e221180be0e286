/* SPDX-License-Identifier: Apache-2.0
 * workers.h - the threads that may block in a module's handler.
 *
 * Calls that may run wait in one list.  A worker that ends a call takes the next one itself.  Of
 * the sleeping workers the last one to fall asleep is woken first (its memory is warm), and never
 * more than one is being woken at a time: it wakes the next when it finds more to do.  So a call
 * costs at most one wake, and a burst of short calls costs hardly any.
 *
 * Reducing the number does not wait: a worker that is one too many leaves when it has nothing to
 * do, and is joined later by workers_reap().
 */
#ifndef COSID_SCHED_WORKERS_H
#define COSID_SCHED_WORKERS_H
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/status.h"
#include "sched/call.h"

struct worker {
	struct sched *sched;
	pthread_t thread;
	sem_t wake;
	bool gone;           /* has left, or is about to: to be joined */
	struct worker *next; /* among those that sleep */
	TAILQ_ENTRY(worker) link;
};

/* Under the scheduler's mutex, all of it. */
struct workers {
	struct call_list ready;   /* CALL_READY */
	TAILQ_HEAD(, worker) all; /* owned; including those that are gone */
	unsigned n;               /* without those */
	unsigned wanted;
	struct worker *sleeping; /* last to fall asleep first */
	bool waking;             /* one is being woken */
	struct worker *to_wake;  /* by sched_leave() */
};

void workers_init(struct workers *workers);
/* Starts workers up to that number.  0, or -1 with status: then there are as many as before, or
 * will be soon.  Main thread. */
int workers_grow(struct sched *sched, unsigned wanted, struct status *status);
/* With the mutex: those above that number leave, soon. */
void workers_shrink(struct workers *workers, unsigned n);
/* Joins those that have left.  Main thread. */
void workers_reap(struct sched *sched);
/* Once sched->stopping is set: waits until every worker has ended its call. */
void workers_stop(struct sched *sched);

/* With the mutex: a call that is CALL_READY. */
void workers_push(struct workers *workers, struct call *call);
/* With the mutex: takes it out of the list again. */
void workers_withdraw(struct workers *workers, struct call *call);

#endif
