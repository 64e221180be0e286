/* SPDX-License-Identifier: Apache-2.0
 * swap.c - one generation takes the place of another.
 *
 *   SERVES ── router_swap() ──► RETIRED ── last call lets go ──► idle() ── router_reap() ──► closed
 *
 * Its backends go before it, each as soon as no call of the generation can need it: a call that has
 * found its backend needs no other one.
 *
 * The router keeps a reference of its own on each, so the one that a call gives back is never the
 * last: modules are closed by router_reap() alone, on the main thread, which is inside of none.
 */
#include "router/swap.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "router/flow.h"

#include "banned.h"

/* All lanes first, so that running out of memory changes nothing. */
static int
make_lanes(struct router *router, const struct generation *generation, struct status *status)
{
	for (size_t i = 0; i < generation->nbackends; i++) {
		const char *name = generation->backends[i].name;

		if (lanes_find(&router->lanes, name) == NULL &&
		    lanes_set(&router->lanes, name, 1) == NULL)
			return status_no_memory(status);
	}
	return 0;
}

int
swap_lanes(struct router *router, const struct generation *generation, unsigned workers,
	   struct status *status)
{
	if (make_lanes(router, generation, status) < 0)
		return -1;
	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];
		unsigned max =
			lane_max_calls(backend->config->max_calls, workers, generation->nbackends);

		(void)lanes_set(&router->lanes, backend->name, max);
	}
	return 0;
}

unsigned
swap_workers(const struct router_config *config)
{
	return config->workers > 0 ? config->workers : 1;
}

static void
use_config(struct router *router, const struct router_config *config)
{
	router->config.call_timeout_ms = config->call_timeout_ms;
	router->config.create_settle_ms = config->create_settle_ms;
	router->config.workers = swap_workers(config);
}

static void
retire(struct router *router, struct retired *retired)
{
	retired->generation = router->generation;
	retired->since_s = clock_wall_s();
	TAILQ_INSERT_TAIL(&router->retired, retired, link);
	router->generation_since_s = retired->since_s;
}

/* With the mutex.  0, or -1: nothing has changed. */
static int
put_in_place(struct router *router, const struct router_config *config,
	     struct generation *generation, struct retired *retired, struct status *status)
{
	if (swap_lanes(router, generation, swap_workers(config), status) < 0)
		return -1;
	retire(router, retired);
	router->generation = generation;
	use_config(router, config);
	/* Somebody may have got more slots. */
	for (struct lane *lane = router->lanes.first; lane != NULL; lane = lane->next)
		flow_pump(router, lane);
	return 0;
}

int
router_swap(struct router *router, const struct router_config *config,
	    struct generation *generation, struct status *status)
{
	size_t nbackends = router->generation->nbackends;
	struct retired *retired = calloc(1, sizeof *retired + nbackends * sizeof(bool));
	int result;

	if (retired == NULL)
		return status_no_memory(status);
	/* Grow before the swap and shrink after it: surplus workers do no harm. */
	if (pool_grow(router, swap_workers(config), status) < 0) {
		free(retired);
		return -1;
	}
	router_enter(router);
	result = put_in_place(router, config, generation, retired, status);
	pool_shrink(&router->pool, router->config.workers);
	router_leave(router);
	if (result < 0)
		free(retired);
	return result;
}

/* ---- the end of what was swapped out ------------------------------------------------- */

unsigned
router_holders(const struct generation *generation, const struct backend *backend)
{
	/* One is the router's own. */
	unsigned any = atomic_load(&generation->refs) - 1;

	for (size_t i = 0; i < generation->nbackends; i++)
		any -= generation->backends[i].ncalls;
	return any + backend->ncalls;
}

static struct backend *
take_unneeded_of(struct retired *retired)
{
	struct generation *generation = retired->generation;

	for (size_t i = 0; i < generation->nbackends; i++) {
		if (!retired->closed[i] &&
		    router_holders(generation, &generation->backends[i]) == 0) {
			retired->closed[i] = true;
			return &generation->backends[i];
		}
	}
	return NULL;
}

static struct backend *
take_unneeded(struct router *router)
{
	struct backend *backend = NULL;
	struct retired *retired;

	router_enter(router);
	TAILQ_FOREACH(retired, &router->retired, link) {
		backend = take_unneeded_of(retired);
		if (backend != NULL)
			break;
	}
	router_leave(router);
	return backend;
}

/* Only our own reference is left, and none can be added. */
static bool
is_unused(const struct retired *retired)
{
	return atomic_load(&retired->generation->refs) == 1;
}

static struct retired *
take_unused(struct router *router)
{
	struct retired *retired;

	TAILQ_FOREACH(retired, &router->retired, link) {
		if (is_unused(retired)) {
			TAILQ_REMOVE(&router->retired, retired, link);
			return retired;
		}
	}
	return NULL;
}

size_t
router_reap(struct router *router)
{
	struct backend *backend;
	struct retired *retired;
	size_t nleft = 0;

	pool_reap(router);
	while ((backend = take_unneeded(router)) != NULL)
		backend_close(backend);
	do {
		router_enter(router);
		retired = take_unused(router);
		router_leave(router);
		if (retired != NULL)
			generation_unref(retired->generation);
		free(retired);
	} while (retired != NULL);
	router_enter(router);
	TAILQ_FOREACH(retired, &router->retired, link)
		nleft++;
	router_leave(router);
	return nleft;
}

void
router_let_go(struct router *router, struct generation *generation)
{
	router_assert(router);
	/* It stays: the reference in router->generation or router->retired is ours. */
	generation_unref(generation);
	if (generation != router->generation)
		router->idle = true;
}

struct generation *
router_pin(struct router *router)
{
	struct generation *generation;

	router_enter(router);
	generation = generation_ref(router->generation);
	router_leave(router);
	return generation;
}

void
router_unpin(struct router *router, struct generation *generation)
{
	router_enter(router);
	router_let_go(router, generation);
	router_leave(router);
}
