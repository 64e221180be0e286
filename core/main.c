/* SPDX-License-Identifier: Apache-2.0
 * main.c - the order of start and stop, and the main thread's loop; the only file that sees every
 * layer.
 *
 *   config -> generation (modules, instances) -> scheduler -> server -> READY
 *   SIGHUP: daemon_reload(), on this thread, while the server serves
 *   SIGTERM: server drains -> scheduler joins its workers -> generation closes -> the C core ends
 */
#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/http.h"
#include "module/crash.h"
#include "module/crash_record.h"
#include "module/load_check.h"
#include "routing/route.h"

#include "daemon.h"
#include "signals.h"

#include "banned.h"

/* What a stop may take beyond drain_timeout: handlers that wait for a store's answer. */
enum { LAST_RESORT_S = 5 };
/* And after that, when all layers have ended: the C core's own threads. */
enum { CORE_S = 1 };
/* How often the main thread looks around, and how much of the processor's time within such a period
 * makes it one of work. */
enum { LOOK_MS = 5000, WORK_MS = 100 };
/* After so many such periods without work free memory goes back to the system. */
enum { TRIM_FIRST = 2, TRIM_LAST = 5 };
/* malloc(): larger pieces have a mapping of their own, and that many bytes may lie idle; and fewer
 * arenas than eight for each processor, so that one thread uses what another has freed. */
enum { MALLOC_LARGE = 256 << 10, MALLOC_ARENAS = 4 };

/* ---- start -------------------------------------------------------------------------- */

/* The daemon serves without it, too. */
static void
open_crash_record(const struct daemon *d)
{
	struct status status = { 0 };
	char *path;

	if (d->config->admin_path == NULL || /* that was reported */
	    asprintf(&path, "%s.crashes", d->config->admin_path) < 0)
		return;
	if (crash_record_open(path, &status) < 0)
		log_warning("%s: going on without", status.text);
	free(path);
}

/* Loads everything up to the point where calls could be served, as far as it goes, so that one run
 * shows all that is wrong.  0 or -1, errors are printed. */
static int
daemon_load(struct daemon *d, const struct options *options)
{
	struct diag diag = { 0 };
	bool usable = false;

	d->config = config_load(options->config_path, &diag);
	if (d->config != NULL) {
		size_t nflaws = 0;

		d->started = config_ref(d->config);
		log_setup(d->config->log_level, d->config->log_json);
		/* An error in the entry of a backend leaves that backend out; any other ends the
		 * start. */
		for (size_t i = 0; i < d->config->nbackends; i++)
			nflaws += d->config->backends[i].nflaws;
		usable = diag.nerrors == nflaws;
		if (!options->check)
			open_crash_record(d);
		if (d->config->module_dir != NULL)
			d->generation = generation_open(
				d->config, NULL,
				options->check ? GENERATION_CHECK : GENERATION_START, &diag);
		if (d->generation == NULL || (options->check && diag.nerrors > 0))
			usable = false;
		if (usable)
			route_warn(d->generation, &diag);
		if (usable && options->check && d->config->nbackends == 0 &&
		    !d->config->backends_given)
			diag_warning(&diag, options->config_path, 0,
				     "a reload from backends to none is refused unless the file "
				     "has backends = ( );");
		if (d->generation == NULL || d->generation->nleft_out == 0)
			config_forget(d->config);
	}
	if (options->check)
		check_print(&diag);
	else
		diag_log(&diag);
	if (usable && !options->check && d->generation->nleft_out > 0)
		log_warning("%zu of %zu backends are left out: cosictl status says why",
			    d->generation->nleft_out, d->generation->nbackends);
	diag_done(&diag);
	return usable ? 0 : -1;
}

/* Sets listen_fd when systemd handed a socket over.  Before gRPC starts: a wrong LISTEN_FDS must
 * not name one of its descriptors. */
static int
inherit_socket(struct daemon *d)
{
	const char *path = d->config->socket_path;
	int n = sd_listen_fds(1);

	if (n == 0)
		return 0;
	if (n == 1 && sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, path, 0) > 0) {
		d->listen_fd = SD_LISTEN_FDS_START;
		return 0;
	}
	if (n < 0)
		log_error("cannot take over the socket of systemd: %s", strerrordesc_np(-n));
	else if (n > 1)
		log_error("systemd handed over %d sockets, cosid takes one, '%s'", n, path);
	else
		log_error("the socket that systemd handed over does not listen on '%s'", path);
	return -1;
}

