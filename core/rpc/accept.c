/* SPDX-License-Identifier: Apache-2.0
 * accept.c - the accepting thread.
 *
 * Nobody says when the core closes a connection that it was given.  But a socket's inode number
 * tells whether the descriptor still is that socket, so the table is swept.
 */
#include "rpc/accept_state.h"

#include <errno.h>
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

/* How many are accepted before those that wait are looked at again. */
enum { ACCEPT_MOST = 64 };
/* The core closes what was shut down within a millisecond or so, if the machine is not too busy. */
enum { EVICT_MS = 1000 };
enum { PAUSE_MS = 100, UNWANTED_TICK_MS = 100, LOG_EVERY_MS = 60000 };

static void
drop(struct place *place)
{
	(void)close(place->fd);
	place->fd = -1;
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

void
acceptor_look_at(struct acceptor *acceptor, struct place *place)
{
	struct stat st;
	char byte;
	ssize_t n = recv(place->fd, &byte, 1, MSG_PEEK);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || fstat(place->fd, &st) != 0) {
		drop(place);
		return;
	}
	place->ino = st.st_ino;
	place->silent_ms = CLOCK_NEVER;
	acceptor->config.take(acceptor->config.owner, place->fd);
}

/* Shuts down a connection that was handed on, and waits until the core has closed it. */
static void
evict(struct acceptor *acceptor, const struct place *place)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	place_cut(place);
	for (int ms = 0; place->fd >= 0 && ms < EVICT_MS; ms++) {
		(void)nanosleep(&pause, NULL);
		places_sweep(&acceptor->places);
	}
}

/* A place for one more of that user: a free one, one that the core has freed, or that of whoever
 * gives way (places.h).  NULL: there is none. */
static struct place *
make_room(struct acceptor *acceptor, uid_t uid)
{
	struct place *room = places_find(&acceptor->places, uid), *other;

	if (room != NULL)
		return room;
	places_sweep(&acceptor->places);
	while ((room = places_find(&acceptor->places, uid)) == NULL) {
		other = places_choose(&acceptor->places, uid);
		if (other == NULL)
			return NULL;
		if (!places_waits(other)) {
			evict(acceptor, other);
			return places_find(&acceptor->places, uid);
		}
		acceptor_look_at(acceptor, other);
		if (places_waits(other))
			drop(other);
	}
	return room;
}

