/* SPDX-License-Identifier: Apache-2.0
 * sched.h - sees every call through: plan, queue, locks, deadline, worker, reply.
 *
 *   sched_submit() ─► plan (core/routing) ─► queue of its backend ─► worker ─► reply()
 *
 *   sched  start, the way in, timers, stop     call    a call, its phases and owners
 *   flow   the way from phase to phase         queue, locks   plain structures
 *   generations  reload, status                workers   threads that run handlers
 */
#ifndef COSID_SCHED_SCHED_H
#define COSID_SCHED_SCHED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "module/backend.h"
#include "sched/call.h"

struct sched_config {
	int64_t call_timeout_ms, create_settle_ms;
	unsigned workers;       /* threads at most */
	int64_t worker_idle_ms; /* one without a call for so long ends; 0: 5 s.  Never changes */
	/* Called when sched_reap() may have something to do.  Any thread; must not call the
	 * scheduler.  NULL: not needed. */
	void (*reap)(void *arg);
	void *reap_arg;
};

/* Starts the timer thread and one worker; the others are started when there are calls for them.
 * Takes over a reference on the generation.  NULL with status. */
struct sched *sched_new(const struct sched_config *config, struct generation *generation,
			struct status *status);
/* Ends what waits with UNAVAILABLE, waits for running handlers, joins the threads. */
void sched_free(struct sched *sched);

/* Calls that are submitted from now on are served by this generation and by the limits of config
 * (all but reap).  Takes over a reference.  Calls under way stay with the generation that they
 * began with; its instances stay open until sched_reap() finds each without calls.  Surplus workers
 * end when they have nothing to do.  Queues and locks are the same before and after.  Main thread.
 * 0, or -1: no memory, nothing has changed, and the reference is still the caller's. */
int sched_swap(struct sched *sched, const struct sched_config *config,
	       struct generation *generation, struct status *status);
/* Of the generations that were swapped out, closes those that have no calls any more, and of the
 * others the backends that none of their calls can need; joins workers that have ended.  Main
 * thread.  Returns how many generations are left. */
size_t sched_reap(struct sched *sched);
/* A reference on the generation that serves now, for other uses than calls: it counts like one of
 * its calls until it is returned here, from any thread. */
struct generation *sched_pin(struct sched *sched);
void sched_unpin(struct sched *sched, struct generation *generation);

/* A call whose request rpc has filled in.  A refusal that needs no store is replied to before this
 * returns, on the caller's thread.  Any thread. */
void sched_submit(struct sched *sched, struct call *call);
/* The reply comes at once if it was not given yet; the handler is stopped before its next request.
 * reason: REPLY_CANCELLED, the client went away (code COSI_TIMEOUT), or REPLY_STOPPED, the daemon
 * waits for the call no longer (COSI_UNAVAILABLE); of several the first one counts.  A success that
 * create_settle delays is given as it is.  Also before sched_submit(), which then replies. */
void sched_cancel(struct sched *sched, struct call *call, enum reply_reason reason);
/* From now on create_settle delays no reply, and the delayed ones are given (SIGTERM). */
void sched_answer_at_once(struct sched *sched);

/* DriverGetInfo: the protocols that the current generation serves; 0: no backend. */
uint32_t sched_protocols(struct sched *sched);
/* Valid until sched_free(). */
const char *sched_driver_name(const struct sched *sched);

/* How things are, copied at one moment. */
struct sched_queue { /* of a backend that is, or was, configured */
	char name[33];
	unsigned max_calls, running, waiting;
	unsigned quarantined; /* over, but their locks are kept */
	unsigned late;        /* of those running: more than call_timeout after their deadline */
	uint64_t calls, failed;
	bool failing;      /* the last call that says something of the store was a failure */
	int64_t failure_s; /* when a failure was last seen that may be the store's; 0: never */
	struct status failure;
};
struct sched_draining {  /* an instance that was swapped out and is kept open by calls */
	unsigned number; /* of its generation */
	char backend[33], module[33], version[65];
	unsigned holders;
	int64_t since_s;
	char title[CALL_TITLE_MAX]; /* of the oldest call; "": it is none of the scheduler's */
	int64_t age_ms;
};
struct sched_status {
	struct generation *generation; /* that serves; a reference */
	int64_t since_s;
	unsigned workers; /* that run now; idle ones end after some seconds */
	size_t nqueues, ndraining;
	struct sched_queue *queues;
	struct sched_draining *draining;
};
/* NULL: no memory.  To be returned to the scheduler.  Any thread. */
struct sched_status *sched_status(struct sched *sched);
void sched_status_free(struct sched *sched, struct sched_status *status);

#endif
