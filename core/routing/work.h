/* SPDX-License-Identifier: Apache-2.0
 * work.h - carries a plan out: the module's handler, then the answer.
 */
#ifndef COSID_ROUTING_WORK_H
#define COSID_ROUTING_WORK_H
#include <stdbool.h>
#include <stdint.h>

#include "routing/plan.h"

struct work_result {
	int64_t unknown_ms; /* see http.h */
	bool misrouted;     /* the call reached a backend that the id does not name */
};

/* Runs the handler, which blocks.  The outcome is plan->status, with answer set when that is OK. */
void work_run(const struct plan *plan, struct answer *answer, struct work_result *out);

/* Looks at a bucket of that name, without parameters; tag_name as in struct lookup.  0, or -1 with
 * call->status. */
int work_look(struct module_call *call, const char *owner, const char *native, const char *tag_name,
	      struct cosi_bucket *out);

#endif
