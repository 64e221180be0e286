/* SPDX-License-Identifier: Apache-2.0
 * reload_queue.c - a ticket per request, and the reload that serves it. */
#include "admin/reload_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#include "banned.h"

void
reload_queue_init(struct reload_queue *queue, void (*wake)(void *arg), void *wake_arg)
{
	*queue = (struct reload_queue){ .wake = wake, .wake_arg = wake_arg };
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->ended, NULL);
}

void
reload_report_done(struct reload_report *report)
{
	for (size_t i = 0; i < report->nlines; i++)
		free(report->lines[i]);
	*report = (struct reload_report){ 0 };
}

void
reload_queue_done(struct reload_queue *queue)
{
	reload_report_done(&queue->last);
	pthread_cond_destroy(&queue->ended);
	pthread_mutex_destroy(&queue->mutex);
}

void
reload_queue_close(struct reload_queue *queue)
{
	LOCK_SCOPE(&queue->mutex);

	queue->closed = true;
	pthread_cond_broadcast(&queue->ended);
}

static int
report_copy(const struct reload_report *report, struct reload_report *out)
{
	*out = *report;
	for (out->nlines = 0; out->nlines < report->nlines; out->nlines++) {
		out->lines[out->nlines] = strdup(report->lines[out->nlines]);
		if (out->lines[out->nlines] == NULL) {
			reload_report_done(out);
			return -1;
		}
	}
	return 0;
}

int
reload_queue_request(struct reload_queue *queue, struct reload_report *out, struct status *status)
{
	LOCK_SCOPE(&queue->mutex);
	uint64_t ticket = ++queue->requested;

	queue->wake(queue->wake_arg);
	while (!queue->closed && queue->done < ticket)
		pthread_cond_wait(&queue->ended, &queue->mutex);
	if (queue->done < ticket)
		return status_fail(status, COSI_UNAVAILABLE, "cosid is stopping");
	return report_copy(&queue->last, out) == 0 ? 0 : status_no_memory(status);
}

int
reload_queue_last(struct reload_queue *queue, struct reload_report *out)
{
	LOCK_SCOPE(&queue->mutex);

	return report_copy(&queue->last, out);
}

bool
reload_queue_is_waiting(struct reload_queue *queue)
{
	LOCK_SCOPE(&queue->mutex);

	return queue->requested > queue->begun;
}

void
reload_queue_begin(struct reload_queue *queue)
{
	LOCK_SCOPE(&queue->mutex);

	queue->begun = queue->requested;
}

void
reload_queue_end(struct reload_queue *queue, const struct reload_report *report, struct diag *diag)
{
	LOCK_SCOPE(&queue->mutex);
	unsigned number = queue->last.number + 1;

	reload_report_done(&queue->last);
	queue->last = *report;
	queue->last.number = number;
	queue->last.nlines = diag->nlines;
	memcpy(queue->last.lines, diag->lines, diag->nlines * sizeof diag->lines[0]);
	diag->nlines = 0;
	queue->done = queue->begun;
	pthread_cond_broadcast(&queue->ended);
}
