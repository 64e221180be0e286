/* SPDX-License-Identifier: Apache-2.0
 * list.c - the command list: what the stores have of ours, line by line as they tell it. */
#include <string.h>

#include "admin/peer.h"
#include "base/clock.h"

#include "banned.h"

/* Pages of a large store; a peer that goes away ends it sooner. */
enum { LIST_LIMIT_MS = 10 * 60 * 1000 };

struct listing {
	const struct peer *peer;
	const struct backend *backend;
	size_t ntold; /* of this backend */
	bool gone;    /* the peer */
};

static int
tell(void *arg, const struct cosi_found *found)
{
	struct listing *listing = arg;
	const char *backend = listing->backend->name;
	json_t *item =
		json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "backend", peer_text(backend),
			  "kind", found->kind == COSI_BUCKET ? "bucket" : "account", "native",
			  peer_text(found->native), "owner", peer_text(found->mark.owner), "name",
			  peer_text(found->mark.name), "params", peer_text(found->mark.params),
			  "created", peer_time(found->created));

	(void)json_object_set_new(item, "id", json_sprintf("%s.%s", backend, found->native));
	listing->gone = peer_send(listing->peer, json_pack("{s:o}", "item", item)) != 0;
	listing->ntold++;
	return listing->gone || atomic_load(listing->peer->stopping) ? -1 : 0;
}

static int
list_one(struct listing *listing, const char *owner, struct status *status)
{
	const struct backend_list list = { .found = tell, .arg = listing };
	struct arena arena;
	struct module_call call = {
		.arena = &arena,
		.status = status,
		.backend = listing->backend,
		.deadline_ms = clock_mono_ms() + LIST_LIMIT_MS,
		.cancelled = listing->peer->stopping,
		.abandoned = listing->peer->stopping,
	};
	int result;

	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	result = backend_list(&call, owner, &list);
	arena_done(&arena);
	return result;
}

/* A store that fails does not end the listing of the others.  False: the peer is gone. */
static bool
list_or_tell(struct listing *listing, const char *owner, uint32_t *worst)
{
	struct status status = { 0 };

	listing->ntold = 0;
	if (list_one(listing, owner, &status) == 0)
		return !listing->gone;
	if (atomic_load(listing->peer->stopping)) { /* it is not the backend's failure */
		status = (struct status){ 0 };
		(void)status_fail(&status, COSI_UNAVAILABLE, "cannot list: cosid stops");
	}
	if (listing->ntold > 0)
		(void)status_fail(&status, 0, "the list broke off after %zu lines", listing->ntold);
	if (*worst == COSI_OK)
		*worst = status.code;
	return !listing->gone &&
	       peer_send(listing->peer, json_pack("{s:{s:o, s:s, s:o}}", "failure", "backend",
						  peer_text(listing->backend->name), "code",
						  status_code_name(status.code), "text",
						  peer_text(status.text))) == 0;
}

void
peer_list(const struct peer *peer, const char *backend)
{
	struct generation *generation = router_pin(peer->config->router);
	struct listing listing = { .peer = peer };
	uint32_t worst = COSI_OK;
	bool there = true;

	if (backend != NULL && generation_find(generation, backend) == NULL) {
		(void)peer_fail(peer, COSI_NOT_FOUND, "there is no such backend");
		router_unpin(peer->config->router, generation);
		return;
	}
	for (size_t i = 0; i < generation->nbackends && there; i++) {
		listing.backend = &generation->backends[i];
		if (backend == NULL || strcmp(backend, listing.backend->name) == 0)
			there = list_or_tell(&listing, generation->config->owner, &worst);
	}
	router_unpin(peer->config->router, generation);
	if (worst != COSI_OK)
		(void)peer_fail(peer, worst, "not all of it could be listed");
	else
		(void)peer_send(peer, json_pack("{s:s}", "code", "OK"));
}
