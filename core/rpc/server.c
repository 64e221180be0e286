/* SPDX-License-Identifier: Apache-2.0
 * server.c - the C core's server: one completion queue, one polling thread, an orderly end.
 *
 *   start: listen -> grpc_server -> slots -> polling thread -> accepting thread
 *   stop:  accepting thread -> node -> clients are asked to go -> no more calls -> calls in flight
 *          end -> the core's server -> polling thread -> free
 */
#include "rpc/server.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/listen.h"
#include "base/log.h"
#include "rpc/accept.h"
#include "rpc/core.h"
#include "rpc/limits.h"
#include "rpc/memory.h"
#include "rpc/peers.h"
#include "rpc/slot.h"

#include "banned.h"

/* How long clients may take to go when they are asked to, the last answers to be read, and the rest
 * of the connections to be closed. */
enum { LEAVE_MS = 200, READ_MS = 500, GOODBYE_MS = 50 };
/* Between two looks at the clock for a beat that is due. */
enum { EVENTS_PER_LOOK = 1024 };

struct server {
	struct listen_node node;
	struct peers peers;
	struct report *report;
	grpc_server *grpc;
	grpc_completion_queue *queue;
	grpc_server_credentials *credentials;
	struct slots slots;
	struct acceptor *acceptor;
	struct memory memory;
	pthread_t poller;
	bool polling;
	void (*beat)(void);
	int64_t beat_ms;
	struct tag t_down;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* of the monotonic clock */
	bool down;              /* guarded by mutex: the core's server has shut down */
};

/* Gives the sign of life; returns when the next one is due. */
static gpr_timespec
beat(const struct server *server)
{
	if (server->beat_ms == 0)
		return gpr_inf_future(GPR_CLOCK_MONOTONIC);
	server->beat();
	return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
			    gpr_time_from_millis(server->beat_ms, GPR_TIMESPAN));
}

static void *
poll_queue(void *arg)
{
	struct server *server = arg;
	gpr_timespec due = beat(server);

	for (unsigned nevents = 1;; nevents++) {
		grpc_event event = grpc_completion_queue_next(server->queue, due, NULL);
		struct tag *tag = event.tag;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		if (event.type == GRPC_OP_COMPLETE) {
			TAG_GOT(tag);
			tag->fn(tag, event.success != 0);
		}
		/* A queue that is never empty does not time out. */
		if (event.type == GRPC_QUEUE_TIMEOUT ||
		    (nevents % EVENTS_PER_LOOK == 0 &&
		     gpr_time_cmp(gpr_now(GPR_CLOCK_MONOTONIC), due) > 0))
			due = beat(server);
	}
}

static void
wake_stopper(void *owner)
{
	struct server *server = owner;
	LOCK_SCOPE(&server->mutex);

	pthread_cond_signal(&server->changed);
}

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

static void
take_connection(void *owner, int fd)
{
	struct server *server = owner;

	held_open(&server->slots.held, fd, clock_mono_ms());
	grpc_server_add_channel_from_fd(server->grpc, fd, server->credentials);
}

static int64_t
idle_since(void *owner, int fd)
{
	struct server *server = owner;

	return held_idle_since(&server->slots.held, fd);
}

/* The accepting thread's alone. */
static void
tick(void *owner, struct places *places)
{
	struct server *server = owner;
	int64_t now_ms = clock_mono_ms();

	report_tick(server->report, now_ms);
	memory_look(&server->memory, places, now_ms);
}

