/* SPDX-License-Identifier: Apache-2.0
 * generations.c - a reload: one generation takes the place of another.
 *
 *   serves ── sched_swap() ──► drains ── its last call ends ──► reap() ── sched_reap() ──► closed
 *
 * The backends of a draining generation are closed before it, each as soon as no call of the
 * generation can need it: a call whose backend is known needs no other one.
 *
 * The scheduler keeps a reference of its own on each generation, so the one that a call returns is
 * never the last: modules are closed by sched_reap() alone, on the main thread, which is inside of
 * none.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "sched/state.h"

#include "banned.h"

int
sched_set_queues(struct sched *sched, const struct generation *generation, unsigned workers,
		 struct status *status)
{
	struct queues *queues = &sched->queues;

	/* All queues first, so that running out of memory changes no limit. */
	for (size_t i = 0; i < generation->nbackends; i++)
		if (queues_add(queues, generation->backends[i].name) == NULL)
			return status_no_memory(status);
	queues_configure(queues, workers);
	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];

		queue_configure(queues, queues_find(queues, backend->name),
				backend->config->max_calls, generation->nbackends);
	}
	return 0;
}

int
sched_swap(struct sched *sched, const struct sched_config *config, struct generation *generation,
	   struct status *status)
{
	size_t nbackends = sched->generation->nbackends;
	struct draining *draining = calloc(1, sizeof *draining + nbackends * sizeof(bool));
	unsigned workers = config->workers > 0 ? config->workers : 1;
	int rc;

	if (draining == NULL)
		return status_no_memory(status);
	sched_enter(sched);
	rc = sched_set_queues(sched, generation, workers, status);
	if (rc == 0) {
		draining->generation = sched->generation;
		draining->since_s = clock_wall_s();
		TAILQ_INSERT_TAIL(&sched->draining, draining, link);
		sched->generation = generation;
		sched->generation_since_s = draining->since_s;
		sched->config.call_timeout_ms = config->call_timeout_ms;
		sched->config.create_settle_ms = config->create_settle_ms;
		sched->config.workers = workers;
		workers_set_most(&sched->workers, workers);
		calls_start(sched); /* a queue may have more room */
	}
	sched_leave(sched, NULL);
	if (rc < 0)
		free(draining);
	return rc;
}

/* ---- the end of what was swapped out ------------------------------------------------- */

unsigned
sched_holders(const struct generation *generation, const struct backend *backend)
{
	/* One is the scheduler's own. */
	unsigned any = atomic_load(&generation->refs) - 1;

	for (size_t i = 0; i < generation->nbackends; i++)
		any -= generation->backends[i].ncalls;
	return any + backend->ncalls;
}

/* A backend of a draining generation that no call can need, marked as closed; NULL: none. */
static struct backend *
take_unneeded_backend(struct sched *sched)
{
	struct draining *draining;

	TAILQ_FOREACH(draining, &sched->draining, link) {
		struct generation *generation = draining->generation;

		for (size_t i = 0; i < generation->nbackends; i++) {
			struct backend *backend = &generation->backends[i];

			if (draining->closed[i] || sched_holders(generation, backend) > 0)
				continue;
			draining->closed[i] = true;
			return backend;
		}
	}
	return NULL;
}

/* A generation on which the scheduler's reference is the last one; none can be added. */
static struct draining *
take_unused_generation(struct sched *sched)
{
	struct draining *draining;

	TAILQ_FOREACH(draining, &sched->draining, link) {
		if (atomic_load(&draining->generation->refs) > 1)
			continue;
		TAILQ_REMOVE(&sched->draining, draining, link);
		return draining;
	}
	return NULL;
}

size_t
sched_reap(struct sched *sched)
{
	struct draining *draining;
	struct backend *backend;
	size_t nleft = 0;

	workers_reap(sched);
	sched_enter(sched);
	while ((backend = take_unneeded_backend(sched)) != NULL) {
		sched_leave(sched, NULL);
		backend_close(backend);
		sched_enter(sched);
	}
	while ((draining = take_unused_generation(sched)) != NULL) {
		sched_leave(sched, NULL);
		generation_unref(draining->generation);
		free(draining);
		sched_enter(sched);
	}
	TAILQ_FOREACH(draining, &sched->draining, link)
		nleft++;
	sched_leave(sched, NULL);
	return nleft;
}

void
sched_return_generation(struct sched *sched, struct generation *generation)
{
	sched_assert(sched);
	/* It stays: the scheduler has a reference on it. */
	generation_unref(generation);
	if (generation != sched->generation)
		sched->reap_due = true;
}

struct generation *
sched_pin(struct sched *sched)
{
	struct generation *generation;

	sched_enter(sched);
	generation = generation_ref(sched->generation);
	sched_leave(sched, NULL);
	return generation;
}

void
sched_unpin(struct sched *sched, struct generation *generation)
{
	sched_enter(sched);
	sched_return_generation(sched, generation);
	sched_leave(sched, NULL);
}
