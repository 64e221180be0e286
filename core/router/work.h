/* SPDX-License-Identifier: Apache-2.0
 * work.h - what a call does: the request for the module, the handler, the answer.
 */
#ifndef COSID_ROUTER_WORK_H
#define COSID_ROUTER_WORK_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cosi_module.h"
#include "module/backend.h"
#include "router/params.h"

struct call_state;

/* Everything from the call's arena. */
struct work {
	const char *native; /* the bucket's or the account's name in the store */
	const char *id;     /* "<backend>.<native>" */
	struct params params;
	struct cosi_bucket_req bucket;
	struct cosi_access_req access;
	bool astray;        /* out: a backend was asked for what another one's id names */
	bool nothing_to_do; /* a revoke of buckets that the account has no access to */
};

/* On a worker: the handler, then the answer.  The outcome is state->status. */
void work_run(struct call_state *state);

/* What a handler is called with; fields are the call's. */
void work_module_call(const struct call_state *state, struct backend *backend, struct arena *arena,
		      struct status *status, struct module_call *out);
/* Looks at a bucket of that name, without parameters; mark_name as in struct find. */
int work_look(struct module_call *call, const char *owner, const char *native,
	      const char *mark_name, struct cosi_bucket *out);

#endif
