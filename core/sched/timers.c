/* SPDX-License-Identifier: Apache-2.0
 * timers.c - the list, kept in order. */
#include "sched/timers.h"

#include <stddef.h>

#include "base/clock.h"

#include "banned.h"

void
timer_set(struct timers *timers, struct timer *timer, int64_t at_ms)
{
	struct timer *before;

	timer_clear(timers, timer);
	timer->at_ms = at_ms;
	timer->set = true;
	before = TAILQ_LAST(timers, timers);
	while (before != NULL && before->at_ms > at_ms)
		before = TAILQ_PREV(before, timers, link);
	if (before != NULL)
		TAILQ_INSERT_AFTER(timers, before, timer, link);
	else
		TAILQ_INSERT_HEAD(timers, timer, link);
}

void
timer_clear(struct timers *timers, struct timer *timer)
{
	if (timer->set)
		TAILQ_REMOVE(timers, timer, link);
	timer->set = false;
}

int64_t
timers_next_ms(const struct timers *timers)
{
	return TAILQ_EMPTY(timers) ? CLOCK_NEVER : TAILQ_FIRST(timers)->at_ms;
}

struct timer *
timers_pop(struct timers *timers, int64_t now_ms)
{
	struct timer *timer = TAILQ_FIRST(timers);

	if (timer == NULL || timer->at_ms > now_ms)
		return NULL;
	timer_clear(timers, timer);
	return timer;
}
