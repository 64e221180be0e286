/* SPDX-License-Identifier: Apache-2.0
 * find.h - which backend has a bucket: asking the stores themselves.
 *
 * Two questions.  A Create without parameter `backend` asks where a bucket of that name bears our
 * mark already, so that a changed default never gives a name two buckets.  A call by a native name
 * (brownfield) asks where it is.  The backend that is likeliest is asked first and alone; only if
 * it does not have it, all others are asked, at once, each on its own lane.
 */
#ifndef COSID_ROUTER_FIND_H
#define COSID_ROUTER_FIND_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/status.h"
#include "module/backend.h"
#include "router/lane.h"

struct call_state;

enum ask_result { ASK_OPEN = 0, ASK_HAS, ASK_LACKS, ASK_FAILED };

/* One backend being asked.  A job of its own, with memory of its own, since several run at once. */
struct ask {
	struct job job;
	struct call_state *owner;
	struct backend *backend; /* borrowed from the call's generation */
	const char *native;      /* its name for the bucket */
	struct arena arena;
	struct status status; /* why, after ASK_FAILED */
	struct log_fields fields;
	enum ask_result result;
};

struct find {
	const char *name;      /* what the client calls it */
	const char *mark_name; /* the request's name that our mark must bear; NULL: any */
	bool ours;             /* only a bucket with our mark counts */
	bool all_must_answer; /* one that cannot answer makes it UNAVAILABLE, whatever others say */
	struct ask *picked;   /* asked first; NULL: none is likelier */
	struct backend *otherwise; /* where it goes when nobody has it; NULL: the answer is why */
	struct status why;
	size_t nasks;
	struct ask *asks;
};

/* Room for as many asks as the generation has backends, from the call's arena; NULL: no memory. */
struct find *find_new(struct call_state *state, const char *name);
/* Adds one backend to be asked, which is the first one when it is `first`. */
void find_add(struct find *find, struct call_state *state, struct backend *backend,
	      const char *native, const struct backend *first);
/* Frees what the asks hold.  NULL is fine. */
void find_done(struct find *find);

/* Asks one backend, on this thread, which blocks; the outcome is ask->result. */
void find_ask(struct ask *ask);
/* Once all have answered, or the picked one has it: the backend; NULL with status. */
struct backend *find_decide(const struct find *find, struct status *status);

#endif
