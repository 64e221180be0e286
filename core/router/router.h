/* SPDX-License-Identifier: Apache-2.0
 * router.h - decides which backend owns a request, and sees it through: queue, locks, deadline.
 *
 *   route, map names -> wait in the backend's queue -> locks -> worker: handler -> reply
 *
 * In the order in which a call meets them:
 *   router  submits, cancels, drains        id, params, hash   what ids, parameters and marks mean
 *   plan    which backend, or whom to ask   route              the rule for new and native buckets
 *   prepare, prepare_access                 what the module will be asked, and under which locks
 *   flow    from place to place: locks (tickets), lane (a backend's queue), pool (workers), timer
 *   run     on a worker: find (asks several backends) and work (the handler, the answer)
 *   call    is answered once, and freed     swap               from generation to generation
 */
#ifndef COSID_ROUTER_ROUTER_H
#define COSID_ROUTER_ROUTER_H
#include "module/backend.h"
#include "router/request.h"

struct router_config {
	int64_t call_timeout_ms, create_settle_ms;
	unsigned workers;
	/* Called when router_reap() may have something to do.  Any thread; must not call the
	 * router.  NULL: nobody wants to know. */
	void (*idle)(void *arg);
	void *idle_arg;
};

/* Starts one worker and the timer thread.  Takes over a reference on the generation. */
struct router *router_new(const struct router_config *config, struct generation *generation,
			  struct status *status);
/* Starts the other workers: later, because the socket opens sooner without them, and one is enough
 * for the first calls.  0 or -1 with status.  Main thread. */
int router_staff(struct router *router, struct status *status);
/* From now on one thread at a time, not always the same, runs poll(arg, mine), which takes calls in
 * and returns when there will be no more, or when *mine is false.  That can come about only inside
 * a router_submit() that poll() calls: then another thread polls already, so poll() must return
 * without touching what it shares with it.  There must be nothing left to poll for before
 * router_free(), which joins the thread.  Once.  0 or -1 with status. */
int router_poll(struct router *router, void (*poll)(void *arg, const bool *mine), void *arg,
		struct status *status);
/* Ends what waits with UNAVAILABLE, waits for running handlers, joins the threads. */
void router_free(struct router *router);

/* Calls that come in from now on are served by this generation and by the limits of config (all
 * but idle).  Takes over a reference.  Those under way stay with the generation that they began
 * with; its instances stay open until router_reap() finds each without calls.  Workers that are
 * too many end when they have nothing in hand.  Queues and locks are the same before and after.
 * Main thread. 0, or -1: no memory or no threads, nothing has changed, and the reference is still
 * the caller's. */
int router_swap(struct router *router, const struct router_config *config,
		struct generation *generation, struct status *status);
/* Of the generations that were swapped out, closes those that have no calls any more, and of the
 * others the backends that none of their calls can need; joins workers that have ended.  Main
 * thread.  Returns how many generations are left. */
size_t router_reap(struct router *router);
/* A reference on the generation that serves now, for other things than calls: it counts like one
 * of its calls until it is given back here, from any thread. */
struct generation *router_pin(struct router *router);
void router_unpin(struct router *router, struct generation *generation);

/* How things are, copied at one moment. */
enum { ROUTER_TITLE_MAX = 192 };
struct router_lane { /* the queue of a backend that is, or was, configured */
	char name[33];
	unsigned max_calls, running, waiting, held; /* held: over, but their locks are kept */
	unsigned stuck; /* of those running: for longer than call_timeout beyond their time */
	uint64_t calls, failed;
	bool failing;      /* the last call that says something of the store was a failure */
	int64_t failure_s; /* when a failure was last seen that may be the store's; 0: never */
	struct status failure;
};
struct router_cooling {  /* an instance that was swapped out and is held open by calls */
	unsigned number; /* of its generation */
	char backend[33], module[33], version[65];
	unsigned holders;
	int64_t since_s;
	char title[ROUTER_TITLE_MAX]; /* of the oldest call; "": it is none of the router's */
	int64_t age_ms;
};
struct router_status {
	struct generation *generation; /* that serves; a reference */
	int64_t since_s;
	unsigned workers; /* that run; some may be about to end */
	size_t nlanes, ncooling;
	struct router_lane *lanes;
	struct router_cooling *cooling;
};
/* NULL: no memory.  To be given back to the router.  Any thread. */
struct router_status *router_status(struct router *router);
void router_status_free(struct router *router, struct router_status *status);

/* What never blocks is answered before this returns, on the caller's thread.  Any thread. */
struct call *call_new(struct router *router); /* NULL: no memory; one reference, the caller's */
void call_unref(struct call *call);
void router_submit(struct router *router, struct call *call);
/* The client went away: the reply (CANCELLED text, code COSI_TIMEOUT) comes at once if it was not
 * given yet; the handler is stopped before its next request. */
void router_cancel(struct router *router, struct call *call);
/* From now on create_settle holds nothing back, and what it held is answered (SIGTERM). */
void router_drain(struct router *router);

/* What a log line about the call says: set by router_submit(), the backend too once it is known; to
 * be read from within reply() or after it. */
const struct log_fields *call_fields(const struct call *call);

/* DriverGetInfo: the protocols that the current generation serves; 0: no backend. */
uint32_t router_protocols(struct router *router);
/* Valid until router_free(). */
const char *router_driver_name(struct router *router);

#endif
