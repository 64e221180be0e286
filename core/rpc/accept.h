/* SPDX-License-Identifier: Apache-2.0
 * accept.h - a thread that accepts connections, keeps unwanted ones out and hands the rest on.
 *
 *   accept -> allowed peer? -> room for one more? -> first byte within silent_ms? -> take()
 *
 * The core has no limit on connections, stops accepting for ever after one EMFILE, and keeps a peer
 * that connects and says nothing for ever: all three measured with 1.51, hence this thread.
 */
#ifndef COSID_RPC_ACCEPT_H
#define COSID_RPC_ACCEPT_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rpc/peers.h"

struct places;

struct accept_config {
	int listen_fd;                      /* borrowed; not blocking */
	struct peers *peers;                /* borrowed */
	size_t max_connections, max_of_one; /* in all, and of one user */
	int64_t silent_ms;
	int64_t unwanted_ms; /* how long one that is not allowed any more may go on with its calls
			      */
	void *owner;
	/* Gets a connection that has something to say, and owns it. */
	void (*take)(void *owner, int fd);
	/* Since when (monotonic) a connection that was handed on has no call; CLOCK_NEVER: it has.
	 * Such a one may have to make room for another. */
	int64_t (*idle_since)(void *owner, int fd);
	/* How many of its calls have begun or ended. */
	unsigned (*moves)(void *owner, int fd);
	/* Called at least every ACCEPT_TICK_MS, and every ACCEPT_LOOK_MS while there is a
	 * connection; may cut any. */
	void (*tick)(void *owner, struct places *places);
};
enum { ACCEPT_TICK_MS = 15000, ACCEPT_LOOK_MS = 250 };

struct acceptor;
struct acceptor *accept_start(const struct accept_config *config, struct status *status);
/* Closes the connections of those whom peers allows no more: as soon as they have no call, or
 * after unwanted_ms.  Any thread. */
void accept_review(struct acceptor *acceptor);
/* Joins the thread: no more are accepted. */
void accept_stop(struct acceptor *acceptor);
/* After accept_stop(), when nobody can find the socket any more: takes those who have connected
 * before, as the thread would have done. */
void accept_rest(struct acceptor *acceptor);
/* After accept_stop(): asks every connection without a call to go, and waits until all have gone
 * that were not asked by an earlier call, for at most that long.  take() may still be called. */
void accept_see_off(struct acceptor *acceptor, int64_t most_ms);
/* After accept_stop(): shuts down all that were handed on. */
void accept_cut(struct acceptor *acceptor);
/* After accept_stop(); connections that were not handed on are closed. */
void accept_free(struct acceptor *acceptor);

#endif
