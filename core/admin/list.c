/* SPDX-License-Identifier: Apache-2.0
 * list.c - the command list: what the stores hold with this driver's tags, as each store reports
 * it.
 */
#include <string.h>

#include "admin/protocol.h"
#include "base/clock.h"

#include "banned.h"

/* For the pages of a large store; a client that goes away ends it sooner. */
enum { LIST_LIMIT_MS = 10 * 60 * 1000 };

struct listing {
	const struct session *session;
	const struct backend *backend;
	size_t nitems; /* of this backend */
	bool gone;     /* the client */
};

static int
list_item(void *arg, const struct cosi_found *found)
{
	struct listing *listing = arg;
	const char *backend = listing->backend->name;
	json_t *item = json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "backend", session_text(backend), "kind",
		found->kind == COSI_BUCKET ? "bucket" : "account", "native",
		session_text(found->native), "owner", session_text(found->mark.owner), "name",
		session_text(found->mark.name), "params", session_text(found->mark.params),
		"created", session_time(found->created));

	(void)json_object_set_new(item, "id", json_sprintf("%s.%s", backend, found->native));
	listing->gone = session_send(listing->session, json_pack("{s:o}", "item", item)) < 0;
	listing->nitems++;
	return listing->gone || atomic_load(listing->session->stopping) ? -1 : 0;
}

/* COSI_OK, or the code of the failure, which was sent: a store that fails does not end the listing
 * of the others. */
static uint32_t
list_backend(struct listing *listing, const char *owner)
{
	const struct session *session = listing->session;
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

	listing->nitems = 0;
	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	rc = backend_list(&call, owner, &list);
	arena_done(&arena);
	if (rc == 0 || listing->gone)
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
	listing->gone = session_send(session, json_pack("{s:o}", "failure", failure)) < 0;
	return status.code;
}

void
admin_list(const struct session *session, const char *backend)
{
	struct generation *generation = sched_pin(session->config->sched);
	struct listing listing = { .session = session };
	uint32_t first = COSI_OK;

	if (backend != NULL && generation_find(generation, backend) == NULL) {
		sched_unpin(session->config->sched, generation);
		(void)session_fail(session, COSI_NOT_FOUND, "there is no such backend");
		return;
	}
	for (size_t i = 0; i < generation->nbackends && !listing.gone; i++) {
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
