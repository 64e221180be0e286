/* SPDX-License-Identifier: Apache-2.0
 * server.c - the C core's server: one completion queue, which one thread polls; stop.c has its
 * end.
 *
 *   start: listen -> grpc_server -> slots -> polling thread -> handing thread -> accepting thread
 *   stop:  accepting thread -> node -> who had connected before -> clients are asked to go ->
 *          no more calls -> calls in flight end -> handing thread -> the core's server ->
 *          polling thread -> free; the core itself ends last of all (server_done())
 */
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "rpc/core.h"
#include "rpc/limits.h"
#include "rpc/server_state.h"

#include "banned.h"

/* Between two looks at the clock for a beat that is due; the first event of a turn has one. */
enum { EVENTS_PER_LOOK = 1024 };

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

/* Is a beat due?  A queue that is never empty does not time out. */
static bool
must_beat(const struct server *server, const grpc_event *event, unsigned nevents)
{
	return event->type == GRPC_QUEUE_TIMEOUT ||
	       (nevents % EVENTS_PER_LOOK == 0 &&
		gpr_time_cmp(gpr_now(GPR_CLOCK_MONOTONIC), server->due) > 0);
}

void
server_poll(struct server *server)
{
	for (unsigned nevents = 0;; nevents++) {
		grpc_event event = grpc_completion_queue_next(server->queue, server->due, NULL);
		struct tag *tag = event.tag;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return;
		if (must_beat(server, &event, nevents))
			server->due = beat(server);
		if (event.type == GRPC_OP_COMPLETE) {
			TAG_GOT(tag);
			tag->fn(tag, event.success != 0);
		}
	}
}

static void *
run_poller(void *arg)
{
	server_poll(arg);
	return NULL;
}

/* Signals are the main thread's. */
static int
start_poller(struct server *server, struct status *status)
{
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&server->poller, NULL, run_poller, server);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return status_fail(status, COSI_EXHAUSTED, "cannot start the polling thread: %s",
				   strerrordesc_np(error));
	(void)pthread_setname_np(server->poller, "cosid-poll");
	server->polling = true;
	return 0;
}

static void
wake_stopper(void *owner)
{
	struct server *server = owner;
	LOCK_SCOPE(&server->mutex);

	pthread_cond_signal(&server->changed);
}

static void
take_connection(void *owner, int fd)
{
	struct server *server = owner;

	held_expect(&server->slots.held, fd);
	hand_over(server->hand, fd);
}

/* On the handing thread.  The core's first frame is sent when this returns. */
static void
give_connection(void *owner, int fd)
{
	struct server *server = owner;

	grpc_server_add_channel_from_fd(server->grpc, fd, server->credentials);
	held_arrive(&server->slots.held, fd, clock_mono_ms());
}

static int64_t
idle_since(void *owner, int fd)
{
	struct server *server = owner;

	return held_idle_since(&server->slots.held, fd);
}

static unsigned
moves(void *owner, int fd)
{
	struct server *server = owner;

	return held_moves(&server->slots.held, fd);
}

/* The accepting thread's alone. */
static void
tick(void *owner, struct places *places)
{
	struct server *server = owner;
	int64_t now_ms = clock_mono_ms();

	report_tick(server->report, now_ms);
	guard_look(&server->guard, places, now_ms);
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
	server->due = gpr_inf_past(GPR_CLOCK_MONOTONIC); /* the poller gives the first one */
	return start_poller(server, status);
}

static struct server *
server_new(void)
{
	struct server *server = calloc(1, sizeof *server);
	pthread_condattr_t attr;

	if (server == NULL)
		return NULL;
	server->node.fd = -1;
	guard_init(&server->guard);
	pthread_mutex_init(&server->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&server->changed, &attr);
	pthread_condattr_destroy(&attr);
	return server;
}

static int
open_socket(struct server *server, const struct server_config *config, struct status *status)
{
	if (config->listen_fd >= 0)
		return unix_socket_adopt(&server->node, config->socket_path, config->listen_fd,
					 status);
	return unix_socket_open(&server->node, config->socket_path, config->socket_mode, status);
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
		.moves = moves,
		.tick = tick,
	};

	server->beat = config->beat;
	server->beat_ms = config->beat_ms;
	server->report = report_new();
	if (server->report == NULL ||
	    peers_init(&server->peers, config->peers_limited, config->peer_uids, config->npeer_uids,
		       config->peer_gids, config->npeer_gids) != 0)
		return status_no_memory(status);
	if (open_socket(server, config, status) != 0)
		return -1;
	if (start_core(server, router, status) != 0)
		return -1;
	server->hand = hand_start(LIMIT_CONNECTIONS, give_connection, server, status);
	if (server->hand == NULL)
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
		(void)status_no_memory(status);
		return NULL;
	}
	if (start_all(server, config, router, status) == 0)
		return server;
	(void)server_stop(server, 0);
	return NULL;
}

int
server_admit(struct server *server, const struct server_config *config, struct status *status)
{
	if (peers_change(&server->peers, config->peers_limited, config->peer_uids,
			 config->npeer_uids, config->peer_gids, config->npeer_gids) != 0)
		return status_no_memory(status);
	accept_review(server->acceptor);
	return unix_socket_set_mode(&server->node, config->socket_mode, status);
}
