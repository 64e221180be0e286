/* SPDX-License-Identifier: Apache-2.0
 * server.c - the C core's server: one completion queue, which one thread polls.
 *
 *   start: listen -> grpc_server -> calls -> polling thread -> handoff and accepting threads
 *   stop:  accepting thread -> node -> those who had connected before -> GOAWAY to all -> new calls
 *          are refused -> open calls end -> handoff thread -> the core's server -> polling thread
 *          -> free; the core itself ends last of all (server_done())
 */
#include "rpc/server.h"

#include <fcntl.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/unix_socket.h"
#include "rpc/connections.h"
#include "rpc/listener.h"
#include "rpc/rpc_call.h"

#include "banned.h"

/* Between two looks at the clock for a beat that is due; the first event has one. */
enum { EVENTS_PER_LOOK = 1024 };
/* How long clients may take to leave after GOAWAY; how long a connection that always has an open
 * call is spared it; how long the last answers may take to be read, and the core to close the rest
 * of the connections. */
enum { LEAVE_MS = 1000, SPARE_BUSY_MS = 100, READ_MS = 500, CLOSE_MS = 50 };

struct server {
	struct unix_socket node;
	struct peers peers;
	struct call_log log;
	struct connections connections;
	struct listener listener;
	bool listening; /* the listener was started */
	grpc_server *grpc;
	grpc_completion_queue *queue;
	grpc_server_credentials *credentials;
	struct rpc_calls calls;
	pthread_t poll_thread;
	bool polling; /* that thread was started */
	void (*beat)(void);
	int64_t beat_ms;
	struct tag t_down;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* down, or the last call was answered or has ended */
	bool down;              /* guarded by mutex: the core's server has shut down */
};

/* It logs why it cannot continue, and then ends the process: that must be logged regardless of the
 * level. */
static void
server_log_core(gpr_log_func_args *args)
{
	static const char last_words[] = "assertion failed";

	if (strncmp(args->message, last_words, sizeof last_words - 1) == 0)
		log_error("gRPC cannot go on: %s at %s:%d", args->message, args->file, args->line);
	else
		log_debug("grpc: %s", args->message);
}

/* What each of these costs or prevents was measured with 1.51: without the limit on streams the
 * core queues calls without end; pings tell dead peers from quiet ones, which live for ever;
 * a peer's pings are not counted, since a refusal of each is kept (130 MiB for 420 KB of them), and
 * those that read no answers are read no further; compressed requests are refused by the core,
 * since it would unpack any size of them. */
static grpc_server *
server_new_core(void)
{
	static const struct {
		const char *key;
		int value;
	} settings[] = {
		{ GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, LIMIT_MESSAGE },
		{ GRPC_ARG_MAX_CONCURRENT_STREAMS, LIMIT_STREAMS },
		{ GRPC_ARG_KEEPALIVE_TIME_MS, LIMIT_KEEPALIVE_MS },
		{ GRPC_ARG_KEEPALIVE_TIMEOUT_MS, LIMIT_KEEPALIVE_TIMEOUT_MS },
		{ GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1 },
		{ GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0 },
		{ GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0 },
		{ GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE },
		{ GRPC_ARG_ENABLE_CHANNELZ, 0 },
	};
	enum { N = sizeof settings / sizeof settings[0] };
	grpc_arg list[N + 1];
	grpc_channel_args args = { N + 1, list };
	grpc_resource_quota *quota = grpc_resource_quota_create("cosid");
	grpc_server *server;

	grpc_resource_quota_resize(quota, LIMIT_MEMORY);
	list[N].type = GRPC_ARG_POINTER;
	list[N].key = (char *)(uintptr_t)GRPC_ARG_RESOURCE_QUOTA;
	list[N].value.pointer.p = quota;
	list[N].value.pointer.vtable = grpc_resource_quota_arg_vtable();

	for (size_t i = 0; i < N; i++) {
		list[i].type = GRPC_ARG_INTEGER;
		list[i].key = (char *)(uintptr_t)settings[i].key;
		list[i].value.integer = settings[i].value;
	}
	server = grpc_server_create(&args, NULL);
	grpc_resource_quota_unref(quota);
	return server;
}

