/* SPDX-License-Identifier: Apache-2.0
 * stop.c - the server's orderly end; the order is drawn in server.c. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "rpc/server_state.h"

#include "banned.h"

/* How long clients may take to go when they are asked to, the last answers to be read, and the rest
 * of the connections to be closed. */
enum { LEAVE_MS = 200, READ_MS = 500, GOODBYE_MS = 50 };

static void
on_down(struct tag *tag, bool ok)
{
	struct server *server =
		(struct server *)(void *)((char *)tag - offsetof(struct server, t_down));
	LOCK_SCOPE(&server->mutex);

	(void)ok;
	server->down = true;
	pthread_cond_signal(&server->changed);
}

static bool
is_answered(const struct server *server)
{
	return atomic_load(&server->slots.nasked) == 0;
}

static bool
is_idle(const struct server *server)
{
	return atomic_load(&server->slots.nbusy) == 0;
}

/* The core counts connections, not calls: it is down as soon as the last client has gone away,
 * however many of its calls still wait for their reply. */
static bool
is_down(const struct server *server)
{
	return server->down && is_idle(server);
}

/* Waits for that, or until the time is up.  Mutex held. */
static bool
wait_until(struct server *server, bool (*reached)(const struct server *), int64_t until_ms)
{
	struct timespec until = { .tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000 };

	while (!reached(server))
		if (pthread_cond_timedwait(&server->changed, &server->mutex, &until) == ETIMEDOUT)
			return reached(server);
	return true;
}

/* A client that does not read its socket keeps the core waiting for ever, with a call or without:
 * cancelling calls does not end a connection whose write is blocked. */
static void
hang_up(struct server *server)
{
	LOCK_SCOPE(&server->mutex);

	if (wait_until(server, is_idle, clock_mono_ms() + READ_MS) &&
	    wait_until(server, is_down, clock_mono_ms() + GOODBYE_MS))
		return;
	grpc_server_cancel_all_calls(server->grpc);
	if (server->acceptor != NULL)
		accept_cut(server->acceptor);
	while (!is_down(server))
		pthread_cond_wait(&server->changed, &server->mutex);
}

static void
see_off(struct server *server)
{
	if (server->acceptor != NULL)
		accept_see_off(server->acceptor, LEAVE_MS);
}

/* Calls are taken as long as clients may not know better.  0, or -1: some had to be cut off. */
static int
drain(struct server *server, int64_t drain_ms)
{
	bool answered;

	see_off(server);
	slots_drain(&server->slots);
	pthread_mutex_lock(&server->mutex);
	answered = wait_until(server, is_answered, clock_mono_ms() + drain_ms);
	pthread_mutex_unlock(&server->mutex);
	if (!answered)
		slots_cut(&server->slots); /* without the mutex: replies wake the stopper */
	see_off(server);
	return answered ? 0 : -1;
}

/* It may be busy with a client that sends without end. */
static void
end_hand(struct server *server)
{
	if (server->hand == NULL)
		return;
	if (server->acceptor != NULL && !hand_rests(server->hand, READ_MS))
		accept_cut(server->acceptor);
	hand_stop(server->hand);
}

static int
stop_core(struct server *server, int64_t drain_ms)
{
	int rc = server->polling ? drain(server, drain_ms) : 0;

	end_hand(server);
	slots_close(&server->slots);
	server->t_down.fn = on_down;
	TAG_POST(&server->t_down);
	grpc_server_shutdown_and_notify(server->grpc, server->queue, &server->t_down);
	if (server->polling)
		hang_up(server);
	grpc_completion_queue_shutdown(server->queue);
	if (server->polling)
		(void)pthread_join(server->poller, NULL);
	else
		server_poll(server);
	grpc_completion_queue_destroy(server->queue);
	grpc_server_destroy(server->grpc);
	grpc_server_credentials_release(server->credentials);
	slots_done(&server->slots);
	return rc;
}

int
server_stop(struct server *server, int64_t drain_ms)
{
	int rc = 0;

	if (server->acceptor != NULL)
		accept_stop(server->acceptor);
	if (server->acceptor != NULL && server->node.bound) {
		unix_socket_withdraw(&server->node);
		accept_rest(server->acceptor);
	}
	unix_socket_close(&server->node);
	if (server->grpc != NULL)
		rc = stop_core(server, drain_ms);
	if (server->acceptor != NULL)
		accept_free(server->acceptor);
	if (server->report != NULL)
		report_free(server->report);
	peers_done(&server->peers);
	pthread_cond_destroy(&server->changed);
	pthread_mutex_destroy(&server->mutex);
	free(server);
	return rc;
}

void
server_done(void)
{
	if (grpc_is_initialized())
		grpc_shutdown_blocking();
}
