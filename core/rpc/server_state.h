/* SPDX-License-Identifier: Apache-2.0
 * server_state.h - the server's own: server.c starts it, stop.c ends it. */
#ifndef COSID_RPC_SERVER_STATE_H
#define COSID_RPC_SERVER_STATE_H
#include <grpc/grpc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/unix_socket.h"
#include "rpc/accept.h"
#include "rpc/guard.h"
#include "rpc/hand.h"
#include "rpc/peers.h"
#include "rpc/server.h"
#include "rpc/slot.h"

struct server {
	struct unix_socket node;
	struct peers peers;
	struct report *report;
	grpc_server *grpc;
	grpc_completion_queue *queue;
	grpc_server_credentials *credentials;
	struct slots slots;
	struct hand *hand;
	struct acceptor *acceptor;
	struct guard guard;
	pthread_t poller;
	bool polling; /* the poller was started */
	void (*beat)(void);
	int64_t beat_ms;
	gpr_timespec due; /* the poller's: when the next beat is */
	struct tag t_down;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* of the monotonic clock */
	bool down;              /* guarded by mutex: the core's server has shut down */
};

/* Takes tags off the queue until it has shut down. */
void server_poll(struct server *server);

#endif
