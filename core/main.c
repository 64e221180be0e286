/* SPDX-License-Identifier: Apache-2.0
 * main.c - options, signals, and the order of start and stop; the only file that sees every layer.
 *
 *   config -> state directory -> generation (modules, instances) -> router -> server -> READY
 *   SIGHUP: reload.c, on this thread, while the server serves
 *   SIGTERM: server drains -> router joins its workers -> generation closes -> the C core ends
 */
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/log.h"
#include "base/secret.h"
#include "http/http.h"

#include "check.h"
#include "daemon.h"
#include "reload.h"
#include "signals.h"

#include "banned.h"

/* What a stop may take beyond drain_timeout: handlers that wait for a store's answer. */
enum { LAST_RESORT_S = 5 };
/* And after that, when all that is ours has ended: the C core's own threads. */
enum { CORE_S = 1 };

/* The error has no line when it is not the configuration that names the directory. */
static int
open_state(struct daemon *d, struct diag *diag)
{
	struct status status = { 0 };
	const char *file;
	int line = config_line(d->config, "state_dir", &file);

	d->state = state_open(d->config->state_dir, &status);
	if (d->state != NULL)
		return 0;
	diag_error(diag, line > 0 ? file : NULL, line, "%s", status.text);
	return -1;
}

/* Loads everything up to the point where calls could be served, as far as it goes, so that one run
 * shows all that is wrong.  0 or -1, errors are printed. */
static int
load(struct daemon *d, const struct options *options)
{
	struct diag diag = { 0 };
	int rc;

	d->config = config_load_partly(options->config_path, &diag);
	if (d->config != NULL) {
		d->started = config_ref(d->config);
		log_setup(d->config->log_level, d->config->log_json);
		if (open_state(d, &diag) == 0 && d->config->module_dir != NULL)
			d->generation = generation_open(d->config, state_path(d->state), NULL,
							options->check, &diag);
		config_forget(d->config);
	}
	rc = d->generation != NULL && diag.nerrors == 0 ? 0 : -1;
	if (options->check)
		check_print(&diag);
	else
		diag_log(&diag);
	diag_done(&diag);
	return rc;
}

/* A socket handed over by systemd, -1 when there is none, -2 when it is not the one we need.
 * Read before grpc starts: a wrong LISTEN_FDS must not make us adopt one of its descriptors. */
static int
inherited_socket(const char *path)
{
	int n = sd_listen_fds(1);

	if (n == 0)
		return -1;
	if (n == 1 && sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, path, 0) > 0)
		return SD_LISTEN_FDS_START;
	log_error("systemd handed over %d sockets, none of them listens on '%s'", n, path);
	return -2;
}

struct router_config
daemon_router_config(struct daemon *d, const struct config *config)
{
	return (struct router_config){
		.call_timeout_ms = config->call_timeout_ms,
		.create_settle_ms = config->create_settle_ms,
		.workers = (unsigned)config->workers,
		.idle = daemon_wake,
		.idle_arg = d,
	};
}

/* A socket that the configuration asks for must be there; without the default one it goes on. */
static int
serve_admin(struct daemon *d)
{
	const struct admin_config config = {
		.path = d->config->admin_path,
		.socket_path = d->config->socket_path,
		.router = d->router,
		.desk = &d->desk,
	};
	struct status status = { 0 };

	d->admin = admin_start(&config, &status);
	if (d->admin != NULL)
		return 0;
	if (!d->config->admin_given) {
		log_warning("%s: going on without", status.text);
		return 0;
	}
	log_error("%s", status.text);
	return -1;
}

struct server_config
daemon_server_config(struct daemon *d, const struct config *config)
{
	return (struct server_config){
		.socket_path = config->socket_path,
		.socket_mode = config->socket_mode,
		.peers_limited = config->peers_limited,
		.npeer_uids = config->npeer_uids,
		.npeer_gids = config->npeer_gids,
		.peer_uids = config->peer_uids,
		.peer_gids = config->peer_gids,
		.listen_fd = d->listen_fd,
		.beat = notify_beat,
		.beat_ms = notify_beat_ms(),
	};
}

static int
serve(struct daemon *d)
{
	const struct config *config = d->config;
	const struct router_config router_config = daemon_router_config(d, config);
	const struct server_config server_config = daemon_server_config(d, config);
	struct status status = { 0 };

	d->router = router_new(&router_config, d->generation, &status);
	d->generation = NULL;
	if (d->router != NULL && serve_admin(d) != 0)
		return -1;
	if (d->router != NULL)
		d->server = server_start(&server_config, d->router, &status);
	if (d->server == NULL || router_staff(d->router, &status) != 0) {
		log_error("%s", status.text);
		return -1;
	}
	log_notice("serving unix://%s as %s", config->socket_path, config->driver_name);
	notify_ready(d);
	return 0;
}

void
daemon_wake(void *arg)
{
	const struct daemon *d = arg;
	const uint64_t one = 1;

	/* A counter that is full wakes as well. */
	(void)!write(d->wake_fd, &one, sizeof one);
}

static bool
was_woken(const struct daemon *d)
{
	uint64_t count;

	return read(d->wake_fd, &count, sizeof count) == sizeof count;
}

static unsigned
stop_s(const struct daemon *d)
{
	return (unsigned)(d->config->drain_timeout_ms / 1000) + LAST_RESORT_S;
}

