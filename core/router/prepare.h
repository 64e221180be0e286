/* SPDX-License-Identifier: Apache-2.0
 * prepare.h - what a module will be asked, and under which locks: all that is done before it is.
 */
#ifndef COSID_ROUTER_PREPARE_H
#define COSID_ROUTER_PREPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend;
struct call_state;

/* Once state->backend is known: names, parameters, hash, locks.  No I/O.  0, or -1 with
 * state->status. */
int prepare_call(struct call_state *state);
/* Did the request need more memory than a call has?  -1: state->status says so. */
int prepare_check_memory(struct call_state *state);
/* Room for n tickets in state->locks; -1: no memory. */
int prepare_tickets(struct call_state *state, size_t n);
/* Adds one; kind is enum cosi_kind. */
void prepare_ticket(struct call_state *state, uint32_t kind, const struct backend *backend,
		    const char *native, bool exclusive);

/* The parts of prepare_call(), in two files.  0, or -1 with state->status, all three. */
int prepare_grant(struct call_state *state);
int prepare_revoke(struct call_state *state);
int prepare_check_protocols(struct call_state *state);
/* The native name in an id that is ours; else the id itself, which then is a native name. */
const char *prepare_native_of(const struct call_state *state, const char *id);

#endif
