/* SPDX-License-Identifier: Apache-2.0
 * state.h - the router and its calls from the inside.
 *
 * One mutex guards everything that calls share.  Nothing is done while it is held but moving things
 * from list to list: replies, wakes and frees are noted in the outbox and done by router_leave()
 * after it has opened the mutex.  No module and no reply is called under it, and no lock but that
 * of base/secret.c, which masks texts.
 */
#ifndef COSID_ROUTER_STATE_H
#define COSID_ROUTER_STATE_H
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "router/find.h"
#include "router/lane.h"
#include "router/locks.h"
#include "router/pool.h"
#include "router/router.h"
#include "router/timer.h"
#include "router/work.h"

/* A generation that takes no new calls.  The router's own reference keeps it open, so that no
 * worker ever closes it. */
struct retired {
	struct generation *generation; /* a reference */
	int64_t since_s;               /* wall clock */
	TAILQ_ENTRY(retired) link;
	bool closed[]; /* its backends: only router_reap() may touch one from then on */
};

struct router {
	char *driver_name; /* owned */
	pthread_mutex_t mutex;
	pthread_t holder; /* of the mutex, for router_assert() */
	/* Under the mutex from here on. */
	struct router_config config;
	struct generation *generation;  /* a reference */
	int64_t generation_since_s;     /* wall clock */
	TAILQ_HEAD(, retired) retired;  /* oldest first */
	TAILQ_HEAD(, call_state) calls; /* that hold a generation, oldest first */
	bool idle;                      /* the outbox: config.idle() is due */
	struct locks locks;
	struct lanes lanes;
	struct timers timers;
	struct pool pool;
	bool draining, stopping;
	TAILQ_HEAD(, call_state) settling;
	struct call_state *replies, *ended; /* the outbox: to be answered, to be let go */
	pthread_t clock_thread;
	pthread_cond_t clock_wake;
	int64_t clock_sleeps_until; /* monotonic ms */
};

/* What the client is told. */
enum verdict {
	VERDICT_WORK = 1, /* what the work came to: call_state.status and call.answer */
	VERDICT_QUEUE_TIMEOUT,
	VERDICT_WORK_TIMEOUT,
	VERDICT_CANCELLED,
	VERDICT_STOPPED,
};

struct call_state {
	struct call *call;
	struct router *router;
	int64_t deadline_ms; /* the client's or ours, whichever is sooner */
	atomic_bool cancelled;

	/* Under the mutex.  A call is let go once it is replied, not working and not holding. */
	bool replied;
	bool working;  /* from flow_begin() to the end of its handler */
	bool settling; /* it has succeeded and waits for create_settle */
	bool holding;  /* it keeps its locks after an unknown outcome */
	enum verdict verdict;
	const char *awaited; /* the lane that a look-up waited for when its time was up, or NULL */
	size_t asks_out;     /* of find: jobs that wait or run */
	struct timer timer;  /* the deadline; then create_settle */
	struct timer hold;
	struct job job; /* the handler's */
	struct lock_set locks;
	struct lane *held_in;
	struct backend *needs; /* the only one that it can still need; NULL: any of them */
	struct call_state *next_reply, *next_ended;
	TAILQ_ENTRY(call_state) settle_link, call_link;

	/* Of the one thread that works on the call; changes hands under the mutex. */
	struct generation *generation; /* a reference, until let_generation_go() */
	struct backend *backend;       /* borrowed from it; NULL: not known yet */
	struct find *find;             /* NULL: no store has to be asked which backend it is */
	struct work work;
	struct status status;
	int64_t unknown_ms; /* see http.h */
	struct log_fields fields;
};

/* "create bucket 'photos'", for texts; returns out. */
enum { CALL_TITLE_MAX = 192 };
const char *call_title(const struct call_state *state, char out[CALL_TITLE_MAX]);
/* For the log: its backend is known, and with it the id of what it makes.  With the mutex, before
 * the reply is noted: whoever has replied may be reading the fields. */
void call_place(struct call_state *state, const char *backend);
/* From within router_leave(): gives the reply that state->verdict says. */
void call_reply(struct call_state *state);

/* With the mutex: gives a reference on a generation back, never the last one. */
void router_let_go(struct router *router, struct generation *generation);
/* With the mutex: how many calls, and others, may need this backend of the generation. */
unsigned router_holders(const struct generation *generation, const struct backend *backend);

void router_enter(struct router *router);
/* Opens the mutex, then does what the outbox says. */
void router_leave(struct router *router);
static inline void
router_assert(const struct router *router)
{
	assert(pthread_equal(router->holder, pthread_self()));
	(void)router;
}

#endif