/* 0 or -1, logged. */
static int
daemon_serve(struct daemon *d)
{
	const struct config *config = d->config;
	const struct sched_config sched_config = daemon_sched_config(d, config);
	const struct server_config server_config = daemon_server_config(d, config);
	struct admin_config admin_config = {
		.path = config->admin_path,
		.socket_path = config->socket_path,
		.reloads = &d->reloads,
	};
	struct generation *serving;
	struct status status = { 0 };

	d->retry_ms = clock_mono_ms() + DAEMON_RETRY_MS;
	d->sched = sched_new(&sched_config, d->generation, &status);
	d->generation = NULL;
	if (d->sched == NULL)
		goto failed;
	admin_config.sched = d->sched;
	d->admin = admin_start(&admin_config, &status);
	/* The configuration's socket must be there; the default one need not. */
	if (d->admin == NULL && config->admin_given)
		goto failed;
	if (d->admin == NULL) {
		log_warning("%s: going on without", status.text);
		status = (struct status){ 0 };
	}
	d->server = server_start(&server_config, d->sched, &status);
	if (d->server == NULL)
		goto failed;
	serving = sched_pin(d->sched);
	crash_record_write(serving);
	sched_unpin(d->sched, serving);
	log_notice("serving unix://%s as %s", config->socket_path, config->driver_name);
	d->systemd.sched = d->sched;
	d->systemd.socket_path = d->started->socket_path;
	systemd_ready(&d->systemd);
	return 0;
failed:
	log_error("%s", status.text);
	return -1;
}

/* ---- the main thread's loop ---------------------------------------------------------- */

/* Gives free memory back when the process has done little for 10 s after a period of work, and once
 * more after 25 s, when the idle HTTP connections have been closed, too. */
static void
trim_when_idle(void)
{
	static int64_t next_ms, used_us;
	static unsigned nidle = TRIM_LAST;
	int64_t now_ms = clock_mono_ms(), now_us;

	if (now_ms < next_ms)
		return;
	next_ms = now_ms + LOOK_MS;
	now_us = clock_us(CLOCK_PROCESS_CPUTIME_ID);
	if (now_us - used_us >= WORK_MS * 1000)
		nidle = 0;
	else if (nidle < TRIM_LAST && (++nidle == TRIM_FIRST || nidle == TRIM_LAST))
		(void)malloc_trim(0);
	used_us = clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

static unsigned
stop_limit_s(const struct daemon *d)
{
	return (unsigned)(d->config->drain_timeout_ms / 1000) + LAST_RESORT_S;
}

/* Serves until a signal ends it.  A SIGHUP that comes during a reload waits for its turn, once. */
static void
wait_for_stop(struct daemon *d)
{
	struct pollfd events[] = { { .fd = d->signal_fd, .events = POLLIN },
				   { .fd = d->wake_fd, .events = POLLIN } };
	enum signal_request request;

	while ((request = signals_take(d->signal_fd)) != SIGNAL_STOP) {
		bool reloads = request == SIGNAL_RELOAD || reload_queue_is_waiting(&d->reloads);
		uint64_t nwakes;

		if (!reloads)
			(void)poll(events, sizeof events / sizeof events[0], LOOK_MS);
		signals_enter_modules(stop_limit_s(d));
		if (reloads)
			daemon_reload(d);
		daemon_retry(d);
		if (read(d->wake_fd, &nwakes, sizeof nwakes) == sizeof nwakes)
			(void)sched_reap(d->sched);
		signals_leave_modules();
		systemd_update(&d->systemd);
		trim_when_idle();
	}
}

/* ---- stop --------------------------------------------------------------------------- */

static void
daemon_stop(struct daemon *d)
{
	struct sched_status *status;

	systemd_stopping();
	log_notice("stopping");
	reload_queue_close(&d->reloads);
	signals_end_within(stop_limit_s(d));
	sched_answer_at_once(d->sched);
	if (server_stop(d->server, d->config->drain_timeout_ms) < 0)
		log_warning("calls were cut off after %lld ms",
			    (long long)d->config->drain_timeout_ms);
	d->server = NULL;
	admin_stop(d->admin);
	d->admin = NULL;
	/* The callers were answered; the stop waits for what still runs, and ends without a further
	 * line when that takes too long. */
	status = sched_status(d->sched);
	for (size_t i = 0; status != NULL && i < status->nqueues; i++) {
		if (status->queues[i].running == 0)
			continue;
		signals_end_within(LAST_RESORT_S);
		log_warning("backend '%s': waiting up to %d s more for %u call%s that the store or "
			    "the module has not finished",
			    status->queues[i].name, LAST_RESORT_S, status->queues[i].running,
			    status->queues[i].running == 1 ? "" : "s");
	}
	sched_status_free(d->sched, status);
}

/* After a start that has failed half-way, too. */
static void
daemon_close(struct daemon *d)
{
	admin_stop(d->admin);
	if (d->sched != NULL)
		sched_free(d->sched);
	if (d->generation != NULL)
		generation_unref(d->generation);
	config_unref(d->config);
	config_unref(d->started);
	reload_queue_done(&d->reloads);
	systemd_done(&d->systemd);
	if (d->signal_fd >= 0)
		(void)close(d->signal_fd);
	if (d->wake_fd >= 0)
		(void)close(d->wake_fd);
}

/* ---- the process -------------------------------------------------------------------- */

/* The next descriptors would take the place of standard streams that were closed, and log lines go
 * to a client. */
static void
open_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDWR);
}

