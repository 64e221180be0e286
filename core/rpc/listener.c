/* SPDX-License-Identifier: Apache-2.0
 * listener.c - the accepting thread and the handoff thread. */
#include "rpc/listener.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

#include "banned.h"

/* How many are accepted before the connections are checked again. */
enum { ACCEPT_BATCH = 64 };
enum { ACCEPT_PAUSE_MS = 100, ACCEPT_LOG_MS = 60000 };

enum accepted { ACCEPTED_ONE, ACCEPTED_NONE, ACCEPT_FAILED };

static enum accepted
listener_accept(struct listener *listener)
{
	int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int64_t now_ms = clock_mono_ms();
	struct ucred peer;

	if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
		return ACCEPTED_ONE;
	if (fd < 0 && errno == EAGAIN)
		return ACCEPTED_NONE;
	if (fd < 0) { /* EMFILE, ENFILE, ENOMEM, ENOBUFS */
		if (listener->logged_ms == 0 || now_ms - listener->logged_ms >= ACCEPT_LOG_MS) {
			listener->logged_ms = now_ms;
			log_warning("cannot accept a connection: %s", strerrordesc_np(errno));
		}
		return ACCEPT_FAILED;
	}
	if (peers_identify(fd, &peer) < 0 || !peers_allow(listener->peers, fd, &peer) ||
	    connections_add(listener->connections, fd, &peer, now_ms) < 0)
		(void)close(fd);
	return ACCEPTED_ONE;
}

static void *
listener_accept_main(void *arg)
{
	struct listener *listener = arg;
	struct pollfd polls[] = { { .fd = listener->wake_fd, .events = POLLIN },
				  { .fd = listener->fd, .events = POLLIN } };
	bool pause = false;

	for (;;) {
		bool some = connections_check(listener->connections, clock_mono_ms());
		enum accepted rc = ACCEPTED_ONE;
		eventfd_t count;

		polls[1].fd = pause ? -1 : listener->fd;
		if (poll(polls, 2, pause ? ACCEPT_PAUSE_MS : some ? LIMIT_CHECK_MS : -1) < 0)
			continue;
		if (polls[0].revents != 0) {
			(void)eventfd_read(listener->wake_fd, &count);
			if (atomic_load(&listener->stopping))
				return NULL;
			connections_review(listener->connections, listener->peers, clock_mono_ms());
		}
		for (int i = 0; polls[1].revents != 0 && rc == ACCEPTED_ONE && i < ACCEPT_BATCH;
		     i++)
			rc = listener_accept(listener);
		pause = rc == ACCEPT_FAILED;
	}
}

static void *
listener_handoff_main(void *arg)
{
	struct listener *listener = arg;
	struct connection *next;

	while ((next = connections_next(listener->connections)) != NULL) {
		listener->give(listener->owner, next->fd);
		connections_served(listener->connections, next, clock_mono_ms());
	}
	return NULL;
}

int
listener_start(struct listener *listener, struct status *status)
{
	int error;

	listener->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (listener->wake_fd < 0)
		return status_fail(status, COSI_EXHAUSTED, "cannot make an eventfd: %s",
				   strerrordesc_np(errno));
	error = thread_start(&listener->handoff_thread, "cosid-handoff", listener_handoff_main,
			     listener);
	listener->handing_off = error == 0;
	if (error == 0) {
		error = thread_start(&listener->accept_thread, "cosid-accept", listener_accept_main,
				     listener);
		listener->accepting = error == 0;
	}
	if (error == 0)
		return 0;
	return status_fail(status, COSI_EXHAUSTED, "cannot start the threads for connections: %s",
			   strerrordesc_np(error));
}

void
listener_review(struct listener *listener)
{
	(void)eventfd_write(listener->wake_fd, 1);
}

void
listener_stop_accepting(struct listener *listener)
{
	if (!listener->accepting)
		return;
	atomic_store(&listener->stopping, true);
	(void)eventfd_write(listener->wake_fd, 1);
	(void)pthread_join(listener->accept_thread, NULL);
	listener->accepting = false;
}

void
listener_accept_rest(struct listener *listener)
{
	for (int i = 0; i < LIMIT_CONNECTIONS; i++)
		if (listener_accept(listener) != ACCEPTED_ONE)
			return;
}

void
listener_done(struct listener *listener)
{
	listener_stop_accepting(listener);
	connections_stop(listener->connections);
	if (listener->handing_off)
		(void)pthread_join(listener->handoff_thread, NULL);
	listener->handing_off = false;
	if (listener->wake_fd >= 0)
		(void)close(listener->wake_fd);
	listener->wake_fd = -1;
}
