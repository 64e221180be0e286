/* SPDX-License-Identifier: Apache-2.0
 * hand.h - a thread that hands accepted connections to the C core, one after another.
 *
 * The core reads a connection that it gets on the thread that brings it, until there is nothing to
 * read: one peer that sends fast enough keeps that thread for as long as it wishes (measured with
 * 1.51).  So it is not the accepting thread, which sees to it that such a peer has to go.
 */
#ifndef COSID_RPC_HAND_H
#define COSID_RPC_HAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hand;

/* Room for so many that wait; give is called with each, and owns it. */
struct hand *hand_start(size_t most, void (*give)(void *owner, int fd), void *owner,
			struct status *status);
/* Takes the descriptor over, closes it if there is no room.  Any thread. */
void hand_over(struct hand *hand, int fd);
/* Have all been given, or are they within so long? */
bool hand_rests(struct hand *hand, int64_t most_ms);
/* Gives what it has, and joins the thread. */
void hand_stop(struct hand *hand);

#endif