/* Before any thread exists: the allocators that every library then uses. */
static int
process_setup(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	/* At a limit of the file size a write() fails. */
	(void)signal(SIGXFSZ, SIG_IGN);
#ifndef COSID_SANITIZED /* the leak checker attaches to its own process */
	(void)prctl(PR_SET_DUMPABLE, 0);
#endif
	/* Fixed: glibc would raise both after one large answer and keep what calls gave back. */
	(void)mallopt(M_MMAP_THRESHOLD, MALLOC_LARGE);
	(void)mallopt(M_TRIM_THRESHOLD, MALLOC_LARGE);
	(void)mallopt(M_ARENA_MAX, MALLOC_ARENAS);
	json_set_alloc_funcs(charged_malloc, charged_free);
	if (http_global_init() == 0)
		return 0;
	log_error("cannot initialise libcurl");
	return -1;
}

static int
run_check(struct daemon *d, const struct options *options)
{
	bool sound = daemon_load(d, options) == 0;

	return d->generation == NULL ? EXIT_FAILURE
				     : check_backends(d->generation, d->config, options, sound);
}

/* Where it fails, daemon_close() is left to close the modules. */
static int
run_daemon(struct daemon *d, const struct options *options)
{
	int rc = EXIT_FAILURE;

	/* Before any thread: the signals of all of them come to the main thread. */
	d->signal_fd = signals_open();
	d->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->signal_fd < 0 || d->wake_fd < 0) {
		log_error("cannot wait for signals: %m");
		return EXIT_FAILURE;
	}
	signals_enter_modules(LAST_RESORT_S);
	if (daemon_load(d, options) < 0 || inherit_socket(d) < 0)
		return EXIT_FAILURE;
	signals_leave_modules();
	if (daemon_serve(d) == 0) {
		rc = EXIT_SUCCESS;
		wait_for_stop(d);
	}
	if (d->server != NULL)
		daemon_stop(d);
	else
		signals_enter_modules(LAST_RESORT_S);
	return rc;
}

int
main(int argc, char **argv)
{
	struct options options = { .config_path = config_default_path() };
	struct daemon d = { .options = &options, .listen_fd = -1, .signal_fd = -1, .wake_fd = -1 };
	int rc;

	open_streams();
	if (argc == 2 && strcmp(argv[1], LOAD_CHECK_OPTION) == 0)
		return load_check_child();
	rc = options_parse(argc, argv, &options);
	if (rc >= 0)
		return options_printed(rc);
	if (options.describe_daemon)
		return options_printed(check_describe_daemon());
	if (options.describe != NULL)
		return options_printed(check_describe_module(options.describe));
	reload_queue_init(&d.reloads, daemon_wake, &d);
	check_as_service(&options);
	if (process_setup() < 0)
		return EXIT_FAILURE;
	crash_install();
	rc = options.check ? run_check(&d, &options) : run_daemon(&d, &options);
	signals_set_status(rc);
	daemon_close(&d);
	http_global_done();
	if (rc == EXIT_SUCCESS && !options.check)
		log_notice("stopped");
	/* The C core waits for its threads without a limit of its own. */
	signals_end_within(CORE_S);
	server_done();
	(void)alarm(0);
	crash_expect_exit();
	crash_record_end();
	return options.check ? options_printed(rc) : rc;
}
