/* SPDX-License-Identifier: Apache-2.0
 * lookup.h - which backend has a bucket: what the stores say, and what that means.
 *
 * Three questions.  A Create without parameter `backend` asks where a bucket of that name carries
 * cosid's ownership tags already, so that a changed default never gives a name two buckets.  A Get
 * or Grant by a native name asks where that bucket is, and a Delete by a native name where cosid
 * has created one.  The preferred backend is asked first, and only if it does not have the bucket
 * the others are asked, one after another.
 */
#ifndef COSID_ROUTING_LOOKUP_H
#define COSID_ROUTING_LOOKUP_H
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "module/backend.h"

enum candidate_answer { CANDIDATE_OPEN = 0, CANDIDATE_HAS, CANDIDATE_LACKS, CANDIDATE_FAILED };

struct candidate {
	struct backend *backend; /* borrowed from the plan's generation */
	const char *native;      /* its name for the bucket */
	enum candidate_answer answer;
};

struct lookup {
	const char *name;     /* what the client calls the bucket */
	const char *tag_name; /* the request's name in the ownership tags; NULL: any */
	bool owned_only;      /* only a bucket with cosid's ownership tags counts */
	/* A backend that cannot answer makes the outcome UNAVAILABLE, even if another has it. */
	bool all_must_answer;
	bool has_preferred;       /* the first candidate is it */
	struct backend *fallback; /* gets the bucket if no backend has it; NULL: `why` */
	struct status why;        /* the error if no backend has it and there is no fallback */
	struct status failure;    /* of the first candidate that could not answer */
	const char *failed;       /* and its backend; NULL: all could */
	size_t ncandidates;
	struct candidate *candidates;
};

struct plan;
/* Room for as many candidates as the generation has backends, from the arena; NULL: no memory. */
struct lookup *lookup_new(const struct plan *plan, const char *name);
/* One that is left out cannot tell. */
void lookup_add(struct lookup *lookup, struct backend *backend, const char *native,
		const struct backend *preferred);

/* The next one to ask; NULL: lookup_decide() can tell. */
struct candidate *lookup_next(const struct lookup *lookup);
/* Asks the candidate's store, which blocks.  On a worker. */
void lookup_ask(const struct plan *plan, struct candidate *candidate);
/* Records that it cannot tell. */
void lookup_failed(struct lookup *lookup, struct candidate *candidate, const struct status *reason);
/* The backend that the call goes to; NULL with status. */
struct backend *lookup_decide(const struct lookup *lookup, struct status *status);

#endif
