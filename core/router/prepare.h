/* SPDX-License-Identifier: Apache-2.0
 * prepare.h - what the two halves of work_prepare() share.
 */
#ifndef COSID_ROUTER_PREPARE_H
#define COSID_ROUTER_PREPARE_H

struct call_state;

/* 0, or -1 with state->status, all three. */
int prepare_grant(struct call_state *state);
int prepare_revoke(struct call_state *state);
int prepare_check_protocols(struct call_state *state);
/* The native name in an id that is ours; else the id itself, which then is a native name. */
const char *prepare_native_of(const struct call_state *state, const char *id);

#endif
