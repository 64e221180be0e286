/* SPDX-License-Identifier: Apache-2.0
 * accept.c - the accepting thread and its table of connections.
 *
 * Nobody says when the core closes a connection that it was given.  But a socket's inode number
 * tells whether the descriptor still is that socket, so the table is swept when it is full.
 */
#include "rpc/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

/* So many are accepted before those that wait are looked at again. */
enum { ACCEPT_MOST = 64 };
/* The core closes what was shut down within a millisecond or so. */
enum { EVICT_MS = 100 };
enum { PAUSE_MS = 100, LOG_EVERY_MS = 60000 };

struct connection {
	int fd;            /* -1: free */
	int64_t silent_ms; /* monotonic time at which it is closed; CLOCK_NEVER: handed on */
	ino_t ino;         /* of a connection handed on */
};

struct acceptor {
	struct accept_config config;
	pthread_t thread;
	int wake_fd;
	int64_t paused_ms;        /* monotonic: no accept() before */
	int64_t logged_ms;        /* when a refusal was logged last */
	struct connection *table; /* config.max_connections of them */
	struct pollfd *polls;     /* 2 more: the wake-up and the listening socket */
	size_t *polled;           /* polls[i + 2] is table[polled[i]] */
};

static bool
is_waiting(const struct connection *connection)
{
	return connection->fd >= 0 && connection->silent_ms != CLOCK_NEVER;
}

static void
drop(struct connection *connection)
{
	(void)close(connection->fd);
	connection->fd = -1;
}

/* Peers can cause these lines; one a minute is enough to know. */
static void
log_refusal(struct acceptor *acceptor, const char *why)
{
	int64_t now_ms = clock_mono_ms();

	if (acceptor->logged_ms != 0 && now_ms - acceptor->logged_ms < LOG_EVERY_MS)
		return;
	acceptor->logged_ms = now_ms;
	log_warning("cannot take a connection: %s", why);
}

/* Forgets what the core has closed meanwhile. */
static void
sweep(struct acceptor *acceptor)
{
	for (size_t i = 0; i < acceptor->config.max_connections; i++) {
		struct connection *connection = &acceptor->table[i];
		struct stat st;

		if (connection->fd >= 0 && !is_waiting(connection) &&
		    (fstat(connection->fd, &st) != 0 || st.st_ino != connection->ino))
			connection->fd = -1;
	}
}

static struct connection *
find_free(struct acceptor *acceptor)
{
	for (size_t i = 0; i < acceptor->config.max_connections; i++)
		if (acceptor->table[i].fd < 0)
			return &acceptor->table[i];
	return NULL;
}

/* Looks at a connection that has said nothing yet: it is handed on if it has spoken, forgotten if
 * it has gone. */
static void
look_at(struct acceptor *acceptor, struct connection *connection)
{
	struct stat st;
	char byte;
	ssize_t n = recv(connection->fd, &byte, 1, MSG_PEEK);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || fstat(connection->fd, &st) != 0) {
		drop(connection);
		return;
	}
	connection->ino = st.st_ino;
	connection->silent_ms = CLOCK_NEVER;
	acceptor->config.take(acceptor->config.owner, connection->fd);
}

static struct connection *
find_silent(struct acceptor *acceptor)
{
	struct connection *oldest = NULL;

	for (size_t i = 0; i < acceptor->config.max_connections; i++) {
		struct connection *connection = &acceptor->table[i];

		if (is_waiting(connection) &&
		    (oldest == NULL || connection->silent_ms < oldest->silent_ms))
			oldest = connection;
	}
	return oldest;
}

static struct connection *
find_idle(struct acceptor *acceptor)
{
	struct connection *idle = NULL;
	int64_t least_ms = CLOCK_NEVER;

	for (size_t i = 0; i < acceptor->config.max_connections; i++) {
		struct connection *connection = &acceptor->table[i];
		int64_t since_ms =
			acceptor->config.idle_since(acceptor->config.owner, connection->fd);

		if (since_ms >= least_ms)
			continue;
		least_ms = since_ms;
		idle = connection;
	}
	return idle;
}

/* Shuts down the connection that has been without a call for longest, and waits until the core has
 * closed it.  A copy of the descriptor is looked at and shut down: the core's may become another's
 * at any time. */
static struct connection *
evict(struct acceptor *acceptor)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct connection *idle = acceptor->config.idle_since != NULL ? find_idle(acceptor) : NULL;
	CLEANUP_FD int fd = -1;
	struct stat st;

	if (idle == NULL)
		return NULL;
	fd = fcntl(idle->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == idle->ino)
		(void)shutdown(fd, SHUT_RDWR);
	for (int ms = 0; idle->fd >= 0 && ms < EVICT_MS; ms++) {
		(void)nanosleep(&pause, NULL);
		sweep(acceptor);
	}
	return find_free(acceptor);
}

/* A place for one more: a free one, one that the core has freed, or that of the peer which has said
 * nothing for longest. */
