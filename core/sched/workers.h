/* SPDX-License-Identifier: Apache-2.0
 * workers.h - the threads that may block in a module's handler.
 *
 * Calls that may run wait in one list.  A worker that ends a call takes the next one itself.  Of
 * the sleeping workers the last one to fall asleep is woken first (its memory is warm); where none
 * sleeps, one more is started, up to the configured number.  Never more than one is being woken or
 * started at a time: it wakes the next when it finds more to do.  So a call costs at most one wake,
 * and a burst of short calls costs hardly any.
 *
 * A worker leaves when it has had nothing to do for a while, or is one too many; the last one
 * stays.  workers_reap() joins it later.
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
	bool on_its_way;     /* was woken or started, and has not looked for a call yet */
	bool gone;           /* has left, or is about to: to be joined */
	struct worker *next; /* among those that sleep */
	TAILQ_ENTRY(worker) link;
};

/* Under the scheduler's mutex, all of it. */
struct workers {
	struct call_list ready;   /* CALL_READY */
	TAILQ_HEAD(, worker) all; /* owned; including those that are gone */
	unsigned n;               /* without those */
	unsigned most;            /* configured */
	int64_t idle_ms;          /* one that sleeps for so long leaves, with its stack */
	struct worker *sleeping;  /* last to fall asleep first */
	bool waking;              /* one is on its way */
	struct worker *to_wake;   /* by sched_leave() */
	bool to_start;            /* likewise: one more */
	int64_t warn_ms;          /* monotonic: no warning that none can be started before */
};

void workers_init(struct workers *workers, unsigned most, int64_t idle_ms);
/* Starts one worker, which n counts already.  0, or -1 with status (NULL: it is logged once a
 * minute): it is not counted any more.  Any thread, without the mutex. */
int workers_start(struct sched *sched, struct status *status);
/* With the mutex: the surplus ones leave, soon. */
void workers_set_most(struct workers *workers, unsigned most);
/* Joins those that have left.  Main thread. */
void workers_reap(struct sched *sched);
/* Once sched->stopping is set: waits until every worker has ended its call. */
void workers_stop(struct sched *sched);

/* With the mutex: a call that is CALL_READY. */
void workers_push(struct workers *workers, struct call *call);
/* With the mutex: takes it out of the list again. */
void workers_withdraw(struct workers *workers, struct call *call);

#endif