bool
acceptor_accept(struct acceptor *acceptor)
{
	int fd = accept4(acceptor->config.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct place *place;
	uid_t uid;

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
	uid = peers_uid(fd);
	place = make_room(acceptor, uid);
	if (place == NULL) {
		log_refusal(acceptor, "there are as many as are allowed");
		(void)close(fd);
		return true;
	}
	*place = (struct place){ .fd = fd,
				 .uid = uid,
				 .silent_ms = clock_mono_ms() + acceptor->config.silent_ms };
	acceptor_look_at(acceptor, place);
	return true;
}

/* Who may not stay?  Those that say nothing yet go at once. */
static void
review(struct acceptor *acceptor)
{
	int64_t cut_ms = clock_mono_ms() + acceptor->config.unwanted_ms;

	places_sweep(&acceptor->places);
	for (size_t i = 0; i < acceptor->places.n; i++) {
		struct place *place = &acceptor->places.table[i];
		bool waits = places_waits(place);
		CLEANUP_FD int fd = place->fd < 0 || waits ? -1 : place_copy(place);

		if (waits && !peers_allow(acceptor->config.peers, place->fd))
			drop(place);
		else if (fd >= 0)
			place->cut_ms = peers_allow(acceptor->config.peers, fd) ? 0 : cut_ms;
	}
}

/* Cuts the unwanted that have no call or no time; says whether some are left. */
static bool
show_out(struct acceptor *acceptor, int64_t now_ms)
{
	const struct accept_config *config = &acceptor->config;
	bool left = false;

	for (size_t i = 0; i < acceptor->places.n; i++) {
		struct place *place = &acceptor->places.table[i];

		if (place->fd < 0 || place->cut_ms == 0)
			continue;
		if (place->cut_ms <= now_ms ||
		    config->idle_since(config->owner, place->fd) != CLOCK_NEVER) {
			place_cut(place);
			place->cut_ms = 0;
		}
		left |= place->cut_ms != 0;
	}
	return left;
}

/* Fills the poll table; returns how many entries, and in *out_timeout_ms how long to wait. */
static nfds_t
prepare(struct acceptor *acceptor, int *out_timeout_ms)
{
	int64_t now_ms = clock_mono_ms(), until_ms = now_ms + ACCEPT_TICK_MS;
	int64_t look_ms = now_ms + ACCEPT_LOOK_MS;
	bool paused = acceptor->paused_ms > now_ms;
	nfds_t n = 2;

	acceptor->polls[0] = (struct pollfd){ .fd = acceptor->wake_fd, .events = POLLIN };
	acceptor->polls[1] =
		(struct pollfd){ .fd = paused ? -1 : acceptor->config.listen_fd, .events = POLLIN };
	if (paused)
		until_ms = acceptor->paused_ms;
	if (show_out(acceptor, now_ms) && now_ms + UNWANTED_TICK_MS < until_ms)
		until_ms = now_ms + UNWANTED_TICK_MS;
	for (size_t i = 0; i < acceptor->places.n; i++) {
		struct place *place = &acceptor->places.table[i];

		if (place->fd >= 0 && look_ms < until_ms)
			until_ms = look_ms;
		if (!places_waits(place))
			continue;
		if (place->silent_ms <= now_ms) {
			drop(place);
			continue;
		}
		if (place->silent_ms < until_ms)
			until_ms = place->silent_ms;
		acceptor->polled[n - 2] = i;
		acceptor->polls[n++] = (struct pollfd){ .fd = place->fd, .events = POLLIN };
	}
	*out_timeout_ms = (int)(until_ms - now_ms);
	return n;
}

/* Woken for that, or for a review. */
static bool
is_to_stop(struct acceptor *acceptor)
{
	eventfd_t count;

	(void)eventfd_read(acceptor->wake_fd, &count);
	if (atomic_load(&acceptor->stopping))
		return true;
	review(acceptor);
	return false;
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
		if (acceptor->polls[0].revents != 0 && is_to_stop(acceptor))
			return NULL;
		for (nfds_t i = 2; i < n; i++)
			if (acceptor->polls[i].revents != 0)
				acceptor_look_at(acceptor,
						 &acceptor->places.table[acceptor->polled[i - 2]]);
		for (int i = 0; acceptor->polls[1].revents != 0 && i < ACCEPT_MOST; i++)
			if (!acceptor_accept(acceptor))
				break;
		places_sweep(&acceptor->places);
		acceptor->config.tick(acceptor->config.owner, &acceptor->places);
	}
}

void
accept_free(struct acceptor *acceptor)
{
	for (size_t i = 0; i < acceptor->places.n && acceptor->places.table != NULL; i++)
		if (places_waits(&acceptor->places.table[i]))
			drop(&acceptor->places.table[i]);
	if (acceptor->wake_fd >= 0)
		(void)close(acceptor->wake_fd);
	places_done(&acceptor->places);
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
		(void)status_no_memory(status);
		return NULL;
	}
	acceptor->config = *config;
	acceptor->wake_fd = eventfd(0, EFD_CLOEXEC);
	acceptor->places = (struct places){ .n = n,
					    .most_of_one = config->max_of_one,
					    .idle_since = config->idle_since,
					    .moves = config->moves,
					    .owner = config->owner };
	acceptor->polls = calloc(n + 2, sizeof *acceptor->polls);
	acceptor->polled = calloc(n, sizeof *acceptor->polled);
	if (places_init(&acceptor->places) == 0 && acceptor->wake_fd >= 0 &&
	    acceptor->polls != NULL && acceptor->polled != NULL &&
	    pthread_create(&acceptor->thread, NULL, run, acceptor) == 0) {
		(void)pthread_setname_np(acceptor->thread, "cosid-accept");
		return acceptor;
	}
	(void)status_fail(status, COSI_EXHAUSTED, "cannot start the accepting thread");
	accept_free(acceptor);
	return NULL;
}

void
accept_review(struct acceptor *acceptor)
{
	(void)eventfd_write(acceptor->wake_fd, 1);
}

void
accept_stop(struct acceptor *acceptor)
{
	atomic_store(&acceptor->stopping, true);
	(void)eventfd_write(acceptor->wake_fd, 1);
	(void)pthread_join(acceptor->thread, NULL);
}
