/* SPDX-License-Identifier: Apache-2.0
 * reload.c - config -> generation -> swap.
 *
 *   parse ─► keep what cannot change ─► check, load, open ─► sched_swap() ─► log, limits
 *     └──────────────┴────────────────────────┴─► any error: the old generation continues to serve
 */
#include "reload.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

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

/* Of a reload that has failed; without memory there may be none. */
static const char *
first_error(const struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++)
		if (diag->marks[i] == DIAG_NO_MARK)
			return diag->lines[i];
	return "out of memory";
}

static void
reload_report(struct daemon *daemon, struct diag *diag, bool failed, int64_t took_us)
{
	struct generation *serving = sched_pin(daemon->sched);
	const struct reload_report report = {
		.ok = !failed,
		.generation = serving->number,
		.nbackends = serving->nbackends,
		.at_s = clock_wall_s(),
		.took_us = took_us,
	};

	sched_unpin(daemon->sched, serving);
	(void)sched_reap(daemon->sched);
	diag_log(diag);
	if (failed)
		log_error("reload failed, generation %u continues to serve", report.generation);
	else
		log_notice("generation %u serves %zu backend%s, reloaded in %" PRId64 " ms",
			   report.generation, report.nbackends, report.nbackends == 1 ? "" : "s",
			   took_us / 1000);
	/* First systemd: a client of the admin socket may ask it next. */
	systemd_reloaded(&daemon->systemd, failed ? first_error(diag) : NULL);
	reload_queue_end(&daemon->reloads, &report, diag);
}

void
reload(struct daemon *daemon)
{
	int64_t begun_us = clock_mono_us();
	struct diag diag = { 0 };
	struct config *config;
	bool failed = true;

	reload_queue_begin(&daemon->reloads);
	systemd_reloading(begun_us);
	log_notice("reloading '%s'", daemon->options->config_path);
	config = config_load(daemon->options->config_path, &diag);
	if (config != NULL) {
		config_keep(config, daemon->config, &diag);
		if (diag.nerrors == 0)
			failed = reload_config(daemon, config, &diag) < 0;
		config_forget(config);
		config_unref(config);
	}
	reload_report(daemon, &diag, failed, clock_mono_us() - begun_us);
	diag_done(&diag);
}
