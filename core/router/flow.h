/* SPDX-License-Identifier: Apache-2.0
 * flow.h - a call's way from its plan to its end.
 */
#ifndef COSID_ROUTER_FLOW_H
#define COSID_ROUTER_FLOW_H
#include <stddef.h>

#include "router/state.h"

#define CALL_OF(p, member)                                                                         \
	((struct call_state *)(void *)((char *)(p)-offsetof(struct call_state, member)))

/* Sends a call on its way, which is planned and, when its backend is known, prepared; again, once
 * its backend was found.  relieve: this is the polling thread, and it may become a worker to run
 * the call.  The call may be gone when this returns, and so with the next two. */
void flow_begin(struct call_state *state, bool relieve);
/* Answers a call that was not begun with state->status. */
void flow_answer(struct call_state *state);
/* From a worker: the handler has returned; state->status is the outcome. */
void flow_finish(struct call_state *state);

/* The rest is called with the mutex held. */

/* Answers it unless that is done, takes it out of whatever it waits in, stops its handler before
 * the next request.  A settling call is answered with its success. */
void flow_expire(struct call_state *state, enum verdict verdict);
/* Its backend is known, which has this lane: it will need no other one. */
void flow_confine(struct call_state *state, const struct lane *lane);
/* Gives back slot and locks of a call that has nothing under way any more. */
void flow_work_end(struct call_state *state);
/* Gives back a job's slot or place, and lets the next one have it. */
void flow_leave_lane(struct router *router, struct job *job);
/* Hands the lane's next jobs to the pool, as far as there are slots. */
void flow_pump(struct router *router, struct lane *lane);

#endif
