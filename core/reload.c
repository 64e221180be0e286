/* SPDX-License-Identifier: Apache-2.0
 * reload.c - config -> generation -> swap.
 *
 *   parse ─► keep what cannot change ─► copy, try, load, open ─► router_swap() ─► log, limits
 *     └──────────────┴────────────────────────────┴─► any error: the old generation never noticed
 */
#include "reload.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

static struct config *
read_config(struct daemon *daemon, struct diag *diag)
{
	struct config *config = config_load(daemon->options->config_path, diag);
	size_t before = diag->nerrors;

	if (config == NULL)
		return NULL;
	config_keep(config, daemon->config, diag);
	if (diag->nerrors == before)
		return config;
	config_unref(config);
	return NULL;
}

static struct generation *
open_generation(struct daemon *daemon, struct config *config, struct diag *diag)
{
	struct generation *serving = router_pin(daemon->router);
	struct generation *next =
		generation_open(config, state_path(daemon->state), serving, false, diag);

	/* Sidecars ask once, when they start. */
	if (next != NULL && next->protocols != serving->protocols)
		diag_warning(diag, NULL, 0,
			     "the protocols that are served have changed: restart the sidecars");
	router_unpin(daemon->router, serving);
	return next;
}

static int
swap(struct daemon *daemon, struct config *config, struct diag *diag)
{
	const struct router_config limits = daemon_router_config(daemon, config);
	const struct server_config access = daemon_server_config(daemon, config);
	struct generation *next = open_generation(daemon, config, diag);
	struct status status = { 0 };

	if (next == NULL)
		return -1;
	if (router_swap(daemon->router, &limits, next, &status) != 0) {
		diag_error(diag, NULL, 0, "%s", status.text);
		generation_unref(next);
		return -1;
	}
	if (server_admit(daemon->server, &access, &status) != 0)
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
	return "no memory";
}

static void
tell(struct daemon *daemon, const struct diag *diag, bool failed, int64_t took_us)
{
	struct generation *serving = router_pin(daemon->router);
	const struct desk_report report = {
		.ok = !failed,
		.generation = serving->number,
		.nbackends = serving->nbackends,
		.at_s = clock_wall_s(),
		.took_us = took_us,
	};

	diag_log(diag);
	if (failed) {
		log_error("reload failed, generation %u goes on", serving->number);
	} else {
		log_notice("generation %u serves %zu backend%s, reloaded in %" PRId64 " ms",
			   serving->number, serving->nbackends, serving->nbackends == 1 ? "" : "s",
			   took_us / 1000);
	}
	router_unpin(daemon->router, serving);
	(void)router_reap(daemon->router);
	/* First systemd: whoever waits at the desk may ask it next. */
	notify_reloaded(daemon, failed ? first_error(diag) : NULL);
	desk_end(&daemon->desk, &report, diag);
}

void
reload(struct daemon *daemon)
{
	int64_t begun_us = clock_mono_us();
	struct diag diag = { 0 };
	struct config *config;
	bool failed;

	desk_begin(&daemon->desk);
	notify_reloading(begun_us);
	log_notice("reloading '%s'", daemon->options->config_path);
	config = read_config(daemon, &diag);
	failed = config == NULL || swap(daemon, config, &diag) != 0;
	if (config != NULL)
		config_forget(config);
	config_unref(config);
	tell(daemon, &diag, failed, clock_mono_us() - begun_us);
	diag_done(&diag);
}
