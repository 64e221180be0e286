/* SPDX-License-Identifier: Apache-2.0
 * daemon.c - what the layers are given of the daemon and its configuration; reload.
 *
 *   parse ─► keep what cannot change ─► check, load, open ─► sched_swap() ─► log, limits
 *     └──────────────┴────────────────────────┴─► any error: the old generation continues to serve
 */
#include "daemon.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "module/crash_record.h"
#include "routing/route.h"

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
	struct generation *next = generation_open(config, serving, GENERATION_RELOAD, diag);
	struct status status = { 0 };

	/* Sidecars ask for the protocols once, when they start. */
	if (next != NULL && next->protocols != serving->protocols)
		diag_warning(diag, NULL, 0,
			     "the protocols that are served have changed: restart the sidecars");
	sched_unpin(daemon->sched, serving);
	if (next == NULL)
		return -1;
	route_warn(next, diag);
	if (sched_swap(daemon->sched, &limits, next, &status) < 0) {
		diag_error(diag, NULL, 0, "%s", status.text);
		generation_unref(next);
		return -1;
	}
	if (server_admit(daemon->server, &access, &status) < 0)
		diag_warning(diag, NULL, 0, "%s", status.text);
	log_setup(config->log_level, config->log_json);
	crash_record_write(next);
	config_forget(daemon->config); /* kept while a backend was left out */
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
	const char *why;

	reload_queue_begin(&daemon->reloads);
	systemd_reloading(begun_us);
	log_notice("reloading '%s'", daemon->options->config_path);
	config = config_load(daemon->options->config_path, &diag);
	if (config != NULL) {
		config_keep(config, daemon->config, &diag);
		report.ok = diag.nerrors == 0 && reload_config(daemon, config, &diag) == 0;
	}
	serving = sched_pin(daemon->sched);
	report.generation = serving->number;
	report.nbackends = serving->nbackends - serving->nleft_out;
	report.at_s = clock_wall_s();
	report.took_us = clock_mono_us() - begun_us;
	if (config != NULL && (!report.ok || serving->nleft_out == 0))
		config_forget(config);
	sched_unpin(daemon->sched, serving);
	config_unref(config);
	(void)sched_reap(daemon->sched);
	diag_log(&diag);
	if (report.ok)
		log_notice("generation %u serves %zu backend%s, reloaded in %" PRId64 " ms",
			   report.generation, report.nbackends, report.nbackends == 1 ? "" : "s",
			   report.took_us / 1000);
	else
		log_error("reload failed, generation %u continues to serve", report.generation);
	why = diag_first_error(&diag, 0);
	if (why == NULL)
		why = "out of memory";
	/* First systemd: a client of the admin socket may ask it next. */
	systemd_reloaded(&daemon->systemd, report.ok ? NULL : why);
	reload_queue_end(&daemon->reloads, &report, &diag);
	diag_done(&diag);
}

/* ---- backends that are left out ---- */

/* Has anything changed for the backend that was left out? */
static bool
is_news(const struct backend *before, const struct backend *now)
{
	return before->left_out != NULL &&
	       (now->left_out == NULL || strcmp(before->left_out, now->left_out) != 0);
}

/* next serves, or is closed.  0 or -1 with status. */
static int
swap_retried(struct daemon *daemon, const struct generation *serving, struct generation *next,
	     struct status *status)
{
	const struct sched_config limits = daemon_sched_config(daemon, daemon->config);
	bool news = false;

	for (size_t i = 0; i < next->nbackends; i++)
		news = news || is_news(&serving->backends[i], &next->backends[i]);
	if (!news || sched_swap(daemon->sched, &limits, next, status) < 0) {
		generation_unref(next);
		return status_ok(status) ? 0 : -1;
	}
	/* next belongs to the scheduler now, but only this thread could replace and close it. */
	for (size_t i = 0; i < next->nbackends; i++) {
		const struct backend *now = &next->backends[i];

		if (!is_news(&serving->backends[i], now))
			continue;
		if (now->left_out == NULL)
			log_notice("backend '%s' was left out and serves now", now->name);
		else
			log_warning("backend '%s' is left out: %s", now->name, now->left_out);
	}
	if (next->protocols != serving->protocols)
		log_warning("the protocols that are served have changed: restart the sidecars");
	if (next->nleft_out == 0)
		config_forget(daemon->config);
	crash_record_write(next);
	return 0;
}

void
daemon_retry(struct daemon *daemon)
{
	struct generation *serving, *next = NULL;
	struct status status = { 0 };
	struct diag diag = { 0 };

	if (clock_mono_ms() < daemon->retry_ms)
		return;
	daemon->retry_ms = clock_mono_ms() + DAEMON_RETRY_MS;
	serving = sched_pin(daemon->sched);
	if (serving->nleft_out > 0)
		next = generation_open(daemon->config, serving, GENERATION_RETRY, &diag);
	if (next != NULL && swap_retried(daemon, serving, next, &status) < 0)
		log_error("%s", status.text);
	sched_unpin(daemon->sched, serving);
	(void)sched_reap(daemon->sched);
	diag_done(&diag);
}
