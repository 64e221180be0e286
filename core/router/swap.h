/* SPDX-License-Identifier: Apache-2.0
 * swap.h - inside the router: what a generation needs before calls can be sent to it. */
#ifndef COSID_ROUTER_SWAP_H
#define COSID_ROUTER_SWAP_H
#include "router/state.h"

/* With the mutex, or before there is a second thread: a lane for every backend of the generation,
 * with the slots that its configuration asks for, shared among that many workers.  0, or -1: no
 * memory, and no lane has changed. */
int swap_lanes(struct router *router, const struct generation *generation, unsigned workers,
	       struct status *status);
/* How many workers a configuration means. */
unsigned swap_workers(const struct router_config *config);

#endif
