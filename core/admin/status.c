/* SPDX-License-Identifier: Apache-2.0
 * status.c - the state of the daemon: as JSON for the commands status and reload, and as a summary
 * for systemd's status line. */
#include <string.h>
#include <unistd.h>

#include "admin/protocol.h"
#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

/* Bytes of the summary after which backends are only counted, and of each text in it. */
enum { SUMMARY_MOST = 2048, SUMMARY_TEXT_MOST = 256 };

/* NULL: the backend serves no calls yet. */
static const struct sched_queue *
status_queue(const struct sched_status *status, const char *name)
{
	for (size_t i = 0; i < status->nqueues; i++)
		if (strcmp(status->queues[i].name, name) == 0)
			return &status->queues[i];
	return NULL;
}

/* ---- the summary -------------------------------------------------------------------- */

/* Texts of stores and modules are masked before they are cut. */
static void
summary_add(struct line *line, const char *text)
{
	char copy[STATUS_TEXT_MAX];
	size_t len = strnlen(text, sizeof copy);

	memcpy(copy, text, len);
	line_add_escaped(line, LINE_SHOWN, SUMMARY_TEXT_MOST, copy, secret_mask(copy, len));
}

void
admin_summary(struct line *line, const struct sched_status *status)
{
	const struct generation *generation = status->generation;
	size_t nfaulty = 0;

	if (status->ndraining > 0)
		line_addf(line, ", %zu older draining", status->ndraining);
	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];
		const struct sched_queue *queue = status_queue(status, backend->name);
		struct backend_info info;
		char when[UTC_MAX];

		backend_info(backend, &info);
		if (queue == NULL || (info.nopen == 0 && !queue->failing && queue->late == 0))
			continue;
		if (line->len > SUMMARY_MOST) {
			nfaulty++;
			continue;
		}
		line_addf(line, "; %s: ", backend->name);
		if (info.nopen > 0) {
			line_add(line, "circuit breaker open for ");
			summary_add(line, info.open[0].url);
			line_add(line, ": ");
			summary_add(line, info.open[0].error);
		} else if (queue->failing) {
			line_addf(line, "the last call failed at %s: %s: ",
				  utc_text(when, queue->failure_s),
				  status_code_name(queue->failure.code));
			summary_add(line, queue->failure.text);
		}
		if (queue->late > 0)
			line_addf(line, "%sstuck calls: %u",
				  info.nopen > 0 || queue->failing ? ", " : "", queue->late);
	}
	if (nfaulty > 0)
		line_addf(line, "; and %zu more", nfaulty);
}

/* ---- reloads ------------------------------------------------------------------------ */

static json_t *
report_messages(const struct reload_report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->nlines; i++)
		(void)json_array_append_new(list, session_text(report->lines[i]));
	return list;
}

void
admin_reload(const struct session *session)
{
	struct reload_report report;
	json_t *value;

	if (reload_queue_request(session->config->reloads, &report) < 0) {
		(void)session_fail(session, COSI_UNAVAILABLE, "cosid is stopping");
		return;
	}
	value = json_pack("{s:s, s:i, s:I, s:f, s:o}", "code",
			  status_code_name(report.ok ? COSI_OK : COSI_INVALID), "generation",
			  (int)report.generation, "backendCount", (json_int_t)report.nbackends,
			  "ms", (double)report.took_us / 1000, "messages",
			  report_messages(&report));
	if (!report.ok)
		(void)json_object_set_new(
			value, "error",
			json_sprintf("the reload failed, generation %u continues to serve",
				     report.generation));
	(void)session_send(session, value);
	reload_report_done(&report);
}

/* null: there was none. */
static json_t *
last_reload(struct reload_queue *reloads)
{
	struct reload_report report;
	json_t *value;

	if (reload_queue_last(reloads, &report) < 0 || report.number == 0)
		return json_null();
	value = json_pack("{s:b, s:o, s:f, s:i, s:o}", "ok", report.ok, "at",
			  session_time(report.at_s), "ms", (double)report.took_us / 1000,
			  "generation", (int)report.generation, "messages",
			  report_messages(&report));
	reload_report_done(&report);
	return value;
}

/* ---- status ------------------------------------------------------------------------- */

static bool
same_module(const struct backend *one, const struct backend *other)
{
	return strcmp(one->module->name, other->module->name) == 0;
}

