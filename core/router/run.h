/* SPDX-License-Identifier: Apache-2.0
 * run.h - what workers do with a call.
 */
#ifndef COSID_ROUTER_RUN_H
#define COSID_ROUTER_RUN_H
#include "router/lane.h"

/* The job of a call, struct call_state.job. */
void run_call(struct job *job);

#endif
