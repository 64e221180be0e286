/* SPDX-License-Identifier: Apache-2.0
 * status.c - a copy of what the router knows, for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "router/state.h"

#include "banned.h"

/* Room that is enough unless a reload comes in between; what does not fit is left out. */
enum { SPARE = 8 };

static struct router_status *
status_new(size_t nlanes, size_t ncooling)
{
	struct router_status *status = calloc(1, sizeof *status);

	if (status == NULL)
		return NULL;
	status->lanes = calloc(nlanes + 1, sizeof status->lanes[0]);
	status->cooling = calloc(ncooling + 1, sizeof status->cooling[0]);
	if (status->lanes != NULL && status->cooling != NULL)
		return status;
	free(status->lanes);
	free(status->cooling);
	free(status);
	return NULL;
}

static void
count_all(struct router *router, size_t *out_nlanes, size_t *out_ncooling)
{
	const struct retired *retired;

	*out_nlanes = *out_ncooling = SPARE;
	router_enter(router);
	for (const struct lane *lane = router->lanes.first; lane != NULL; lane = lane->next)
		(*out_nlanes)++;
	TAILQ_FOREACH(retired, &router->retired, link)
		*out_ncooling += retired->generation->nbackends;
	router_leave(router);
}

static void
copy_lane(const struct lane *lane, struct router_lane *out)
{
	*out = (struct router_lane){
		.max_calls = lane->max_calls,
		.running = lane->running,
		.waiting = lane->waiting,
		.held = lane->held,
		.calls = lane->calls,
		.failed = lane->failed,
		.failing = lane->failing,
		.failure_s = lane->failure_s,
		.failure = lane->failure,
	};
	_Static_assert(sizeof out->name == sizeof lane->name, "a lane's name fits");
	memcpy(out->name, lane->name, sizeof out->name);
}

/* status->lanes are in the order of the router's. */
static void
count_if_runs(const struct router *router, const struct job *job, struct router_status *status)
{
	size_t i = 0;

	if (job->at != JOB_RUNS)
		return;
	for (const struct lane *lane = router->lanes.first; lane != job->lane; lane = lane->next)
		i++;
	if (i < status->nlanes)
		status->lanes[i].stuck++;
}

static void
count_stuck(const struct router *router, struct router_status *status)
{
	int64_t late_ms = clock_mono_ms() - router->config.call_timeout_ms;
	const struct call_state *call;

	TAILQ_FOREACH(call, &router->calls, call_link) {
		if (!call->working || call->deadline_ms > late_ms)
			continue;
		count_if_runs(router, &call->job, status);
		for (size_t i = 0; call->find != NULL && i < call->find->nasks; i++)
			count_if_runs(router, &call->find->asks[i].job, status);
	}
}

/* A backend that moved over serves on, whoever came to it by an older generation. */
static bool
is_cooling(const struct router *router, const struct retired *retired, size_t i)
{
	const struct backend *old = &retired->generation->backends[i];
	const struct backend *now = generation_find(router->generation, old->name);

	return !retired->closed[i] && router_holders(retired->generation, old) > 0 &&
	       (now == NULL || !backend_is_same(old, now));
}

static const struct call_state *
oldest_call(const struct router *router, const struct generation *generation,
	    const struct backend *backend)
{
	const struct call_state *call;

	TAILQ_FOREACH(call, &router->calls, call_link) {
		if (call->generation == generation &&
		    (call->needs == NULL || call->needs == backend))
			return call;
	}
	return NULL;
}

static void
copy_cooling(const struct router *router, const struct retired *retired, size_t i,
	     struct router_cooling *out)
{
	const struct generation *generation = retired->generation;
	const struct backend *backend = &generation->backends[i];
	const struct call_state *call = oldest_call(router, generation, backend);

	*out = (struct router_cooling){
		.number = generation->number,
		.holders = router_holders(generation, backend),
		.since_s = retired->since_s,
	};
	(void)snprintf(out->backend, sizeof out->backend, "%s", backend->name);
	(void)snprintf(out->module, sizeof out->module, "%s", backend->module->name);
	(void)snprintf(out->version, sizeof out->version, "%s", backend->module->version);
	if (call == NULL)
		return;
	_Static_assert((int)ROUTER_TITLE_MAX == (int)CALL_TITLE_MAX, "a call's title fits");
	(void)call_title(call, out->title);
	out->age_ms = clock_mono_ms() - call->call->req.arrived_ms;
}

static void
copy_retired(const struct router *router, struct router_status *status, size_t room)
{
	const struct retired *retired;

	TAILQ_FOREACH(retired, &router->retired, link) {
		for (size_t i = 0; i < retired->generation->nbackends; i++) {
			if (status->ncooling < room && is_cooling(router, retired, i))
				copy_cooling(router, retired, i,
					     &status->cooling[status->ncooling++]);
		}
	}
}

struct router_status *
router_status(struct router *router)
{
	struct router_status *status;
	size_t nlanes, ncooling;

	count_all(router, &nlanes, &ncooling);
	status = status_new(nlanes, ncooling);
	if (status == NULL)
		return NULL;
	router_enter(router);
	status->generation = generation_ref(router->generation);
	status->since_s = router->generation_since_s;
	status->workers = router->pool.n;
	for (const struct lane *lane = router->lanes.first; lane != NULL && status->nlanes < nlanes;
	     lane = lane->next)
		copy_lane(lane, &status->lanes[status->nlanes++]);
	count_stuck(router, status);
	copy_retired(router, status, ncooling);
	router_leave(router);
	return status;
}

void
router_status_free(struct router *router, struct router_status *status)
{
	if (status == NULL)
		return;
	router_unpin(router, status->generation);
	free(status->lanes);
	free(status->cooling);
	free(status);
}
