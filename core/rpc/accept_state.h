/* SPDX-License-Identifier: Apache-2.0
 * accept_state.h - the acceptor's own: accept.c has its thread, farewell.c what follows on that. */
#ifndef COSID_RPC_ACCEPT_STATE_H
#define COSID_RPC_ACCEPT_STATE_H
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "rpc/accept.h"
#include "rpc/places.h"

struct acceptor {
	struct accept_config config;
	pthread_t thread;
	int wake_fd;
	atomic_bool stopping;
	int64_t paused_ms; /* monotonic: no accept() before */
	int64_t logged_ms; /* when a refusal was logged last */
	struct places places;
	struct pollfd *polls; /* 2 more: the wake-up and the listening socket */
	size_t *polled;       /* polls[i + 2] is places.table[polled[i]] */
};

/* Accepts one; says whether there may be more. */
bool acceptor_accept(struct acceptor *acceptor);
/* Looks at a connection that has said nothing yet: it is handed on if it has spoken, forgotten if
 * it has gone. */
void acceptor_look_at(struct acceptor *acceptor, struct place *place);

#endif
