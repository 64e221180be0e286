/* SPDX-License-Identifier: Apache-2.0
 * lane.h - the queue of one backend: who waits for it, and how many work on it at once.
 *
 * Lanes go by the backend's name and outlive every configuration, so that a reload neither loses
 * nor doubles what runs.  A store that hangs fills its own lane and no other.
 *
 *   lane_join()          lane_ready()          lane_next()        lane_leave()
 *   ──► JOB_LOCKS ──────────► JOB_LANE ──────────► JOB_POOL ► JOB_RUNS ──►
 *       its locks are not     waits for one of     has the slot
 *       free yet              max_calls slots
 *
 * A plain structure: whoever uses it holds the router's mutex.
 */
#ifndef COSID_ROUTER_LANE_H
#define COSID_ROUTER_LANE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/status.h"
#include "router/id.h"

enum {
	LANE_WAITING_PER_CALL = 4, /* x max_calls may wait */
	LANE_HELD_PER_CALL = 64,   /* x max_calls may keep locks after an unknown outcome */
};

enum job_at { JOB_NOWHERE = 0, JOB_LOCKS, JOB_LANE, JOB_POOL, JOB_RUNS };

TAILQ_HEAD(job_queue, job);
/* One piece of work for one worker on one backend. */
struct job {
	void (*run)(struct job *); /* on a worker, without the mutex */
	struct lane *lane;
	enum job_at at;
	TAILQ_ENTRY(job) link; /* in the lane's queue or the pool's */
};

struct lane {
	struct lane *next;
	unsigned max_calls;
	unsigned waiting; /* in JOB_LOCKS and JOB_LANE */
	unsigned running; /* in JOB_POOL and JOB_RUNS */
	unsigned held;    /* calls that are over, but keep their locks */
	/* Calls that were answered, and how many of them were refused or failed; the last failure
	 * that may be the store's, and when (wall clock); failing: there was no success since. */
	uint64_t calls, failed;
	bool failing;
	int64_t failure_s;
	struct status failure;
	struct job_queue ready;
	char name[ID_BACKEND_MAX + 1];
};

/* A list of lanes; they are found by name and never removed before lanes_done(). */
struct lanes {
	struct lane *first;
};

/* Makes the lane, or changes its max_calls.  NULL: no memory. */
struct lane *lanes_set(struct lanes *lanes, const char *name, unsigned max_calls);
struct lane *lanes_find(const struct lanes *lanes, const char *name);
void lanes_done(struct lanes *lanes);

/* max_calls as configured (0: not given) within what the workers allow: one of several
 * backends never gets them all. */
unsigned lane_max_calls(int64_t configured, unsigned workers, size_t nbackends);

void lane_join(struct lane *lane, struct job *job);
void lane_ready(struct job *job);
/* The job that gets the next free slot; NULL: none waits, or no slot is free. */
struct job *lane_next(struct lane *lane);
/* From wherever it is, but not out of the pool's queue: that is the pool's to do first. */
void lane_leave(struct job *job);
/* One of its calls is answered with this; NULL: nobody waited for what came of it. */
void lane_count(struct lane *lane, const struct status *status);
/* Do more wait than may wait? */
bool lane_is_full(const struct lane *lane);
/* Are the outcomes of too many calls unknown for anybody to add to them? */
bool lane_holds_too_much(const struct lane *lane);

#endif