static struct connection *
make_room(struct acceptor *acceptor)
{
	struct connection *room = find_free(acceptor);

	if (room != NULL)
		return room;
	sweep(acceptor);
	room = find_free(acceptor);
	while (room == NULL && (room = find_silent(acceptor)) != NULL) {
		look_at(acceptor, room);
		if (is_waiting(room))
			drop(room);
		else if (room->fd >= 0)
			room = NULL; /* it spoke meanwhile */
	}
	return room != NULL ? room : evict(acceptor);
}

/* Says whether there may be more. */
static bool
accept_one(struct acceptor *acceptor)
{
	int fd = accept4(acceptor->config.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct connection *connection;

	if (fd < 0) {
		if (errno == EINTR || errno == ECONNABORTED)
			return true;
		if (errno != EAGAIN) { /* EMFILE, ENFILE, ENOMEM, ENOBUFS */
			log_refusal(acceptor, strerrordesc_np(errno));
			acceptor->paused_ms = clock_mono_ms() + PAUSE_MS;
		}
		return false;
	}
	if (!peers_allow(acceptor->config.peers, fd)) {
		(void)close(fd);
		return true;
	}
	connection = make_room(acceptor);
	if (connection == NULL) {
		log_refusal(acceptor, "there are as many as are allowed");
		(void)close(fd);
		return true;
	}
	connection->fd = fd;
	connection->silent_ms = clock_mono_ms() + acceptor->config.silent_ms;
	look_at(acceptor, connection);
	return true;
}

/* Fills the poll table; returns how many entries, and in *out_timeout_ms how long to wait. */
static nfds_t
prepare(struct acceptor *acceptor, int *out_timeout_ms)
{
	int64_t now_ms = clock_mono_ms(), until_ms = now_ms + ACCEPT_TICK_MS;
	bool paused = acceptor->paused_ms > now_ms;
	nfds_t n = 2;

	acceptor->polls[0] = (struct pollfd){ .fd = acceptor->wake_fd, .events = POLLIN };
	acceptor->polls[1] =
		(struct pollfd){ .fd = paused ? -1 : acceptor->config.listen_fd, .events = POLLIN };
	if (paused)
		until_ms = acceptor->paused_ms;
	for (size_t i = 0; i < acceptor->config.max_connections; i++) {
		struct connection *connection = &acceptor->table[i];

		if (!is_waiting(connection))
			continue;
		if (connection->silent_ms <= now_ms) {
			drop(connection);
			continue;
		}
		if (connection->silent_ms < until_ms)
			until_ms = connection->silent_ms;
		acceptor->polled[n - 2] = i;
		acceptor->polls[n++] = (struct pollfd){ .fd = connection->fd, .events = POLLIN };
	}
	*out_timeout_ms = (int)(until_ms - now_ms);
	return n;
}

static void *
run(void *arg)
{
	struct acceptor *acceptor = arg;

	for (;;) {
		int timeout_ms;
		nfds_t n = prepare(acceptor, &timeout_ms);

		if (poll(acceptor->polls, n, timeout_ms) < 0)
			continue;
		if (acceptor->polls[0].revents != 0)
			return NULL;
		for (nfds_t i = 2; i < n; i++)
			if (acceptor->polls[i].revents != 0)
				look_at(acceptor, &acceptor->table[acceptor->polled[i - 2]]);
		for (int i = 0; acceptor->polls[1].revents != 0 && i < ACCEPT_MOST; i++)
			if (!accept_one(acceptor))
				break;
		acceptor->config.tick(acceptor->config.owner);
	}
}

static void
acceptor_free(struct acceptor *acceptor)
{
	if (acceptor->wake_fd >= 0)
		(void)close(acceptor->wake_fd);
	free(acceptor->table);
	free(acceptor->polls);
	free(acceptor->polled);
	free(acceptor);
}

struct acceptor *
accept_start(const struct accept_config *config, struct status *status)
{
	struct acceptor *acceptor = calloc(1, sizeof *acceptor);
	size_t n = config->max_connections;

	if (acceptor == NULL) {
		(void)status_fail(status, COSI_EXHAUSTED, "out of memory");
		return NULL;
	}
	acceptor->config = *config;
	acceptor->wake_fd = eventfd(0, EFD_CLOEXEC);
	acceptor->table = calloc(n, sizeof *acceptor->table);
	acceptor->polls = calloc(n + 2, sizeof *acceptor->polls);
	acceptor->polled = calloc(n, sizeof *acceptor->polled);
	if (acceptor->wake_fd >= 0 && acceptor->table != NULL && acceptor->polls != NULL &&
	    acceptor->polled != NULL) {
		for (size_t i = 0; i < n; i++)
			acceptor->table[i].fd = -1;
		if (pthread_create(&acceptor->thread, NULL, run, acceptor) == 0) {
			(void)pthread_setname_np(acceptor->thread, "cosid-accept");
			return acceptor;
		}
	}
	(void)status_fail(status, COSI_EXHAUSTED, "cannot start the accepting thread");
	acceptor_free(acceptor);
	return NULL;
}

void
accept_stop(struct acceptor *acceptor)
{
	(void)eventfd_write(acceptor->wake_fd, 1);
	(void)pthread_join(acceptor->thread, NULL);
	for (size_t i = 0; i < acceptor->config.max_connections; i++)
		if (is_waiting(&acceptor->table[i]))
			drop(&acceptor->table[i]);
	acceptor_free(acceptor);
}