/* Until the queue has shut down. */
static void *
server_poll(void *arg)
{
	struct server *server = arg;
	gpr_timespec due = server->beat_ms != 0 ? gpr_inf_past(GPR_CLOCK_MONOTONIC)
						: gpr_inf_future(GPR_CLOCK_MONOTONIC);

	for (unsigned nevents = 0;; nevents++) {
		grpc_event event = grpc_completion_queue_next(server->queue, due, NULL);
		struct tag *tag = event.tag;
		gpr_timespec now;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		/* A queue that is never empty does not time out. */
		if (event.type == GRPC_QUEUE_TIMEOUT || nevents % EVENTS_PER_LOOK == 0) {
			now = gpr_now(GPR_CLOCK_MONOTONIC);
			if (gpr_time_cmp(now, due) >= 0) {
				server->beat();
				due = gpr_time_add(
					now, gpr_time_from_millis(server->beat_ms, GPR_TIMESPAN));
			}
		}
		if (event.type == GRPC_OP_COMPLETE) {
			TAG_GOT(tag);
			tag->fn(tag, event.success != 0);
		}
	}
}

static void
server_on_idle(void *owner)
{
	struct server *server = owner;
	LOCK_SCOPE(&server->mutex);

	pthread_cond_signal(&server->changed);
}

/* On the handoff thread.  The core's first frame is sent when this returns. */
static void
server_give(void *owner, int fd)
{
	struct server *server = owner;

	grpc_server_add_channel_from_fd(server->grpc, fd, server->credentials);
}

