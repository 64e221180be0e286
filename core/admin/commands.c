/* SPDX-License-Identifier: Apache-2.0
 * commands.c - status, reload and list as JSON; and the state of the daemon as a summary for
 * systemd's status line. */
#include <string.h>
#include <unistd.h>

#include "admin/protocol.h"
#include "base/arena.h"
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
		if (queue == NULL || (info.nopen == 0 && !queue->failing && queue->late == 0 &&
				      backend->left_out == NULL))
			continue;
		if (line->len > SUMMARY_MOST) {
			nfaulty++;
			continue;
		}
		line_addf(line, "; %s: ", backend->name);
		if (backend->left_out != NULL) {
			line_add(line, "left out: ");
			summary_add(line, backend->left_out);
		} else if (info.nopen > 0) {
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
admin_reload(struct session *session)
{
	struct status status = { 0 };
	struct reload_report report;
	json_t *value;

	if (reload_queue_request(session->config->reloads, &report, &status) < 0) {
		(void)session_fail(session, status.code, "%s", status.text);
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

/* ---- status ------------------------------------------------------------------------- */

static bool
same_module(const struct backend *one, const struct backend *other)
{
	return strcmp(one->module->name, other->module->name) == 0;
}

/* False: it is left out, and its module was not loaded. */
static bool
has_file(const struct backend *backend)
{
	struct backend_info info;

	backend_info(backend, &info);
	return info.file != NULL;
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
			listed |= same_module(&backends[j], first) && has_file(&backends[j]);
		backend_info(first, &info);
		if (listed || info.file == NULL)
			continue;
		names = json_array();
		for (size_t j = i; j < generation->nbackends; j++)
			if (same_module(&backends[j], first))
				(void)json_array_append_new(names, session_text(backends[j].name));
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
		json_t *breakers, *value;
		struct backend_info info;

		if (queue == NULL)
			continue;
		backend_info(backend, &info);
		breakers = json_array();
		for (size_t k = 0; k < info.nopen; k++)
			(void)json_array_append_new(
				breakers,
				json_pack("{s:o, s:o, s:o}", "url", session_text(info.open[k].url),
					  "since", session_time(info.open[k].since_s), "error",
					  session_text(info.open[k].error)));
		value = queue_value(queue, backend->left_out != NULL ? "left-out"
					   : info.nopen > 0          ? "failing"
								     : "up");
		(void)json_object_update_missing_new(
			value, json_pack("{s:o, s:o, s:o, s:b, s:o}", "module",
					 session_text(backend->module->name), "endpoint",
					 session_text(info.endpoint), "leftOut",
					 session_text(backend->left_out), "acceptNew",
					 backend->config->accept_new, "breakers", breakers));
		(void)json_array_append_new(list, value);
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
admin_status(struct session *session)
{
	const struct admin_config *config = session->config;
	struct sched_status *status = sched_status(config->sched);
	json_t *reload = json_null();
	struct reload_report report;

	if (status == NULL) {
		(void)session_fail(session, COSI_EXHAUSTED, "out of memory");
		return;
	}
	if (reload_queue_last(config->reloads, &report) == 0 && report.number > 0)
		reload = json_pack("{s:b, s:o, s:f, s:i, s:o}", "ok", report.ok, "at",
				   session_time(report.at_s), "ms", (double)report.took_us / 1000,
				   "generation", (int)report.generation, "messages",
				   report_messages(&report));
	reload_report_done(&report);
	(void)session_send(session,
			   json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}",
				     "code", "OK", "version", COSID_VERSION, "driver",
				     session_text(sched_driver_name(config->sched)), "socket",
				     session_text(config->socket_path), "pid", (int)getpid(),
				     "workers", (int)status->workers, "generation",
				     (int)status->generation->number, "since",
				     session_time(status->since_s), "reload", reload, "modules",
				     modules_value(status->generation), "backends",
				     backends_value(status), "draining", draining_value(status)));
	sched_status_free(config->sched, status);
}

/* ---- list ---------------------------------------------------------------------------- */

/* For the pages of a large store; a client that goes away ends it sooner. */
enum { LIST_LIMIT_MS = 10 * 60 * 1000 };

struct listing {
	struct session *session;
	const struct backend *backend;
	struct status *status; /* of its list */
	size_t nitems;
};

static int
list_item(void *arg, const struct cosi_found *found)
{
	/* What the module has taken of the list's memory must not cost a line. */
	CHARGE_SCOPE(NULL);
	struct listing *listing = arg;
	const char *backend = listing->backend->name;
	json_t *item = json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "backend", session_text(backend),
		"kind", found->kind == COSI_BUCKET ? "bucket" : "account", "native",
		session_text(found->native), "owner", session_text(found->mark.owner), "name",
		session_text(found->mark.name), "params", session_text(found->mark.params),
		"created", session_time(found->created), "id",
		json_sprintf("%s.%s", backend, found->native));

	if (session_send(listing->session, json_pack("{s:o}", "item", item)) < 0)
		return listing->session->gone ? -1 : status_no_memory(listing->status);
	listing->nitems++;
	if (atomic_load(listing->session->stopping))
		return status_fail(listing->status, COSI_UNAVAILABLE, "cosid is stopping");
	return 0;
}

/* COSI_OK, or the code of the failure, which was sent: a store that fails does not end the listing
 * of the others. */
static uint32_t
list_backend(struct listing *listing, const char *owner)
{
	struct session *session = listing->session;
	const struct backend_list list = { .found = list_item, .arg = listing };
	struct status status = { 0 };
	struct arena arena;
	struct module_call call = {
		.arena = &arena,
		.status = &status,
		.backend = listing->backend,
		.deadline_ms = clock_mono_ms() + LIST_LIMIT_MS,
		.cancelled = session->stopping,
		.abandoned = session->stopping,
	};
	json_t *failure;
	int rc;

	listing->status = &status;
	listing->nitems = 0;
	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	rc = backend_list(&call, owner, &list);
	arena_done(&arena);
	if (rc == 0)
		return COSI_OK;
	if (atomic_load(session->stopping)) { /* not the store's failure */
		status = (struct status){ 0 };
		status_fail(&status, COSI_UNAVAILABLE, "cannot list: cosid is stopping");
	}
	if (listing->nitems > 0)
		status_fail(&status, 0, "the list ends after %zu lines", listing->nitems);
	failure =
		json_pack("{s:o, s:s, s:o}", "backend", session_text(listing->backend->name),
			  "code", status_code_name(status.code), "text", session_text(status.text));
	(void)session_send(session, json_pack("{s:o}", "failure", failure));
	return status.code;
}

void
admin_list(struct session *session, const char *backend)
{
	struct generation *generation = sched_pin(session->config->sched);
	struct listing listing = { .session = session };
	uint32_t first = COSI_OK;

	if (backend != NULL && generation_find(generation, backend) == NULL) {
		sched_unpin(session->config->sched, generation);
		(void)session_fail(session, COSI_NOT_FOUND, "there is no such backend");
		return;
	}
	for (size_t i = 0; i < generation->nbackends && !session->gone; i++) {
		uint32_t code;

		listing.backend = &generation->backends[i];
		if (backend != NULL && strcmp(backend, listing.backend->name) != 0)
			continue;
		code = list_backend(&listing, generation->config->owner);
		if (first == COSI_OK)
			first = code;
	}
	sched_unpin(session->config->sched, generation);
	if (first != COSI_OK)
		(void)session_fail(session, first, "the list is not complete");
	else
		(void)session_send(session, json_pack("{s:s}", "code", "OK"));
}
