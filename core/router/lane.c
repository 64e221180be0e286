/* SPDX-License-Identifier: Apache-2.0
 * lane.c - slots and the queue for them. */
#include "router/lane.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#include "banned.h"

struct lane *
lanes_find(const struct lanes *lanes, const char *name)
{
	struct lane *lane = lanes->first;

	while (lane != NULL && strcmp(lane->name, name) != 0)
		lane = lane->next;
	return lane;
}

struct lane *
lanes_set(struct lanes *lanes, const char *name, unsigned max_calls)
{
	struct lane *lane = lanes_find(lanes, name);

	if (lane == NULL) {
		lane = calloc(1, sizeof *lane);
		if (lane == NULL)
			return NULL;
		TAILQ_INIT(&lane->ready);
		(void)snprintf(lane->name, sizeof lane->name, "%s", name);
		lane->next = lanes->first;
		lanes->first = lane;
	}
	lane->max_calls = max_calls;
	return lane;
}

void
lanes_done(struct lanes *lanes)
{
	struct lane *next;

	for (struct lane *lane = lanes->first; lane != NULL; lane = next) {
		assert(lane->waiting == 0 && lane->running == 0 && lane->held == 0);
		next = lane->next;
		free(lane);
	}
	lanes->first = NULL;
}

unsigned
lane_max_calls(int64_t configured, unsigned workers, size_t nbackends)
{
	unsigned max = nbackends > 1 ? workers - 1 : workers;
	unsigned wanted = workers / 4;

	if (configured > 0)
		wanted = configured < max ? (unsigned)configured : max;
	return wanted > 0 ? wanted : 1;
}

void
lane_join(struct lane *lane, struct job *job)
{
	assert(job->at == JOB_NOWHERE);
	job->lane = lane;
	job->at = JOB_LOCKS;
	lane->waiting++;
}

void
lane_ready(struct job *job)
{
	assert(job->at == JOB_LOCKS);
	job->at = JOB_LANE;
	TAILQ_INSERT_TAIL(&job->lane->ready, job, link);
}

struct job *
lane_next(struct lane *lane)
{
	struct job *job = TAILQ_FIRST(&lane->ready);

	if (job == NULL || lane->running >= lane->max_calls)
		return NULL;
	TAILQ_REMOVE(&lane->ready, job, link);
	job->at = JOB_POOL;
	lane->waiting--;
	lane->running++;
	return job;
}

void
lane_leave(struct job *job)
{
	switch (job->at) {
	case JOB_NOWHERE:
		return;
	case JOB_LANE:
		TAILQ_REMOVE(&job->lane->ready, job, link);
		job->lane->waiting--;
		break;
	case JOB_LOCKS:
		job->lane->waiting--;
		break;
	case JOB_POOL:
	case JOB_RUNS:
		job->lane->running--;
		break;
	}
	job->at = JOB_NOWHERE;
}

/* Whatever the state of the store: it is the request that would have to be another. */
static bool
is_about_request(uint32_t code)
{
	return code == COSI_INVALID || code == COSI_OUT_OF_RANGE || code == COSI_EXISTS ||
	       code == COSI_NOT_FOUND || code == COSI_PRECONDITION;
}

void
lane_count(struct lane *lane, const struct status *status)
{
	lane->calls++;
	if (status == NULL)
		return;
	if (status_ok(status)) {
		lane->failing = false;
		return;
	}
	lane->failed++;
	if (is_about_request(status->code))
		return;
	/* These two are, too, but an administrator may want to know. */
	lane->failing |= status->code != COSI_BUSY && status->code != COSI_UNSUPPORTED;
	lane->failure = *status;
	lane->failure_s = clock_wall_s();
}

bool
lane_is_full(const struct lane *lane)
{
	return lane->waiting > LANE_WAITING_PER_CALL * lane->max_calls;
}

bool
lane_holds_too_much(const struct lane *lane)
{
	return lane->held >= LANE_HELD_PER_CALL * lane->max_calls;
}
