/* SPDX-License-Identifier: Apache-2.0
 * status.c - the commands status and reload: how the daemon fares, in JSON. */
#include <string.h>
#include <unistd.h>

#include "admin/peer.h"

#include "banned.h"

static json_t *
lines(const struct desk_report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->nlines; i++)
		(void)json_array_append_new(list, peer_text(report->lines[i]));
	return list;
}

/* null: there was none. */
static json_t *
last_reload(struct desk *desk)
{
	struct desk_report report;
	json_t *value;

	if (desk_last(desk, &report) != 0 || report.number == 0)
		return json_null();
	value = json_pack("{s:b, s:o, s:f, s:i, s:o}", "ok", report.ok, "at",
			  peer_time(report.at_s), "ms", (double)report.took_us / 1000, "generation",
			  (int)report.generation, "messages", lines(&report));
	desk_report_done(&report);
	return value;
}

/* ---- modules ------------------------------------------------------------------------ */

static json_t *
module_of(const struct generation *generation, const struct backend *first)
{
	struct backend_look look;
	json_t *backends = json_array();

	backend_look(first, &look);
	for (size_t i = 0; i < generation->nbackends; i++)
		if (strcmp(generation->backends[i].module->name, first->module->name) == 0)
			(void)json_array_append_new(backends,
						    peer_text(generation->backends[i].name));
	return json_pack("{s:o, s:o, s:o, s:s, s:o}", "name", peer_text(first->module->name),
			 "version", peer_text(first->module->version), "file", peer_text(look.file),
			 "sha256", look.hash, "backends", backends);
}

static bool
is_first_of_module(const struct generation *generation, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(generation->backends[j].module->name,
			   generation->backends[i].module->name) == 0)
			return false;
	return true;
}

static json_t *
modules(const struct generation *generation)
{
	json_t *list = json_array();

	for (size_t i = 0; i < generation->nbackends; i++)
		if (is_first_of_module(generation, i))
			(void)json_array_append_new(
				list, module_of(generation, &generation->backends[i]));
	return list;
}

/* ---- backends ----------------------------------------------------------------------- */

static json_t *
breakers(const struct backend_look *look)
{
	json_t *list = json_array();

	for (size_t i = 0; i < look->nopen; i++)
		(void)json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "url", peer_text(look->open[i].url),
					"since", peer_time(look->open[i].since_s), "error",
					peer_text(look->open[i].error)));
	return list;
}

static json_t *
failure(const struct router_lane *lane)
{
	if (lane->failure_s == 0)
		return json_null();
	return json_pack("{s:o, s:s, s:o}", "at", peer_time(lane->failure_s), "code",
			 status_code_name(lane->failure.code), "text",
			 peer_text(lane->failure.text));
}

static json_t *
lane_value(const struct router_lane *lane, const char *state)
{
	return json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:o}", "name",
			 peer_text(lane->name), "state", state, "running", (int)lane->running,
			 "stuck", (int)lane->stuck, "maxCalls", (int)lane->max_calls, "waiting",
			 (int)lane->waiting, "held", (int)lane->held, "calls",
			 (json_int_t)lane->calls, "failed", (json_int_t)lane->failed, "lastError",
			 failure(lane));
}

static json_t *
backend_value(const struct backend *backend, const struct router_lane *lane)
{
	struct backend_look look;
	json_t *value;

	backend_look(backend, &look);
	value = lane_value(lane, look.nopen > 0 ? "failing" : "up");
	(void)json_object_update_missing_new(
		value, json_pack("{s:o, s:o, s:b, s:o}", "module", peer_text(backend->module->name),
				 "endpoint", peer_text(look.endpoint), "acceptNew",
				 backend->config->accept_new, "breakers", breakers(&look)));
	return value;
}

static const struct router_lane *
find_lane(const struct router_status *status, const char *name)
{
	for (size_t i = 0; i < status->nlanes; i++)
		if (strcmp(status->lanes[i].name, name) == 0)
			return &status->lanes[i];
	return NULL;
}

/* In the order of the configuration; a backend that was removed is listed as long as something of
 * it goes on. */
static json_t *
backends(const struct router_status *status)
{
	const struct generation *generation = status->generation;
	json_t *list = json_array();

	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];
		const struct router_lane *lane = find_lane(status, backend->name);

		if (lane != NULL)
			(void)json_array_append_new(list, backend_value(backend, lane));
	}
	for (size_t i = 0; i < status->nlanes; i++) {
		const struct router_lane *lane = &status->lanes[i];

		if (generation_find(generation, lane->name) == NULL &&
		    lane->running + lane->waiting + lane->held > 0)
			(void)json_array_append_new(list, lane_value(lane, "removed"));
	}
	return list;
}

/* Old instances that are held open. */
static json_t *
cooling(const struct router_status *status)
{
	json_t *list = json_array();

	for (size_t i = 0; i < status->ncooling; i++) {
		const struct router_cooling *old = &status->cooling[i];

		(void)json_array_append_new(
			list, json_pack("{s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:I}", "generation",
					(int)old->number, "backend", peer_text(old->backend),
					"module", peer_text(old->module), "version",
					peer_text(old->version), "since", peer_time(old->since_s),
					"calls", (int)old->holders, "oldest",
					old->title[0] != '\0' ? peer_text(old->title) : json_null(),
					"ms", (json_int_t)old->age_ms));
	}
	return list;
}

void
peer_status(const struct peer *peer)
{
	const struct admin_config *config = peer->config;
	struct router_status *status = router_status(config->router);

	if (status == NULL) {
		(void)peer_fail(peer, COSI_EXHAUSTED, "no memory");
		return;
	}
	(void)peer_send(
		peer, json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}",
				"code", "OK", "version", COSID_VERSION, "driver",
				peer_text(router_driver_name(config->router)), "socket",
				peer_text(config->socket_path), "pid", (int)getpid(), "workers",
				(int)status->workers, "generation", (int)status->generation->number,
				"since", peer_time(status->since_s), "reload",
				last_reload(config->desk), "modules", modules(status->generation),
				"backends", backends(status), "cooling", cooling(status)));
	router_status_free(config->router, status);
}

void
peer_reload(const struct peer *peer)
{
	struct desk_report report;
	json_t *value;

	if (desk_ask(peer->config->desk, &report) != 0) {
		(void)peer_fail(peer, COSI_UNAVAILABLE, "cosid stops");
		return;
	}
	value = json_pack("{s:s, s:i, s:I, s:f, s:o}", "code",
			  status_code_name(report.ok ? COSI_OK : COSI_INVALID), "generation",
			  (int)report.generation, "backendCount", (json_int_t)report.nbackends,
			  "ms", (double)report.took_us / 1000, "messages", lines(&report));
	if (!report.ok)
		(void)json_object_set_new(
			value, "error",
			json_sprintf("the reload has failed, generation %u goes on",
				     report.generation));
	(void)peer_send(peer, value);
	desk_report_done(&report);
}