static int
start_core(struct server *server, struct router *router, struct status *status)
{
	core_init();
	server->queue = grpc_completion_queue_create_for_next(NULL);
	server->grpc = core_server_new();
	server->credentials = grpc_insecure_server_credentials_create();
	grpc_server_register_completion_queue(server->grpc, server->queue, NULL);
	server->slots.grpc = server->grpc;
	server->slots.queue = server->queue;
	server->slots.router = router;
	server->slots.report = server->report;
	server->slots.idle = wake_stopper;
	server->slots.owner = server;
	if (slots_init(&server->slots, status) != 0)
		return -1;
	grpc_server_start(server->grpc);
	if (slots_arm(&server->slots, status) != 0)
		return -1;
	if (pthread_create(&server->poller, NULL, poll_queue, server) != 0)
		return status_fail(status, COSI_EXHAUSTED, "cannot start the polling thread");
	server->polling = true;
	(void)pthread_setname_np(server->poller, "cosid-rpc");
	return 0;
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

static int
stop_core(struct server *server, int64_t drain_ms)
{
	int rc = server->polling ? drain(server, drain_ms) : 0;

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
		(void)poll_queue(server);
	grpc_completion_queue_destroy(server->queue);
	grpc_server_destroy(server->grpc);
	grpc_server_credentials_release(server->credentials);
	slots_done(&server->slots);
	grpc_shutdown_blocking();
	return rc;
}

/* Takes down what there is, in the order of the drawing above. */
static int
server_end(struct server *server, int64_t drain_ms)
{
	int rc = 0;

	if (server->acceptor != NULL)
		accept_stop(server->acceptor);
	if (server->acceptor != NULL && server->node.bound) {
		listen_withdraw(&server->node);
		accept_rest(server->acceptor);
	}
	listen_close(&server->node);
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

static struct server *
server_new(void)
{
	struct server *server = calloc(1, sizeof *server);
	pthread_condattr_t attr;

	if (server == NULL)
		return NULL;
	server->node.fd = -1;
	memory_init(&server->memory);
	pthread_mutex_init(&server->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&server->changed, &attr);
	pthread_condattr_destroy(&attr);
	return server;
}

static int
start_all(struct server *server, const struct server_config *config, struct router *router,
	  struct status *status)
{
	struct accept_config accept = {
		.peers = &server->peers,
		.max_connections = LIMIT_CONNECTIONS,
		.max_of_one = LIMIT_CONNECTIONS_USER,
		.silent_ms = LIMIT_SILENT_MS,
		.unwanted_ms = LIMIT_UNWANTED_MS,
		.owner = server,
		.take = take_connection,
		.idle_since = idle_since,
		.tick = tick,
	};

	server->beat = config->beat;
	server->beat_ms = config->beat_ms;
	server->report = report_new();
	if (server->report == NULL ||
	    peers_init(&server->peers, config->peers_limited, config->peer_uids, config->npeer_uids,
		       config->peer_gids, config->npeer_gids) != 0)
		return status_fail(status, COSI_EXHAUSTED, "out of memory");
	if (config->listen_fd >= 0
		    ? listen_adopt(&server->node, config->socket_path, config->listen_fd, status)
		    : listen_open(&server->node, config->socket_path, config->socket_mode, status))
		return -1;
	if (start_core(server, router, status) != 0)
		return -1;
	accept.listen_fd = server->node.fd;
	server->acceptor = accept_start(&accept, status);
	return server->acceptor != NULL ? 0 : -1;
}

struct server *
server_start(const struct server_config *config, struct router *router, struct status *status)
{
	struct server *server = server_new();

	if (server == NULL) {
		(void)status_fail(status, COSI_EXHAUSTED, "out of memory");
		return NULL;
	}
	if (start_all(server, config, router, status) == 0)
		return server;
	(void)server_end(server, 0);
	return NULL;
}

int
server_admit(struct server *server, const struct server_config *config, struct status *status)
{
	if (peers_change(&server->peers, config->peers_limited, config->peer_uids,
			 config->npeer_uids, config->peer_gids, config->npeer_gids) != 0)
		return status_fail(status, COSI_EXHAUSTED, "out of memory");
	accept_review(server->acceptor);
	return listen_set_mode(&server->node, config->socket_mode, status);
}

int
server_stop(struct server *server, int64_t drain_ms)
{
	return server_end(server, drain_ms);
}
