/* SPDX-License-Identifier: Apache-2.0
 * generations.c - a reload: one generation takes the place of another; and what the status says.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		calls_dispatch(sched, NULL); /* a queue may have more room */
	}
	sched_leave(sched, NULL);
	if (rc < 0)
		free(draining);
	return rc;
}

/* ---- the end of what was swapped out ------------------------------------------------- */

/* How many calls, and others, may need this backend of the generation. */
static unsigned
sched_holders(const struct generation *generation, const struct backend *backend)
{
	/* One is the scheduler's own. */
	unsigned any = atomic_load(&generation->refs) - 1;

	for (size_t i = 0; i < generation->nbackends; i++)
		any -= generation->backends[i].ncalls;
	return any + backend->ncalls;
}

size_t
sched_reap(struct sched *sched)
{
	struct draining *draining, *next;
	size_t nleft = 0;

	workers_reap(sched);
	sched_enter(sched);
	/* The list is the main thread's to change: it stays the same while the mutex is open. */
	for (draining = TAILQ_FIRST(&sched->draining); draining != NULL; draining = next) {
		struct generation *generation = draining->generation;

		for (size_t i = 0; i < generation->nbackends; i++) {
			struct backend *backend = &generation->backends[i];

			if (draining->closed[i] || sched_holders(generation, backend) > 0)
				continue;
			draining->closed[i] = true;
			sched_leave(sched, NULL);
			backend_close(backend);
			sched_enter(sched);
		}
		next = TAILQ_NEXT(draining, link);
		if (atomic_load(&generation->refs) > 1) {
			nleft++;
			continue;
		}
		/* The scheduler's reference is the last one; none can be added. */
		TAILQ_REMOVE(&sched->draining, draining, link);
		sched_leave(sched, NULL);
		generation_unref(generation);
		free(draining);
		sched_enter(sched);
	}
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

/* ---- the status ----------------------------------------------------------------------- */

static void
copy_queue(const struct sched *sched, const struct queue *queue, struct sched_queue *out)
{
	int64_t late_ms = clock_mono_ms() - sched->config.call_timeout_ms;
	const struct call *call;

	*out = (struct sched_queue){
		.max_calls = queue->max_calls,
		.running = queue->running,
		.waiting = queue->waiting,
		.quarantined = queue->quarantined,
		.calls = queue->calls,
		.failed = queue->failed,
		.failing = queue->failing,
		.failure_s = queue->failure_s,
		.failure = queue->failure,
	};
	_Static_assert(sizeof out->name == sizeof queue->name, "a queue's name fits");
	memcpy(out->name, queue->name, sizeof out->name);
	TAILQ_FOREACH(call, &sched->calls, all_link)
		out->late += call->phase == CALL_RUNNING && call->queue == queue &&
			     call->deadline_ms <= late_ms;
}

static void
copy_draining(const struct sched *sched, const struct draining *draining, size_t i,
	      struct sched_draining *out)
{
	const struct generation *generation = draining->generation;
	const struct backend *backend = &generation->backends[i];
	const struct call *call;

	*out = (struct sched_draining){
		.number = generation->number,
		.holders = sched_holders(generation, backend),
		.since_s = draining->since_s,
	};
	(void)snprintf(out->backend, sizeof out->backend, "%s", backend->name);
	(void)snprintf(out->module, sizeof out->module, "%s", backend->module->name);
	(void)snprintf(out->version, sizeof out->version, "%s", backend->module->version);
	TAILQ_FOREACH(call, &sched->calls, all_link) {
		if (call->generation != generation ||
		    (call->needs != NULL && call->needs != backend))
			continue;
		(void)call_title(call, out->title);
		out->age_ms = clock_mono_ms() - call->req.arrived_ms;
		return;
	}
}

struct sched_status *
sched_status(struct sched *sched)
{
	struct sched_status *status = calloc(1, sizeof *status);
	size_t nqueues = 1, ndraining = 1; /* 1: calloc(0) may fail */
	const struct draining *draining;

	if (status == NULL)
		return NULL;
	sched_enter(sched);
	for (const struct queue *queue = sched->queues.first; queue != NULL; queue = queue->next)
		nqueues++;
	TAILQ_FOREACH(draining, &sched->draining, link)
		ndraining += draining->generation->nbackends;
	status->generation = generation_ref(sched->generation);
	status->since_s = sched->generation_since_s;
	status->workers = sched->workers.n;
	status->queues = calloc(nqueues, sizeof status->queues[0]);
	status->draining = calloc(ndraining, sizeof status->draining[0]);
	if (status->queues == NULL || status->draining == NULL) {
		sched_leave(sched, NULL);
		sched_status_free(sched, status);
		return NULL;
	}
	for (const struct queue *queue = sched->queues.first; queue != NULL; queue = queue->next)
		copy_queue(sched, queue, &status->queues[status->nqueues++]);
	/* The instances that only calls of an older generation keep open.  A backend that moved
	 * over unchanged serves on, whichever generation a call came by. */
	TAILQ_FOREACH(draining, &sched->draining, link) {
		const struct generation *generation = draining->generation;

		for (size_t i = 0; i < generation->nbackends; i++) {
			const struct backend *old = &generation->backends[i];
			const struct backend *now = generation_find(sched->generation, old->name);

			if (draining->closed[i] || sched_holders(generation, old) == 0 ||
			    (now != NULL && backend_is_same(old, now)))
				continue;
			copy_draining(sched, draining, i, &status->draining[status->ndraining++]);
		}
	}
	sched_leave(sched, NULL);
	return status;
}

void
sched_status_free(struct sched *sched, struct sched_status *status)
{
	if (status == NULL)
		return;
	sched_unpin(sched, status->generation);
	free(status->queues);
	free(status->draining);
	free(status);
}