/* Serves until a signal ends it.  A SIGHUP that comes during a reload waits for its turn, once. */
static void
wait_for_stop(struct daemon *d)
{
	struct pollfd events[] = { { .fd = d->signal_fd, .events = POLLIN },
				   { .fd = d->wake_fd, .events = POLLIN } };
	enum asked asked;

	while ((asked = signals_take(d->signal_fd)) != ASKED_STOP) {
		bool reloads = asked == ASKED_RELOAD || desk_is_asked(&d->desk);

		if (!reloads)
			(void)poll(events, sizeof events / sizeof events[0], notify_look_ms());
		signals_enter_modules(stop_s(d));
		if (reloads)
			reload(d);
		if (was_woken(d))
			(void)router_reap(d->router);
		signals_leave_modules();
		notify_look(d);
	}
}

/* One that a signal has started already, while a module had the main thread, goes on. */
static void
shorten_alarm(unsigned s)
{
	unsigned left_s = alarm(0);

	(void)alarm(left_s > 0 && left_s < s ? left_s : s);
}

/* Their callers were answered; the stop waits for them, and ends without a further word when they
 * take too long. */
static void
tell_who_lingers(struct daemon *d)
{
	struct router_status *status = router_status(d->router);

	for (size_t i = 0; status != NULL && i < status->nlanes; i++) {
		if (status->lanes[i].running == 0)
			continue;
		shorten_alarm(LAST_RESORT_S);
		log_warning("backend '%s': %u calls have not come back from the store or "
			    "the module, waiting up to %d s more",
			    status->lanes[i].name, status->lanes[i].running, LAST_RESORT_S);
	}
	if (status != NULL)
		router_status_free(d->router, status);
}

static void
stop(struct daemon *d)
{
	notify_stopping();
	log_notice("stopping");
	desk_close(&d->desk);
	shorten_alarm(stop_s(d));
	router_drain(d->router);
	if (server_stop(d->server, d->config->drain_timeout_ms) != 0)
		log_warning("calls were cut off after %lld ms",
			    (long long)d->config->drain_timeout_ms);
	d->server = NULL;
	admin_stop(d->admin);
	d->admin = NULL;
	tell_who_lingers(d);
}

/* Nothing, if there was no server. */
static void
end_core(void)
{
	(void)alarm(CORE_S);
	server_done();
	(void)alarm(0); /* what it would end with is no exit status of ours */
}

static void
unload(struct daemon *d)
{
	/* Still there after a start that has failed half-way. */
	admin_stop(d->admin);
	if (d->router != NULL)
		router_free(d->router);
	if (d->generation != NULL)
		generation_unref(d->generation);
	if (d->state != NULL)
		state_close(d->state);
	config_unref(d->config);
	config_unref(d->started);
	desk_done(&d->desk);
	notify_done(&d->notify);
	if (d->signal_fd >= 0)
		(void)close(d->signal_fd);
	if (d->wake_fd >= 0)
		(void)close(d->wake_fd);
}

/* Every handler converges on a retry, so abandoning one loses nothing. */
static void
last_resort(int sig)
{
	(void)sig;
	_exit(EXIT_SUCCESS);
}

/* Before any thread exists: the allocators that every library then uses. */
static int
process_setup(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGALRM, last_resort);
#ifndef COSID_SANITIZED /* the leak checker attaches to its own process */
	(void)prctl(PR_SET_DUMPABLE, 0);
#endif
	json_set_alloc_funcs(wiped_malloc, wiped_free);
	if (http_global_init() != 0) {
		log_error("cannot initialise libcurl");
		return -1;
	}
	return 0;
}

/* Before any thread, too: the signals of all of them come to the main thread. */
static int
open_events(struct daemon *d)
{
	d->signal_fd = signals_open();
	d->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->signal_fd >= 0 && d->wake_fd >= 0)
		return 0;
	log_error("cannot wait for signals: %m");
	return -1;
}

static int
check(struct daemon *d, const struct options *options)
{
	bool sound = load(d, options) == 0;

	return d->generation == NULL ? EXIT_FAILURE
				     : check_backends(d->generation, d->config, options, sound);
}

/* Where it fails, unload() is left to close the modules. */
static int
live(struct daemon *d, const struct options *options)
{
	int rc;

	if (open_events(d) != 0)
		return EXIT_FAILURE;
	signals_enter_modules(LAST_RESORT_S);
	if (load(d, options) != 0 ||
	    (d->listen_fd = inherited_socket(d->config->socket_path)) == -2)
		return EXIT_FAILURE;
	signals_leave_modules();
	rc = serve(d) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	if (rc == EXIT_SUCCESS)
		wait_for_stop(d);
	if (d->server != NULL)
		stop(d);
	else
		signals_enter_modules(LAST_RESORT_S);
	return rc;
}

static int
run(const struct options *options)
{
	struct daemon d = { .options = options, .listen_fd = -1, .signal_fd = -1, .wake_fd = -1 };
	int rc;

	desk_init(&d.desk, daemon_wake, &d);
	if (process_setup() != 0)
		return EXIT_FAILURE;
	rc = options->check ? check(&d, options) : live(&d, options);
	unload(&d);
	http_global_done();
	if (rc == EXIT_SUCCESS && !options->check)
		log_notice("stopped");
	end_core();
	return rc;
}

int
main(int argc, char **argv)
{
	struct options options = { .config_path = config_default_path() };
	int rc = options_parse(argc, argv, &options);

	if (rc >= 0)
		return rc;
	if (options.describe_daemon)
		return check_describe_daemon();
	if (options.describe != NULL)
		return check_describe_module(options.describe);
	return run(&options);
}
