/* SPDX-License-Identifier: Apache-2.0
 * daemon.c - what the layers are given of the daemon and its configuration; reload.
 *
 *   parse ─► keep what cannot change ─► check, load, open ─► sched_swap() ─► log, limits
 *     └──────────────┴────────────────────────┴─► any error: the old generation continues to serve
 */
#include "daemon.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

void
daemon_wake(void *arg)
{
	const struct daemon *daemon = arg;
	const uint64_t one = 1;

	/* A counter that is full wakes as well. */
	(void)!write(daemon->wake_fd, &one, sizeof one);
}

struct sched_config
daemon_sched_config(struct daemon *daemon, const struct config *config)
{
	return (struct sched_config){
		.call_timeout_ms = config->call_timeout_ms,
		.create_settle_ms = config->create_settle_ms,
		.workers = (unsigned)config->workers,
		.reap = daemon_wake,
		.reap_arg = daemon,
	};
}

struct server_config
daemon_server_config(struct daemon *daemon, const struct config *config)
{
	return (struct server_config){
		.socket_path = config->socket_path,
		.socket_mode = config->socket_mode,
		.allowed_peers = { .limited = config->peers_limited,
				   .nuids = config->npeer_uids,
				   .ngids = config->npeer_gids,
				   .uids = config->peer_uids,
				   .gids = config->peer_gids },
		.listen_fd = daemon->listen_fd,
		.beat = systemd_beat,
		.beat_ms = systemd_beat_ms(),
	};
}

/* ---- reload ---- */

/* Its generation serves, or nothing has changed.  0 or -1 with diag. */
static int
reload_config(struct daemon *daemon, struct config *config, struct diag *diag)
{
	const struct sched_config limits = daemon_sched_config(daemon, config);
	const struct server_config access = daemon_server_config(daemon, config);
	struct generation *serving = sched_pin(daemon->sched);
	struct generation *next = generation_open(config, serving, false, diag);
	struct status status = { 0 };

	/* Sidecars ask for the protocols once, when they start. */
	if (next != NULL && next->protocols != serving->protocols)
		diag_warning(diag, NULL, 0,
			     "the protocols that are served have changed: restart the sidecars");
	sched_unpin(daemon->sched, serving);
	if (next == NULL)
		return -1;
	if (sched_swap(daemon->sched, &limits, next, &status) < 0) {
		diag_error(diag, NULL, 0, "%s", status.text);
		generation_unref(next);
		return -1;
	}
	if (server_admit(daemon->server, &access, &status) < 0)
		diag_warning(diag, NULL, 0, "%s", status.text);
	log_setup(config->log_level, config->log_json);
	config_unref(daemon->config);
	daemon->config = config_ref(config);
	return 0;
}

void
daemon_reload(struct daemon *daemon)
{
	struct reload_report report = { .at_s = 0 };
	int64_t begun_us = clock_mono_us();
	struct generation *serving;
	struct diag diag = { 0 };
	struct config *config;
	/* Of a reload that has failed: the first error; without memory there may be none. */
	const char *why = "out of memory";

	reload_queue_begin(&daemon->reloads);
	systemd_reloading(begun_us);
	log_notice("reloading '%s'", daemon->options->config_path);
	config = config_load(daemon->options->config_path, &diag);
	if (config != NULL) {
		config_keep(config, daemon->config, &diag);
		report.ok = diag.nerrors == 0 && reload_config(daemon, config, &diag) == 0;
		config_forget(config);
		config_unref(config);
	}
	serving = sched_pin(daemon->sched);
	report.generation = serving->number;
	report.nbackends = serving->nbackends;
	report.at_s = clock_wall_s();
	report.took_us = clock_mono_us() - begun_us;
	sched_unpin(daemon->sched, serving);
	(void)sched_reap(daemon->sched);
	diag_log(&diag);
	if (report.ok)
		log_notice("generation %u serves %zu backend%s, reloaded in %" PRId64 " ms",
			   report.generation, report.nbackends, report.nbackends == 1 ? "" : "s",
			   report.took_us / 1000);
	else
		log_error("reload failed, generation %u continues to serve", report.generation);
	for (size_t i = diag.nlines; i > 0; i--)
		if (diag.marks[i - 1] == DIAG_NO_MARK)
			why = diag.lines[i - 1];
	/* First systemd: a client of the admin socket may ask it next. */
	systemd_reloaded(&daemon->systemd, report.ok ? NULL : why);
	reload_queue_end(&daemon->reloads, &report, &diag);
	diag_done(&diag);
}
