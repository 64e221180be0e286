/* SPDX-License-Identifier: Apache-2.0
 * queue.c - which call may run next, and counters for the status. */
#include "sched/queue.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#include "banned.h"

/* The shares of all backends together take a quarter of the workers, or one worker each. */
enum { SHARES_OF_WORKERS = 4 };

struct queue *
queues_find(const struct queues *queues, const char *name)
{
	struct queue *queue = queues->first;

	while (queue != NULL && strcmp(queue->name, name) != 0)
		queue = queue->next;
	return queue;
}

struct queue *
queues_add(struct queues *queues, const char *name)
{
	struct queue *queue = queues_find(queues, name);

	if (queue != NULL)
		return queue;
	queue = calloc(1, sizeof *queue);
	if (queue == NULL)
		return NULL;
	TAILQ_INIT(&queue->queued);
	(void)snprintf(queue->name, sizeof queue->name, "%s", name);
	queue->next = queues->first;
	queues->first = queue;
	return queue;
}

static unsigned
queue_free_share(const struct queue *queue)
{
	return queue->share > queue->running ? queue->share - queue->running : 0;
}

void
queues_configure(struct queues *queues, unsigned workers)
{
	queues->workers = workers;
	queues->free_share = 0;
	for (struct queue *queue = queues->first; queue != NULL; queue = queue->next) {
		queue->share = 0;
		queue->max_calls = workers;
	}
}

void
queue_configure(struct queues *queues, struct queue *queue, int64_t max_calls, size_t nbackends)
{
	unsigned share = queues->workers / (SHARES_OF_WORKERS * (unsigned)nbackends);

	assert(queue->share == 0);
	if (max_calls > 0 && max_calls < queues->workers)
		queue->max_calls = (unsigned)max_calls;
	if (share == 0)
		share = 1;
	queue->share = share < queue->max_calls ? share : queue->max_calls;
	queues->free_share += queue_free_share(queue);
}

void
queues_done(struct queues *queues)
{
	struct queue *next;

	for (struct queue *queue = queues->first; queue != NULL; queue = next) {
		assert(queue->waiting == 0 && queue->running == 0 && queue->quarantined == 0);
		next = queue->next;
		free(queue);
	}
	*queues = (struct queues){ 0 };
}

/* ---- a call's way ----------------------------------------------------------------------- */

void
queue_join(struct queue *queue, struct call *call)
{
	assert(call->queue == NULL);
	call_set_phase(call, CALL_LOCKING);
	call->queue = queue;
	queue->waiting++;
}

void
queue_got_locks(struct call *call)
{
	call_set_phase(call, CALL_QUEUED);
	TAILQ_INSERT_TAIL(&call->queue->queued, call, queue_link);
}

/* Where there are more backends than half the workers, their shares give way to what waits. */
static bool
queue_may_run(const struct queues *queues, const struct queue *queue)
{
	unsigned kept = queues->free_share - queue_free_share(queue);
	unsigned free = queues->workers > queues->running ? queues->workers - queues->running : 0;

	if (TAILQ_EMPTY(&queue->queued) || queue->running >= queue->max_calls)
		return false;
	if (kept > queues->workers / 2)
		kept = queues->workers / 2;
	return queue->running < queue->share || free > kept;
}

static void
queue_set_running(struct queues *queues, struct queue *queue, unsigned running)
{
	queues->free_share -= queue_free_share(queue);
	queues->running = queues->running - queue->running + running;
	queue->running = running;
	queues->free_share += queue_free_share(queue);
}

struct call *
queues_take(struct queues *queues)
{
	struct queue *begin = queues->turn != NULL ? queues->turn : queues->first, *queue = begin;
	struct call *call;

	if (begin == NULL)
		return NULL;
	while (!queue_may_run(queues, queue)) {
		queue = queue->next != NULL ? queue->next : queues->first;
		if (queue == begin)
			return NULL;
	}
	queues->turn = queue->next;
	call = TAILQ_FIRST(&queue->queued);
	TAILQ_REMOVE(&queue->queued, call, queue_link);
	call_set_phase(call, CALL_READY);
	queue->waiting--;
	queue_set_running(queues, queue, queue->running + 1);
	return call;
}

void
queue_leave(struct queues *queues, struct call *call)
{
	struct queue *queue = call->queue;

	switch (call->phase) {
	case CALL_LOCKING:
		queue->waiting--;
		break;
	case CALL_QUEUED:
		TAILQ_REMOVE(&queue->queued, call, queue_link);
		queue->waiting--;
		break;
	case CALL_READY:
	case CALL_RUNNING:
		queue_set_running(queues, queue, queue->running - 1);
		break;
	case CALL_QUARANTINED:
		queue->quarantined--;
		break;
	case CALL_NEW:
	case CALL_DONE:
	case CALL_ENDED:
		assert(false);
	}
	call->queue = NULL;
}

void
queue_quarantine(struct queues *queues, struct call *call)
{
	call_set_phase(call, CALL_QUARANTINED);
	queue_set_running(queues, call->queue, call->queue->running - 1);
	call->queue->quarantined++;
}

int
queue_check_room(const struct queue *queue, unsigned more, struct status *status)
{
	if (queue->quarantined >= QUEUE_QUARANTINED_PER_CALL * queue->max_calls)
		return status_fail(status, COSI_EXHAUSTED,
				   "too many calls of backend '%s' have an unknown outcome",
				   queue->name);
	if (queue->waiting + more > QUEUE_WAITING_PER_CALL * queue->max_calls)
		return status_fail(status, COSI_EXHAUSTED, "too many calls wait for backend '%s'",
				   queue->name);
	return 0;
}

/* ---- counters for the status -------------------------------------------------------------- */

void
queue_count(struct queue *queue, const struct status *status)
{
	queue->calls++;
	if (status == NULL)
		return;
	if (status_ok(status)) {
		queue->failing = false;
		return;
	}
	queue->failed++;
	switch (status->code) {
	case COSI_INVALID: /* whatever the state of the store, the request must change */
	case COSI_OUT_OF_RANGE:
	case COSI_EXISTS:
	case COSI_NOT_FOUND:
	case COSI_PRECONDITION:
		return;
	case COSI_BUSY: /* these are about the request, too, but an administrator may want to know
			 */
	case COSI_UNSUPPORTED:
		break;
	default:
		queue->failing = true;
	}
	queue->failure = *status;
	queue->failure_s = clock_wall_s();
}
