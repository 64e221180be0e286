/* SPDX-License-Identifier: Apache-2.0
 * plan.h - which backend a call is for, as far as that can be said without asking a store.
 */
#ifndef COSID_ROUTER_PLAN_H
#define COSID_ROUTER_PLAN_H

struct call_state;

/* On the polling thread: checks the request, sets state->backend, or state->find when stores have
 * to be asked for it.  0, or -1 with state->status. */
int plan_call(struct call_state *state);

#endif