/* The core aborts the process when it gets no descriptors for its own use. */
static int
server_check_descriptors(int fd, struct status *status)
{
	enum { NEEDED = 16 };
	int fds[NEEDED], n = 0;
	bool enough;

	while (n < NEEDED && (fds[n] = fcntl(fd, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	enough = n == NEEDED;
	while (n > 0)
		(void)close(fds[--n]);
	return enough ? 0
		      : status_fail(status, COSI_EXHAUSTED,
				    "cannot start gRPC: less than %d descriptors are left: raise "
				    "the limit (LimitNOFILE=)",
				    NEEDED);
}

static int
server_start_all(struct server *server, const struct server_config *config, struct sched *sched,
		 struct status *status)
{
	int rc, error;

	server->beat = config->beat;
	server->beat_ms = config->beat_ms;
	if (peers_init(&server->peers, &config->allowed_peers) < 0)
		return status_no_memory(status);
	rc = config->listen_fd >= 0 ? unix_socket_adopt(&server->node, config->socket_path,
							config->listen_fd, status)
				    : unix_socket_open(&server->node, config->socket_path,
						       config->socket_mode, status);
	if (rc < 0 || server_check_descriptors(server->node.fd, status) < 0)
		return -1;
	gpr_set_log_function(server_log_core);
	grpc_init();
	server->queue = grpc_completion_queue_create_for_next(NULL);
	server->grpc = server_new_core();
	server->credentials = grpc_insecure_server_credentials_create();
	grpc_server_register_completion_queue(server->grpc, server->queue, NULL);
	server->calls.grpc = server->grpc;
	server->calls.queue = server->queue;
	server->calls.sched = sched;
	server->calls.connections = &server->connections;
	server->calls.log = &server->log;
	server->calls.idle = server_on_idle;
	server->calls.owner = server;
	if (rpc_calls_start(&server->calls, status) < 0)
		return -1;
	error = thread_start(&server->poll_thread, "cosid-poll", server_poll, server);
	if (error != 0)
		return status_fail(status, COSI_EXHAUSTED, "cannot start the polling thread: %s",
				   strerrordesc_np(error));
	server->polling = true;
	server->listener = (struct listener){ .fd = server->node.fd,
					      .connections = &server->connections,
					      .peers = &server->peers,
					      .give = server_give,
					      .owner = server };
	server->listening = true;
	return listener_start(&server->listener, status);
}

struct server *
server_start(const struct server_config *config, struct sched *sched, struct status *status)
{
	struct server *server = calloc(1, sizeof *server);

	if (server == NULL) {
		status_no_memory(status);
		return NULL;
	}
	server->node.fd = -1;
	pthread_mutex_init(&server->mutex, NULL);
	cond_init(&server->changed);
	call_log_init(&server->log);
	connections_init(&server->connections);
	if (server_start_all(server, config, sched, status) == 0)
		return server;
	(void)server_stop(server, 0);
	return NULL;
}

int
server_admit(struct server *server, const struct server_config *config, struct status *status)
{
	if (peers_change(&server->peers, &config->allowed_peers) < 0)
		return status_no_memory(status);
	listener_review(&server->listener);
	return unix_socket_set_mode(&server->node, config->socket_mode, status);
}

/* Waits until the counter of calls is 0, and with down until the core's server has shut down.
 * Returns false when the time is up first.  The core counts connections, not calls: it is down as
 * soon as the last client has gone away, however many of its calls still wait for their reply. */
static bool
server_wait(struct server *server, const atomic_size_t *counter, bool down, int64_t until_ms)
{
	bool in_time = true;
	LOCK_SCOPE(&server->mutex);

	while (atomic_load(counter) != 0 || (down && !server->down)) {
		if (!in_time)
			return false;
		in_time = cond_wait_until(&server->changed, &server->mutex, until_ms);
	}
	return true;
}

static void
server_on_down(struct tag *tag, bool ok)
{
	struct server *server =
		(struct server *)(void *)((char *)tag - offsetof(struct server, t_down));
	LOCK_SCOPE(&server->mutex);

	(void)ok;
	server->down = true;
	pthread_cond_signal(&server->changed);
}

/* Asks all clients to leave, and waits for those that were not asked before. */
static void
server_send_goaway(struct server *server)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int64_t begun_ms = clock_mono_ms(), past_ms = 0;

	while (past_ms < LEAVE_MS &&
	       connections_goaway(&server->connections, past_ms >= SPARE_BUSY_MS, LEAVE_MS)) {
		(void)nanosleep(&pause, NULL);
		past_ms = clock_mono_ms() - begun_ms;
	}
}

/* 0, or -1: calls had to be cut off. */
static int
server_stop_core(struct server *server, int64_t drain_ms)
{
	struct rpc_calls *calls = &server->calls;
	int rc = 0;

	if (server->polling) { /* calls are served as long as clients may not know better */
		server_send_goaway(server);
		atomic_store(&calls->draining, true);
		if (!server_wait(server, &calls->nunanswered, false, clock_mono_ms() + drain_ms)) {
			rpc_calls_cut(calls);
			rc = -1;
		}
		server_send_goaway(server);
	}
	/* The handoff thread may be kept by a client that sends without end. */
	if (server->listening) {
		if (!connections_wait_served(&server->connections, READ_MS))
			connections_close(&server->connections);
		listener_done(&server->listener);
	}
	atomic_store(&calls->closed, true);
	server->t_down.fn = server_on_down;
	TAG_POST(&server->t_down);
	grpc_server_shutdown_and_notify(server->grpc, server->queue, &server->t_down);
	/* A client that does not read its socket keeps the core waiting forever, with a call or
	 * without: cancelling calls does not end a connection whose write is blocked. */
	if (server->polling &&
	    (!server_wait(server, &calls->nopen, false, clock_mono_ms() + READ_MS) ||
	     !server_wait(server, &calls->nopen, true, clock_mono_ms() + CLOSE_MS))) {
		grpc_server_cancel_all_calls(server->grpc);
		connections_close(&server->connections);
		(void)server_wait(server, &calls->nopen, true, CLOCK_NEVER);
	}
	grpc_completion_queue_shutdown(server->queue);
	if (server->polling)
		(void)pthread_join(server->poll_thread, NULL);
	else
		(void)server_poll(server);
	grpc_completion_queue_destroy(server->queue);
	grpc_server_destroy(server->grpc);
	grpc_server_credentials_release(server->credentials);
	rpc_calls_done(calls);
	return rc;
}

int
server_stop(struct server *server, int64_t drain_ms)
{
	int rc = 0;

	if (server->listening)
		listener_stop_accepting(&server->listener);
	if (server->listening && server->node.bound) {
		unix_socket_withdraw(&server->node);
		listener_accept_rest(&server->listener);
	}
	unix_socket_close(&server->node);
	if (server->grpc != NULL)
		rc = server_stop_core(server, drain_ms);
	connections_done(&server->connections);
	call_log_done(&server->log);
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
