/* SPDX-License-Identifier: Apache-2.0
 * connections.h - the table of connections: how many each user may have, how many calls each has
 * open, and which have to close.
 *
 *   accepted --> handoff: given to the C core --> served --> the core closes it: free
 *
 * The core has no limit on connections or on unread answers (measured with 1.51: 5.8 GiB after half
 * a million calls of a peer that reads nothing), and does not report when it closes a descriptor
 * that it was given.  A socket's inode number tells whether the descriptor still is that socket.
 */
#ifndef COSID_RPC_CONNECTIONS_H
#define COSID_RPC_CONNECTIONS_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rpc/limits.h"
#include "rpc/peers.h"

enum connection_state {
	CONNECTION_FREE,
	CONNECTION_ACCEPTED, /* waits for the handoff thread; cosid owns the descriptor */
	CONNECTION_HANDOFF,  /* being given to the core */
	CONNECTION_SERVED,   /* the core's, which may have closed the descriptor already */
};

struct connection {
	enum connection_state state;
	int fd;
	ino_t ino;
	struct ucred peer;
	unsigned ncalls;    /* open: they end when their answer has been read */
	unsigned nprogress; /* calls that have begun or ended */
	bool closing;       /* was shut down: its calls are about to end */
	bool yielded;       /* was shut down to make room: it counts no more */
	int64_t idle_ms;    /* monotonic, like the rest: since when it has no open call */
	int64_t leave_ms;   /* not in allowed_peers any more: closed by then; 0: it may stay */
	int64_t goaway_ms;  /* when GOAWAY was sent; 0: it was not */
	int64_t stalled_ms; /* a duration: how long it has had unread bytes and no progress */
	unsigned stalled_nprogress;
};

struct connections {
	pthread_mutex_t mutex;  /* guards all of this */
	pthread_cond_t changed; /* a connection was accepted or handed off, or the end has come */
	bool stopping;
	size_t cursor;      /* where the search for an accepted connection goes on */
	size_t ncalls;      /* open calls of connections that are not closing */
	int64_t checked_ms; /* monotonic: when they were checked last */
	struct peer_log refused, closed;
	struct connection table[LIMIT_CONNECTIONS];
};

void connections_init(struct connections *connections);
/* Closes the descriptors that were not handed off. */
void connections_done(struct connections *connections);

/* Takes over a descriptor that was accepted from this peer.  When the user has as many connections
 * as it may, its own connection that has been idle for longest, and for LIMIT_IDLE_MS, is closed to
 * make room (in a full table, for its next attempt); connections of others never are.  One that was
 * closed for another reason counts until the core has closed it, too.  0, or -1: refused, which is
 * logged once a minute for each user, and the descriptor is still the caller's. */
int connections_add(struct connections *connections, int fd, const struct ucred *peer,
		    int64_t now_ms);

/* For the handoff thread: waits for an accepted connection.  NULL: there is none, and
 * connections_stop() was called. */
struct connection *connections_next(struct connections *connections);
/* The core has it now. */
void connections_served(struct connections *connections, struct connection *connection,
			int64_t now_ms);
/* Waits until all are handed off.  Returns false after that long. */
bool connections_wait_served(struct connections *connections, int64_t timeout_ms);
void connections_stop(struct connections *connections);

/* A call begins on the connection with that descriptor, which stays open as long as the call is.
 * Past LIMIT_OPEN_CALLS of one connection it is closed; past LIMIT_OPEN_CALLS_ALL of all, the one
 * with most.  Returns the connection; NULL: it is not in the table. */
struct connection *connections_begin_call(struct connections *connections, int fd, int64_t now_ms);
void connections_end_call(struct connections *connections, struct connection *connection,
			  int64_t now_ms);

/* Closes connections that stall (they have had unread bytes for LIMIT_STALL_MS, and none of their
 * calls has begun or ended) or have to leave.  To be called every LIMIT_CHECK_MS; what is more
 * counts as that much, so that a process that was stopped closes none.  Returns false when there
 * is no connection. */
bool connections_check(struct connections *connections, int64_t now_ms);
/* Re-checks allowed_peers: a connection that is not allowed any more is closed when it is idle, or
 * after LIMIT_LEAVE_MS. */
void connections_review(struct connections *connections, struct peers *peers, int64_t now_ms);
/* Sends GOAWAY to connections without an open call, and with busy to all whose peer has read what
 * it was sent.  Returns true while a connection is open that was not sent GOAWAY, or less than
 * leave_ms ago. */
bool connections_goaway(struct connections *connections, bool busy, int64_t leave_ms);
/* Shuts down all of them. */
void connections_close(struct connections *connections);

#endif
