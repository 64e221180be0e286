/* SPDX-License-Identifier: Apache-2.0
 * serve.h - what is done with a call: refused, answered here, or given to the router. */
#ifndef COSID_RPC_SERVE_H
#define COSID_RPC_SERVE_H
#include "rpc/slot.h"

/* Polling thread; never blocks.  slot_finish() is called once, now or by the router's reply. */
void serve(struct slot *slot);

#endif
