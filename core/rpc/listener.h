/* SPDX-License-Identifier: Apache-2.0
 * listener.h - accepts connections, refuses those that are not allowed or too many, and hands the
 * rest off to the C core.
 *
 *   accepting thread: accept -> allowed_peers -> limits -> connections table; a few times a second:
 *                     which connections have to close?
 *   handoff thread:   connections table -> give()
 *
 * The core has no limit on connections, and stops accepting forever after one EMFILE (both measured
 * with 1.51), hence the accepting thread.  The core reads a connection on the thread that brings it
 * until there is nothing to read: one peer that sends fast enough keeps that thread as long as it
 * wishes (measured, too).  So that is another thread than the one which closes such a peer.
 */
#ifndef COSID_RPC_LISTENER_H
#define COSID_RPC_LISTENER_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"
#include "rpc/connections.h"
#include "rpc/peers.h"

struct listener {
	int fd;                          /* listens, not blocking; borrowed, as the next two */
	struct connections *connections; /* initialised */
	struct peers *peers;
	void (*give)(void *owner, int fd); /* hands a descriptor over to the core */
	void *owner;

	int wake_fd;
	atomic_bool stopping;
	bool accepting, handing_off; /* these threads run */
	pthread_t accept_thread, handoff_thread;
	int64_t logged_ms; /* when a failure of accept() was logged last */
};

/* The first five members are set.  0, or -1 with status; listener_done() is needed either way. */
int listener_start(struct listener *listener, struct status *status);
/* Re-checks allowed_peers for all connections, soon.  Any thread. */
void listener_review(struct listener *listener);
/* Joins the accepting thread: no more are accepted. */
void listener_stop_accepting(struct listener *listener);
/* After that, when no client can find the socket: accepts those that have already connected. */
void listener_accept_rest(struct listener *listener);
/* Joins the handoff thread, after it has handed off what was accepted. */
void listener_done(struct listener *listener);

#endif
