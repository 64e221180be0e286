/* SPDX-License-Identifier: Apache-2.0
 * status.c - a copy of what the scheduler knows, for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sched/state.h"

#include "banned.h"

/* Room that is enough unless a reload comes in between; what does not fit is left out. */
enum { SPARE_ROOM = 8 };

static void
copy_queues(const struct sched *sched, struct sched_status *status, size_t room)
{
	int64_t late_ms = clock_mono_ms() - sched->config.call_timeout_ms;

	for (const struct queue *queue = sched->queues.first;
	     queue != NULL && status->nqueues < room; queue = queue->next) {
		struct sched_queue *out = &status->queues[status->nqueues++];
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

/* The instances that only calls of an older generation keep open.  A backend that moved over
 * unchanged serves on, whichever generation a call came by. */
static void
copy_all_draining(const struct sched *sched, struct sched_status *status, size_t room)
{
	const struct draining *draining;

	TAILQ_FOREACH(draining, &sched->draining, link) {
		const struct generation *generation = draining->generation;

		for (size_t i = 0; i < generation->nbackends && status->ndraining < room; i++) {
			const struct backend *old = &generation->backends[i];
			const struct backend *now = generation_find(sched->generation, old->name);

			if (draining->closed[i] || sched_holders(generation, old) == 0 ||
			    (now != NULL && backend_is_same(old, now)))
				continue;
			copy_draining(sched, draining, i, &status->draining[status->ndraining++]);
		}
	}
}

struct sched_status *
sched_status(struct sched *sched)
{
	struct sched_status *status = calloc(1, sizeof *status);
	size_t nqueues = SPARE_ROOM, ndraining = SPARE_ROOM;
	const struct draining *draining;

	if (status == NULL)
		return NULL;
	sched_enter(sched);
	for (const struct queue *queue = sched->queues.first; queue != NULL; queue = queue->next)
		nqueues++;
	TAILQ_FOREACH(draining, &sched->draining, link)
		ndraining += draining->generation->nbackends;
	sched_leave(sched, NULL);
	status->queues = calloc(nqueues, sizeof status->queues[0]);
	status->draining = calloc(ndraining, sizeof status->draining[0]);
	if (status->queues == NULL || status->draining == NULL) {
		free(status->queues);
		free(status->draining);
		free(status);
		return NULL;
	}
	sched_enter(sched);
	status->generation = generation_ref(sched->generation);
	status->since_s = sched->generation_since_s;
	status->workers = sched->workers.n;
	copy_queues(sched, status, nqueues);
	copy_all_draining(sched, status, ndraining);
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
