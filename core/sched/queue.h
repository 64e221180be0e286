/* SPDX-License-Identifier: Apache-2.0
 * queue.h - the queue of each backend: which calls wait for it, and how many it may run at once.
 *
 * Queues go by the backend's name and outlive every configuration, so that a reload neither loses
 * nor doubles what runs.
 *
 *   queue_join()        queue_got_locks()        queues_take()       queue_leave()
 *   ──► CALL_LOCKING ──────► CALL_QUEUED ──────► CALL_READY, CALL_RUNNING ──►
 *
 * A backend may run up to max_calls calls (workers, if the configuration sets none).  Every backend
 * has a guaranteed share of the workers; the rest goes to the backends that have calls.  So a busy
 * backend uses all workers but the free shares of the others, and a store that hangs cannot take
 * those.
 *
 * A plain structure: callers hold the scheduler's mutex.
 */
#ifndef COSID_SCHED_QUEUE_H
#define COSID_SCHED_QUEUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sched/call.h"

enum {
	QUEUE_WAITING_PER_CALL = 4,      /* x max_calls may wait */
	QUEUE_QUARANTINED_PER_CALL = 16, /* x max_calls may keep locks after unknown outcomes */
};

struct queue {
	struct queue *next;
	unsigned max_calls;
	unsigned share;       /* of the workers, guaranteed */
	unsigned waiting;     /* CALL_LOCKING and CALL_QUEUED */
	unsigned running;     /* CALL_READY and CALL_RUNNING */
	unsigned quarantined; /* calls that are over, but keep their locks */
	/* Calls that were answered, and how many of them were refused or failed; the last failure
	 * that may be the store's, and when (wall clock); failing: there was no success since. */
	uint64_t calls, failed;
	bool failing;
	int64_t failure_s;
	struct status failure;
	struct call_list queued;
	char name[ID_BACKEND_MAX + 1];
};

struct queues {
	struct queue *first;
	struct queue *turn; /* is served first by the next queues_take() */
	unsigned workers;
	unsigned running;    /* of all queues */
	unsigned free_share; /* the sum of what the queues may still run of their shares */
};

/* NULL: no memory.  One that is made runs nothing before queues_configure(). */
struct queue *queues_add(struct queues *queues, const char *name);
struct queue *queues_find(const struct queues *queues, const char *name);
/* Forgets the limits of all queues, which then run only what no other needs; queue_configure()
 * follows for those of the new configuration. */
void queues_configure(struct queues *queues, unsigned workers);
/* max_calls: as configured; 0: not given.  nbackends: of the configuration. */
void queue_configure(struct queues *queues, struct queue *queue, int64_t max_calls,
		     size_t nbackends);
/* All must be empty. */
void queues_done(struct queues *queues);

void queue_join(struct queue *queue, struct call *call);
/* The call has its locks. */
void queue_got_locks(struct call *call);
/* The next call that may run; NULL: none waits, or none may. */
struct call *queues_take(struct queues *queues);
/* From any phase in the queue; the caller sets the next one.  Not out of the workers' queue: that
 * is the workers' to do first. */
void queue_leave(struct queues *queues, struct call *call);

/* The running call is over, but keeps its locks until queue_leave(). */
void queue_quarantine(struct queues *queues, struct call *call);

/* Whether the calls that wait, and that many more, may wait here, and calls may still keep their
 * locks after an unknown outcome.  0, or -1 with EXHAUSTED in status. */
int queue_check_room(const struct queue *queue, unsigned more, struct status *status);

/* One of its calls is answered with this; NULL: the client did not wait for the outcome. */
void queue_count(struct queue *queue, const struct status *status);

#endif
