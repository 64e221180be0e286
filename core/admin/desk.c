/* SPDX-License-Identifier: Apache-2.0
 * desk.c - tickets of those who wait for a reload. */
#include "admin/desk.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#include "banned.h"

void
desk_init(struct desk *desk, void (*wake)(void *arg), void *wake_arg)
{
	*desk = (struct desk){ .wake = wake, .wake_arg = wake_arg };
	pthread_mutex_init(&desk->mutex, NULL);
	pthread_cond_init(&desk->ended, NULL);
}

void
desk_report_done(struct desk_report *report)
{
	for (size_t i = 0; i < report->nlines; i++)
		free(report->lines[i]);
	*report = (struct desk_report){ 0 };
}

void
desk_done(struct desk *desk)
{
	desk_report_done(&desk->last);
	pthread_cond_destroy(&desk->ended);
	pthread_mutex_destroy(&desk->mutex);
}

void
desk_close(struct desk *desk)
{
	LOCK_SCOPE(&desk->mutex);

	desk->closed = true;
	pthread_cond_broadcast(&desk->ended);
}

/* The lines of both may be the same array. */
static int
copy_lines(struct desk_report *out, size_t n, char *const *lines)
{
	for (out->nlines = 0; out->nlines < n; out->nlines++) {
		out->lines[out->nlines] = strdup(lines[out->nlines]);
		if (out->lines[out->nlines] == NULL) {
			desk_report_done(out);
			return -1;
		}
	}
	return 0;
}

static int
copy(const struct desk_report *report, struct desk_report *out)
{
	*out = *report;
	return copy_lines(out, report->nlines, report->lines);
}

int
desk_ask(struct desk *desk, struct desk_report *out)
{
	uint64_t ticket;
	int result = -1;

	pthread_mutex_lock(&desk->mutex);
	ticket = ++desk->asked;
	pthread_mutex_unlock(&desk->mutex);
	desk->wake(desk->wake_arg);
	pthread_mutex_lock(&desk->mutex);
	while (!desk->closed && desk->done < ticket)
		pthread_cond_wait(&desk->ended, &desk->mutex);
	if (desk->done >= ticket)
		result = copy(&desk->last, out);
	pthread_mutex_unlock(&desk->mutex);
	return result;
}

int
desk_last(struct desk *desk, struct desk_report *out)
{
	LOCK_SCOPE(&desk->mutex);

	return copy(&desk->last, out);
}

bool
desk_is_asked(struct desk *desk)
{
	LOCK_SCOPE(&desk->mutex);

	return desk->asked > desk->begun;
}

void
desk_begin(struct desk *desk)
{
	LOCK_SCOPE(&desk->mutex);

	desk->begun = desk->asked;
}

void
desk_end(struct desk *desk, const struct desk_report *report, const struct diag *diag)
{
	LOCK_SCOPE(&desk->mutex);
	unsigned number = desk->last.number + 1;

	desk_report_done(&desk->last);
	desk->last = *report;
	desk->last.number = number;
	/* Without memory the lines are in the log alone. */
	if (copy_lines(&desk->last, diag->nlines, diag->lines) != 0) {
		desk->last = *report;
		desk->last.number = number;
		desk->last.nlines = 0;
	}
	desk->done = desk->begun;
	pthread_cond_broadcast(&desk->ended);
}