/* Each module once, with the names of its backends. */
static json_t *
modules_value(const struct generation *generation)
{
	const struct backend *backends = generation->backends;
	json_t *list = json_array();

	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *first = &backends[i];
		struct backend_info info;
		bool listed = false;
		json_t *names;

		for (size_t j = 0; j < i; j++)
			listed |= same_module(&backends[j], first);
		if (listed)
			continue;
		names = json_array();
		for (size_t j = i; j < generation->nbackends; j++)
			if (same_module(&backends[j], first))
				(void)json_array_append_new(names, session_text(backends[j].name));
		backend_info(first, &info);
		(void)json_array_append_new(list,
					    json_pack("{s:o, s:o, s:o, s:s, s:o}", "name",
						      session_text(first->module->name), "version",
						      session_text(first->module->version), "file",
						      session_text(info.file), "sha256", info.hash,
						      "backends", names));
	}
	return list;
}

static json_t *
queue_value(const struct sched_queue *queue, const char *state)
{
	json_t *failure = json_null();

	if (queue->failure_s != 0)
		failure = json_pack("{s:o, s:s, s:o}", "at", session_time(queue->failure_s), "code",
				    status_code_name(queue->failure.code), "text",
				    session_text(queue->failure.text));
	return json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:o}", "name",
			 session_text(queue->name), "state", state, "running", (int)queue->running,
			 "stuck", (int)queue->late, "maxCalls", (int)queue->max_calls, "waiting",
			 (int)queue->waiting, "quarantined", (int)queue->quarantined, "calls",
			 (json_int_t)queue->calls, "failed", (json_int_t)queue->failed, "lastError",
			 failure);
}

static json_t *
backend_value(const struct backend *backend, const struct sched_queue *queue)
{
	json_t *breakers = json_array(), *value;
	struct backend_info info;

	backend_info(backend, &info);
	for (size_t i = 0; i < info.nopen; i++)
		(void)json_array_append_new(breakers,
					    json_pack("{s:o, s:o, s:o}", "url",
						      session_text(info.open[i].url), "since",
						      session_time(info.open[i].since_s), "error",
						      session_text(info.open[i].error)));
	value = queue_value(queue, info.nopen > 0 ? "failing" : "up");
	(void)json_object_update_missing_new(
		value,
		json_pack("{s:o, s:o, s:b, s:o}", "module", session_text(backend->module->name),
			  "endpoint", session_text(info.endpoint), "acceptNew",
			  backend->config->accept_new, "breakers", breakers));
	return value;
}

/* In the order of the configuration; a backend that was removed is listed while calls or locks of
 * it remain. */
static json_t *
backends_value(const struct sched_status *status)
{
	const struct generation *generation = status->generation;
	json_t *list = json_array();

	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];
		const struct sched_queue *queue = status_queue(status, backend->name);

		if (queue != NULL)
			(void)json_array_append_new(list, backend_value(backend, queue));
	}
	for (size_t i = 0; i < status->nqueues; i++) {
		const struct sched_queue *queue = &status->queues[i];

		if (generation_find(generation, queue->name) == NULL &&
		    queue->running + queue->waiting + queue->quarantined > 0)
			(void)json_array_append_new(list, queue_value(queue, "removed"));
	}
	return list;
}

/* Instances of older generations that calls hold open. */
static json_t *
draining_value(const struct sched_status *status)
{
	json_t *list = json_array();

	for (size_t i = 0; i < status->ndraining; i++) {
		const struct sched_draining *old = &status->draining[i];

		(void)json_array_append_new(
			list,
			json_pack("{s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:I}", "generation",
				  (int)old->number, "backend", session_text(old->backend), "module",
				  session_text(old->module), "version", session_text(old->version),
				  "since", session_time(old->since_s), "calls", (int)old->holders,
				  "oldest",
				  old->title[0] != '\0' ? session_text(old->title) : json_null(),
				  "ms", (json_int_t)old->age_ms));
	}
	return list;
}

void
admin_status(const struct session *session)
{
	const struct admin_config *config = session->config;
	struct sched_status *status = sched_status(config->sched);

	if (status == NULL) {
		(void)session_fail(session, COSI_EXHAUSTED, "out of memory");
		return;
	}
	(void)session_send(session,
			   json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}",
				     "code", "OK", "version", COSID_VERSION, "driver",
				     session_text(sched_driver_name(config->sched)), "socket",
				     session_text(config->socket_path), "pid", (int)getpid(),
				     "workers", (int)status->workers, "generation",
				     (int)status->generation->number, "since",
				     session_time(status->since_s), "reload",
				     last_reload(config->reloads), "modules",
				     modules_value(status->generation), "backends",
				     backends_value(status), "draining", draining_value(status)));
	sched_status_free(config->sched, status);
}
