/* SPDX-License-Identifier: Apache-2.0
 * connections.c - counts connections and calls, and closes the connections that break a limit. */
#include "rpc/connections.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

#include "banned.h"

/* What a client begins is read at once; what a flood sends waits in its socket. */
enum { UNREAD_BYTES = 4096 };

#define CONNECTIONS_FOREACH(each, connections)                                                     \
	for (struct connection *each = (connections)->table;                                       \
	     each < (connections)->table + LIMIT_CONNECTIONS; each++)

void
connections_init(struct connections *connections)
{
	*connections = (struct connections){ .mutex = PTHREAD_MUTEX_INITIALIZER };
	cond_init(&connections->changed);
}

void
connections_done(struct connections *connections)
{
	CONNECTIONS_FOREACH(each, connections)
		if (each->state == CONNECTION_ACCEPTED)
			(void)close(each->fd);
	pthread_cond_destroy(&connections->changed);
	pthread_mutex_destroy(&connections->mutex);
}

static bool
connection_is(const struct connection *connection, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == connection->ino;
}

/* A copy of the descriptor, which the core may close at any time and another connection get; the
 * caller's to close.  -1: the connection is gone. */
static int
connection_copy(const struct connection *connection)
{
	int fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0 || connection_is(connection, fd))
		return fd;
	(void)close(fd);
	return -1;
}

static bool
connection_is_idle(const struct connection *connection)
{
	return connection->state == CONNECTION_SERVED && connection->ncalls == 0 &&
	       !connection->closing;
}

