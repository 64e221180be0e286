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
#include <stdatomic.h>

#include "sched/call.h"
#include "sched/locks.h"
#include "sched/queue.h"
#include "sched/sched.h"
#include "sched/timers.h"
#include "sched/workers.h"

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
	struct timers timers;
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
/* Ends a call without running it. */
void call_refuse(struct call *call, enum reply_reason reason);
/* On a worker: the look-up, the handler, the outcome.  The call may be gone when it returns. */
void call_run(struct call *call);
/* sched_leave() gives this reply. */
void call_set_reply(struct call *call, enum reply_reason reason);
/* Replies unless that has been done, takes the call out of whatever it waits in, stops its handler
 * before the next request.  A delayed reply is given. */
void call_expire(struct call *call, enum reply_reason reason);
/* The call's timer has fired. */
void call_timer(struct call *call);
/* Hands the calls that may run now to the workers. */
void calls_start(struct sched *sched);

/* ---- generations.c.  With the mutex. ----------------------------------------------------------
 */

/* Returns a reference on a generation, never the last one. */
void sched_return_generation(struct sched *sched, struct generation *generation);
/* How many calls, and others, may need this backend of the generation. */
unsigned sched_holders(const struct generation *generation, const struct backend *backend);
/* Queues for its backends, with their limits.  0, or -1 with status: nothing has changed. */
int sched_set_queues(struct sched *sched, const struct generation *generation, unsigned workers,
		     struct status *status);

#endif
