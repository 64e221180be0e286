/* SPDX-License-Identifier: Apache-2.0
 * held.h - which connection holds how many calls that have not ended, and since when none.
 *
 * The core holds a peer to the limit on streams only once the peer has confirmed its SETTINGS, and
 * a call whose answer is not read never ends: a peer that reads nothing would hold calls without
 * end (measured with 1.51: 5.8 GiB after half a million).
 */
#ifndef COSID_RPC_HELD_H
#define COSID_RPC_HELD_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/peers.h"

struct held_by {
	unsigned ncalls;
	unsigned nmoves;    /* calls that have begun or ended */
	unsigned nexpected; /* on their way to the core: the descriptor may be used again meanwhile
			     */
	bool cut;           /* shut down; its calls are about to end */
	int64_t since_ms;   /* monotonic: when the last call ended, or it arrived */
};

struct held {
	pthread_mutex_t mutex; /* guards what follows */
	size_t ncalls;         /* of connections that are not cut */
	size_t nby;
	struct held_by *by; /* by descriptor; owned */
	struct peers_logged cuts;
};

void held_init(struct held *held);
void held_done(struct held *held);

/* A connection is new on that descriptor, and has calls, as it were, until the core has it. Without
 * memory it is not counted, like its calls. */
void held_expect(struct held *held, int fd);
/* The core has it. */
void held_arrive(struct held *held, int fd, int64_t now_ms);
/* One more call of that connection; the descriptor must stay the connection's until held_remove().
 * Past LIMIT_UNFINISHED calls it is shut down; past LIMIT_UNFINISHED_ALL of all connections, that
 * which holds most.  The core then ends the calls.  0, or -1: not counted, there is no memory. */
int held_add(struct held *held, int fd, int64_t now_ms);
void held_remove(struct held *held, int fd, int64_t now_ms);
/* Since when it holds no call; CLOCK_NEVER: it holds some, or is expected, or
 * it is not known. */
int64_t held_idle_since(struct held *held, int fd);
/* How many of its calls have begun or ended: whether it gets on. */
unsigned held_moves(struct held *held, int fd);

#endif
