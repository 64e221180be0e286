/* SPDX-License-Identifier: Apache-2.0
 * plan.h - what a request comes to: its backend, what the module is asked, which locks that needs.
 *
 *   plan_request()   plan.c: ids and names route themselves, or name a look-up (lookup.h) when only
 *                    the stores can tell which backend has the bucket
 *   plan_complete()  the module's part (plan_module.c), once the backend is known
 *   work_run()       work.c: carries the plan out
 *
 * A plan is pure: no thread, no mutex, no clock, no I/O.  Everything made here lies in the call's
 * arena.
 */
#ifndef COSID_ROUTING_PLAN_H
#define COSID_ROUTING_PLAN_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/status.h"
#include "module/backend.h"
#include "routing/lookup.h"
#include "routing/params.h"
#include "routing/request.h"

/* A bucket or an account that the call has to itself, or shares with others that only use it. */
struct plan_lock {
	const char *name; /* "b:<backend>.<native>" or "a:<backend>.<native>" */
	bool exclusive;
};

struct plan {
	/* Given by the caller, all borrowed; what a module's map_name() may ask for. */
	const struct generation *generation;
	const struct request *req;
	struct arena *arena;
	struct status *status; /* why a function here has failed */
	int64_t deadline_ms;   /* monotonic */
	const atomic_bool *cancelled;
	const struct log_fields *fields;

	/* Made by plan_request() and plan_complete(). */
	struct backend *backend; /* borrowed from the generation; NULL: the look-up finds it */
	struct lookup *lookup;   /* NULL: no store has to be asked */
	const char *native;      /* the bucket's or the account's name in the store */
	const char *id;          /* "<backend>.<native>" */
	const char *bucket_id; /* grant, revoke: of the first bucket; NULL: none on this backend */
	/* The names of request.buckets in the store, one to one; NULL in a Revoke: the account
	 * cannot have access to it. */
	const char **natives;
	const char *orphan; /* an id that may be of a backend that is not configured any more */
	struct params params;
	struct cosi_bucket_req bucket; /* create, get, delete */
	struct cosi_access_req access; /* grant, revoke */
	bool nothing_to_do;            /* a revoke of buckets that the account has no access to */
	size_t nlocks;
	struct plan_lock *locks; /* no name twice */
};

/* Checks the request and sets backend or lookup.  With a backend the plan is complete.  0, or -1
 * with plan->status. */
int plan_request(struct plan *plan);
/* After the look-up, with the backend that it has found.  0, or -1 with plan->status. */
int plan_complete(struct plan *plan, struct backend *backend);

struct work_result {
	int64_t unknown_ms; /* see http.h */
	bool misrouted;     /* the call reached a backend that the id does not name */
};
/* Runs the handler, which blocks.  The outcome is plan->status, with answer set when that is OK. */
void work_run(const struct plan *plan, struct answer *answer, struct work_result *out);

/* ---- within this layer ---- */

/* What a handler of this backend is called with. */
void plan_module_call(const struct plan *plan, struct backend *backend, struct arena *arena,
		      struct status *status, struct module_call *out);
/* Names, parameters, hash and locks, once the backend is known.  0, or -1 with plan->status. */
int plan_bucket(struct plan *plan);
int plan_access(struct plan *plan);
/* Room for n locks; -1: no memory. */
int plan_lock_room(struct plan *plan, size_t n);
void plan_lock_add(struct plan *plan, uint32_t kind, const struct backend *backend,
		   const char *native, bool exclusive);
/* Looks at a bucket of that name, without parameters; tag_name as in struct lookup.  0, or -1 with
 * call->status. */
int work_look(struct module_call *call, const char *owner, const char *native, const char *tag_name,
	      struct cosi_bucket *out);

#endif
