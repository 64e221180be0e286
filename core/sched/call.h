/* SPDX-License-Identifier: Apache-2.0
 * call.h - one COSI call: a request, the plan made of it, its place in the queue, its answer.
 *
 * One allocation with two owners: rpc from call_new() until the answer has left, the scheduler from
 * sched_submit() until the work is over and the reply is given.  The last one frees it.
 *
 *                  ┌────── a look-up continues with another store ────────┐
 *                  ▼                                                      │
 *  NEW ────────► LOCKING ──────► QUEUED ──────► READY ──────► RUNNING ────┤
 *   │ refused    waits for       waits for      waits for     look-up or  │ outcome unknown:
 *   │            its locks       its backend    a worker      handler     │ its locks stay
 *   │              │               │              │             │         ▼
 *   └──────────────┴───────────────┴──────────────┴─────────────┤     QUARANTINED
 *                      deadline, cancellation                   ▼         │
 *                                                             DONE ◄──────┘
 *                                                               │ replied
 *                                                               ▼
 *                                                             ENDED
 */
#ifndef COSID_SCHED_CALL_H
#define COSID_SCHED_CALL_H
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "routing/plan.h"
#include "routing/request.h"
#include "sched/locks.h"

enum call_owner { CALL_OWNER_RPC = 1u << 0, CALL_OWNER_SCHED = 1u << 1 };

enum call_phase {
	CALL_NEW = 0,
	CALL_LOCKING,
	CALL_QUEUED,
	CALL_READY,
	CALL_RUNNING,
	CALL_QUARANTINED,
	CALL_DONE,
	CALL_ENDED,
};

/* The reply goes its own way: at the deadline it is given while a worker is still busy. */
enum call_reply {
	REPLY_PENDING = 0,
	REPLY_DELAYED, /* a success waits for create_settle */
	REPLY_DUE,     /* its reason is known; to be given when the mutex is open */
	REPLY_SENDING, /* being given while the work continues */
	REPLY_SENT,
};

/* What the client is told. */
enum reply_reason {
	REPLY_RESULT = 1, /* what the work came to: call.status and call.answer */
	REPLY_QUEUE_TIMEOUT,
	REPLY_WORK_TIMEOUT,
	REPLY_CANCELLED,
	REPLY_STOPPED,
};

struct sched;
struct queue;
struct call {
	/* rpc's: it fills req out of the arena before sched_submit(). */
	struct arena arena;
	struct request req;
	struct answer answer;
	/* Called exactly once, from any thread, with the outcome: status OK means that answer is
	 * set and stays so until this returns.  On a deadline or a cancellation it is called while
	 * the handler still runs: then touch nothing of the call but what rpc put there itself. */
	void (*reply)(struct call *, const struct status *);
	void *rpc; /* rpc's own */
	atomic_uint owners;

	/* The scheduler's from here on.  Of the one thread that plans or runs the call. */
	struct plan plan;
	struct status status;
	struct work_result result;
	struct log_fields fields;
	int64_t deadline_ms; /* monotonic: the client's or call_timeout, whichever is sooner */
	atomic_bool cancelled;

	/* Under the scheduler's mutex. */
	struct sched *sched;
	enum call_phase phase;
	enum call_reply reply_state;
	enum reply_reason reason;
	struct generation *generation; /* a reference, until the work is over */
	struct backend *needs; /* the only backend that it still uses; NULL: not known yet */
	struct queue *queue;   /* of the backend that it waits for or runs on; or NULL */
	const char *awaited;   /* at the deadline: the backend that it waited for; else NULL */
	/* The deadline; then create_settle, or the end of the quarantine. */
	int64_t timer_ms; /* monotonic */
	bool timer_is_set;
	struct lock_set locks;
	TAILQ_ENTRY(call) queue_link; /* QUEUED: in its queue; READY: in the workers' list */
	TAILQ_ENTRY(call) all_link, delayed_link, timer_link;
};
TAILQ_HEAD(call_list, call);

#define CALL_OF(member_ptr, member)                                                                \
	((struct call *)(void *)((char *)(member_ptr)-offsetof(struct call, member)))

/* NULL: no memory.  Owned by rpc. */
struct call *call_new(void);
/* Wiped and freed with its last owner.  Any thread. */
void call_release(struct call *call, enum call_owner owner);
/* Asserts that the one may follow the other. */
void call_set_phase(struct call *call, enum call_phase phase);
/* Tickets for the locks of the plan, unless they are drawn already.  0, or -1 with call->status. */
int call_make_tickets(struct call *call);

/* What a log line about the call says: set by sched_submit(), the backend too once it is known (and
 * with it the id of what the call creates); to be read from within reply() or after it. */
const struct log_fields *call_fields(const struct call *call);
/* What the request itself says of that. */
void call_init_fields(struct call *call);
/* "create bucket 'photos'", for texts; returns out. */
enum { CALL_TITLE_MAX = 192 };
const char *call_title(const struct call *call, char out[CALL_TITLE_MAX]);
/* Puts "cannot " and the title in front of the text of call->status. */
void call_add_title(struct call *call);
/* Without the mutex: gives the reply that call->reason says. */
void call_send_reply(struct call *call);

#endif
