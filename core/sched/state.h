/* SPDX-License-Identifier: Apache-2.0
 * state.h - the scheduler from the inside.
 *
 * One mutex guards everything that calls share.  While it is held, calls move from list to list and
 * nothing else happens: no module and no reply is called under it, and no lock is taken but that of
 * base/secret.c, which masks texts.  Each section under the mutex settles the fate of one call at
 * most: sched_leave() opens the mutex, and then wakes, replies and frees.
 */
#ifndef COSID_SCHED_STATE_H
#define COSID_SCHED_STATE_H
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "sched/call.h"
#include "sched/locks.h"
#include "sched/queue.h"
#include "sched/sched.h"

/* The threads that may block in a module's handler.
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

/* A generation that takes no new calls.  The scheduler's own reference keeps it open, so that no
 * worker ever closes it. */
struct draining {
	struct generation *generation; /* a reference */
	int64_t since_s;               /* wall clock */
	TAILQ_ENTRY(draining) link;
	bool closed[]; /* its backends: only sched_reap() may touch one from then on */
};

struct sched {
	char *driver_name; /* owned */
	pthread_mutex_t mutex;
	pthread_t holder; /* of the mutex, for sched_assert() */
	/* Under the mutex from here on. */
	struct sched_config config;
	struct generation *generation;   /* a reference */
	int64_t generation_since_s;      /* wall clock */
	TAILQ_HEAD(, draining) draining; /* oldest first */
	struct call_list calls;          /* that hold a generation, oldest first */
	struct call_list delayed;        /* that wait for create_settle */
	struct locks locks;
	struct queues queues;
	struct call_list timers; /* earliest first */
	struct workers workers;
	bool stopping;
	bool answers_at_once; /* create_settle counts no more */
	bool reap_due;        /* config.reap() is to be called */
	pthread_t timer_thread;
	pthread_cond_t timer_wake;
	int64_t timer_sleeps_until; /* monotonic ms */
};

void sched_enter(struct sched *sched);
/* Opens the mutex, then does what this section has left to do, for that call, too (NULL: none).
 * The call may be gone when it returns. */
void sched_leave(struct sched *sched, struct call *call);
static inline void
sched_assert(const struct sched *sched)
{
	assert(pthread_equal(sched->holder, pthread_self()));
	(void)sched;
}

/* ---- flow.c: a call's way.  With the mutex, but for call_run(). ------------------------------ */

/* Into the queue of its backend, or of the first one that a look-up asks.  A call that cannot go
 * there is refused. */
void call_begin(struct call *call);
/* Ends a call without running it (on): it was refused or cancelled, or has nothing to do. */
void call_end_now(struct call *call, enum reply_reason reason);
/* On a worker: the look-up, the handler, the outcome.  The call may be gone when it returns. */
void call_run(struct call *call);
/* sched_leave() gives this reply. */
void call_set_reply(struct call *call, enum reply_reason reason);
/* Replies unless that has been done, takes the call out of whatever it waits in, stops its handler
 * before the next request.  A delayed reply is given. */
void call_interrupt(struct call *call, enum reply_reason reason);
/* The call's timer has fired. */
void call_timer(struct call *call);
/* Hands the calls that may run now to the workers, but `own` (NULL: none): its worker goes on with
 * it. */
void calls_dispatch(struct sched *sched, struct call *own);

/* ---- sched.c: points in time for the timer thread.  With the mutex. ----------------------------
 *
 * Setting a timer cannot fail, since the list links the calls.  It looks for its place from the
 * end: most timers are set for later than all others. */

/* Sets the call's timer, or moves it when it is set. */
void timer_set(struct call_list *timers, struct call *call, int64_t at_ms);
/* Whether it is set or not. */
void timer_clear(struct call_list *timers, struct call *call);
/* CLOCK_NEVER when none is set. */
int64_t timers_next_ms(const struct call_list *timers);
/* Takes out the earliest one, when its time has come; NULL: none. */
struct call *timers_pop(struct call_list *timers, int64_t now_ms);

/* ---- workers.c ------------------------------------------------------------------------------ */

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

/* ---- generations.c.  With the mutex. -------------------------------------------------------- */

/* Returns a reference on a generation, never the last one. */
void sched_return_generation(struct sched *sched, struct generation *generation);
/* Queues for its backends, with their limits.  0, or -1 with status: nothing has changed. */
int sched_set_queues(struct sched *sched, const struct generation *generation, unsigned workers,
		     struct status *status);

#endif