/* Its calls end, and so does whatever it keeps the core waiting for. */
static void
connection_shut_down(struct connections *connections, struct connection *connection)
{
	CLEANUP_FD int fd = connection_copy(connection);

	if (!connection->closing)
		connections->ncalls -= connection->ncalls;
	connection->closing = true;
	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

/* The core closes a descriptor after the last call of its connection has ended. */
static void
connections_sweep(struct connections *connections)
{
	CONNECTIONS_FOREACH(each, connections)
		if (each->state == CONNECTION_SERVED && each->ncalls == 0 &&
		    !connection_is(each, each->fd))
			each->state = CONNECTION_FREE;
}

int
connections_add(struct connections *connections, int fd, const struct ucred *peer, int64_t now_ms)
{
	LOCK_SCOPE(&connections->mutex);
	struct connection *room = NULL, *idlest = NULL;
	size_t nuser = 0;
	struct stat st;

	connections_sweep(connections);
	CONNECTIONS_FOREACH(each, connections) {
		if (each->state == CONNECTION_FREE)
			room = room != NULL ? room : each;
		else if (each->peer.uid != peer->uid)
			continue;
		else if (!each->yielded)
			nuser++;
		if (connection_is_idle(each) && (idlest == NULL || each->idle_ms < idlest->idle_ms))
			idlest = each;
	}
	/* In a full table this makes room for the client's next attempt. */
	if (nuser >= LIMIT_CONNECTIONS_USER && idlest != NULL &&
	    now_ms - idlest->idle_ms >= LIMIT_IDLE_MS) {
		connection_shut_down(connections, idlest);
		idlest->yielded = true;
		nuser--;
	}
	if (room == NULL || nuser >= LIMIT_CONNECTIONS_USER || fstat(fd, &st) < 0) {
		if (peer_log_due(&connections->refused, peer->uid, now_ms))
			log_warning("refusing a connection of user %u, process %d: %zu of its "
				    "connections are open (limit %d, of all users %d)",
				    peer->uid, peer->pid, nuser, LIMIT_CONNECTIONS_USER,
				    LIMIT_CONNECTIONS);
		return -1;
	}
	*room = (struct connection){
		.state = CONNECTION_ACCEPTED, .fd = fd, .ino = st.st_ino, .peer = *peer
	};
	pthread_cond_broadcast(&connections->changed);
	return 0;
}

struct connection *
connections_next(struct connections *connections)
{
	LOCK_SCOPE(&connections->mutex);

	for (;;) {
		for (size_t i = 0; i < LIMIT_CONNECTIONS; i++) {
			struct connection *each =
				&connections->table[connections->cursor++ % LIMIT_CONNECTIONS];

			if (each->state == CONNECTION_ACCEPTED) {
				each->state = CONNECTION_HANDOFF;
				return each;
			}
		}
		if (connections->stopping)
			return NULL;
		pthread_cond_wait(&connections->changed, &connections->mutex);
	}
}

void
connections_served(struct connections *connections, struct connection *connection, int64_t now_ms)
{
	LOCK_SCOPE(&connections->mutex);

	connection->state = CONNECTION_SERVED;
	connection->idle_ms = now_ms;
	connections_sweep(connections); /* its descriptor may be another connection's by now */
	pthread_cond_broadcast(&connections->changed);
}

bool
connections_wait_served(struct connections *connections, int64_t timeout_ms)
{
	int64_t until_ms = clock_mono_ms() + timeout_ms;
	LOCK_SCOPE(&connections->mutex);

	CONNECTIONS_FOREACH(each, connections)
		while (each->state == CONNECTION_ACCEPTED || each->state == CONNECTION_HANDOFF)
			if (!cond_wait_until(&connections->changed, &connections->mutex, until_ms))
				return false;
	return true;
}

void
connections_stop(struct connections *connections)
{
	LOCK_SCOPE(&connections->mutex);

	connections->stopping = true;
	pthread_cond_broadcast(&connections->changed);
}

struct connection *
connections_begin_call(struct connections *connections, int fd, int64_t now_ms)
{
	LOCK_SCOPE(&connections->mutex);
	struct connection *found = NULL, *full = NULL;

	CONNECTIONS_FOREACH(each, connections) {
		if (each->fd == fd && each->state >= CONNECTION_HANDOFF) {
			found = each;
			break;
		}
	}
	if (found == NULL)
		return NULL;
	found->ncalls++;
	found->nprogress++;
	if (found->closing)
		return found;
	connections->ncalls++;
	if (found->ncalls > LIMIT_OPEN_CALLS) {
		full = found;
	} else if (connections->ncalls > LIMIT_OPEN_CALLS_ALL) {
		full = found;
		CONNECTIONS_FOREACH(each, connections)
			if (!each->closing && each->ncalls > full->ncalls)
				full = each;
	}
	if (full == NULL)
		return found;
	if (peer_log_due(&connections->closed, full->peer.uid, now_ms))
		log_warning("closing a connection of user %u, process %d: %u unfinished calls "
			    "(limit %d, of all connections %d)",
			    full->peer.uid, full->peer.pid, full->ncalls, LIMIT_OPEN_CALLS,
			    LIMIT_OPEN_CALLS_ALL);
	connection_shut_down(connections, full);
	return found;
}

void
connections_end_call(struct connections *connections, struct connection *connection, int64_t now_ms)
{
	LOCK_SCOPE(&connections->mutex);

	connection->ncalls--;
	connection->nprogress++;
	connection->idle_ms = now_ms;
	if (!connection->closing)
		connections->ncalls--;
}

static bool
connection_has_unread(const struct connection *connection)
{
	CLEANUP_FD int fd = connection_copy(connection);
	int nunread;

	return fd >= 0 && ioctl(fd, SIOCINQ, &nunread) == 0 && nunread >= UNREAD_BYTES;
}

bool
connections_check(struct connections *connections, int64_t now_ms)
{
	LOCK_SCOPE(&connections->mutex);
	int64_t past_ms = now_ms - connections->checked_ms;
	bool some = false;

	if (past_ms > LIMIT_CHECK_MS)
		past_ms = LIMIT_CHECK_MS;
	connections->checked_ms = now_ms;
	connections_sweep(connections);
	CONNECTIONS_FOREACH(each, connections) {
		some |= each->state != CONNECTION_FREE;
		if (each->state < CONNECTION_HANDOFF || each->closing)
			continue;
		if (each->nprogress == each->stalled_nprogress && connection_has_unread(each))
			each->stalled_ms += past_ms;
		else
			each->stalled_ms = 0;
		each->stalled_nprogress = each->nprogress;
		if (each->stalled_ms >= LIMIT_STALL_MS) {
			if (peer_log_due(&connections->closed, each->peer.uid, now_ms))
				log_warning(
					"closing a connection of user %u, process %d: what it "
					"sent was not read to its end for %d s, and none of its "
					"calls began or ended",
					each->peer.uid, each->peer.pid, LIMIT_STALL_MS / 1000);
			connection_shut_down(connections, each);
		} else if (each->leave_ms != 0 &&
			   (connection_is_idle(each) || each->leave_ms <= now_ms)) {
			connection_shut_down(connections, each);
		}
	}
	return some;
}

void
connections_review(struct connections *connections, struct peers *peers, int64_t now_ms)
{
	CONNECTIONS_FOREACH(each, connections) {
		CLEANUP_FD int fd = -1;
		struct connection seen;
		bool allowed;

		pthread_mutex_lock(&connections->mutex);
		seen = *each;
		if (seen.state != CONNECTION_FREE)
			fd = connection_copy(each);
		pthread_mutex_unlock(&connections->mutex);
		if (fd < 0)
			continue;
		allowed = peers_allow(peers, fd, &seen.peer); /* which takes a mutex, and logs */
		LOCK_SCOPE(&connections->mutex);
		/* Its place may be another's by now, but its number cannot, while fd is open. */
		if (each->ino == seen.ino)
			each->leave_ms = allowed ? 0 : now_ms + LIMIT_LEAVE_MS;
	}
}

/* The core sends GOAWAY only when it is shut down, and then resets the calls that are on their way:
 * their clients see CANCELLED (measured with 1.51), which they do not retry.  GOAWAY is
 * therefore sent before, without an error and for streams beyond all that there can be (RFC
 * 9113, 6.8): calls that have been sent are served, the next ones go to another connection.  The
 * core writes each batch of frames in one piece, which this one does not part, unless the socket is
 * full or the batch is larger than 32 KiB; a connection whose peer has read everything is therefore
 * safe. */
static bool
connection_send_goaway(const struct connection *connection)
{
	static const unsigned char goaway[] = { 0,    0,    8,    7,    0, 0, 0, 0, 0,
						0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0 };
	CLEANUP_FD int fd = connection_copy(connection);
	int npending; /* bytes that the core has written and the peer has not read */

	if (fd < 0 || ioctl(fd, SIOCOUTQ, &npending) < 0)
		return false;
	if (connection->ncalls > 0 && npending > 0)
		return false;
	(void)send(fd, goaway, sizeof goaway, MSG_DONTWAIT | MSG_NOSIGNAL);
	return true;
}

bool
connections_goaway(struct connections *connections, bool busy, int64_t leave_ms)
{
	LOCK_SCOPE(&connections->mutex);
	int64_t now_ms = clock_mono_ms();
	bool some = false;

	connections_sweep(connections);
	CONNECTIONS_FOREACH(each, connections) {
		if (each->state == CONNECTION_SERVED && each->goaway_ms == 0 &&
		    (busy || each->ncalls == 0) && connection_send_goaway(each))
			each->goaway_ms = now_ms;
		some |= each->state != CONNECTION_FREE &&
			(each->goaway_ms == 0 || now_ms - each->goaway_ms < leave_ms);
	}
	return some;
}

void
connections_close(struct connections *connections)
{
	LOCK_SCOPE(&connections->mutex);

	CONNECTIONS_FOREACH(each, connections)
		if (each->state != CONNECTION_FREE)
			connection_shut_down(connections, each);
}
