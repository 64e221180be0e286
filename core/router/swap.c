/* SPDX-License-Identifier: Apache-2.0
 * swap.c - one generation takes the place of another.
 *
 *   SERVES ── router_swap() ──► RETIRED ── last call lets go ──► idle() ── router_reap() ──► closed
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

/* All lanes first, so that nothing has changed when there is no memory. */
static int
make_lanes(struct router *router, const struct generation *generation, struct status *status)
{
	for (size_t i = 0; i < generation->nbackends; i++) {
		const char *name = generation->backends[i].name;

		if (lanes_find(&router->lanes, name) == NULL &&
		    lanes_set(&router->lanes, name, 1) == NULL)
			return status_fail(status, COSI_EXHAUSTED, "out of memory");
	}
	return 0;
}

int
swap_lanes(struct router *router, const struct generation *generation, struct status *status)
{
	if (make_lanes(router, generation, status) < 0)
		return -1;
	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];
		unsigned max = lane_max_calls(backend->config->max_calls, router->config.workers,
					      generation->nbackends);

		(void)lanes_set(&router->lanes, backend->name, max);
	}
	return 0;
}

static void
use_config(struct router *router, const struct router_config *config)
{
	router->config.call_timeout_ms = config->call_timeout_ms;
	router->config.create_settle_ms = config->create_settle_ms;
}

int
router_swap(struct router *router, const struct router_config *config,
	    struct generation *generation, struct status *status)
{
	struct retired *retired = calloc(1, sizeof *retired);
	int result = -1;

	if (retired == NULL)
		return status_fail(status, COSI_EXHAUSTED, "out of memory");
	router_enter(router);
	if (swap_lanes(router, generation, status) == 0) {
		*retired = (struct retired){ .generation = router->generation,
					     .since_s = clock_wall_s() };
		TAILQ_INSERT_TAIL(&router->retired, retired, link);
		router->generation = generation;
		router->generation_since_s = retired->since_s;
		use_config(router, config);
		retired = NULL;
		result = 0;
		/* Somebody may have got more slots. */
		for (struct lane *lane = router->lanes.first; lane != NULL; lane = lane->next)
			flow_pump(router, lane);
	}
	router_leave(router);
	free(retired);
	return result;
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

	TAILQ_FOREACH(retired, &router->retired, link)
	{
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
	struct retired *retired;
	size_t nleft = 0;

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
	generation_unref(generation);
	/* It is still there: the reference in router->generation or router->retired is ours. */
	if (generation != router->generation && atomic_load(&generation->refs) == 1)
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
