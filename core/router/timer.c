/* SPDX-License-Identifier: Apache-2.0
 * timer.c - the heap: parents are never later than their children. */
#include "router/timer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"

#include "banned.h"

void
timers_done(struct timers *timers)
{
	assert(timers->n == 0);
	free(timers->heap);
	*timers = (struct timers){ 0 };
}

int
timers_reserve(struct timers *timers, size_t n)
{
	size_t room = timers->room == 0 ? 64 : timers->room;
	struct timer **heap;

	while (room < timers->reserved + n)
		room *= 2;
	if (room > timers->room) {
		heap = reallocarray(timers->heap, room, sizeof(struct timer *));
		if (heap == NULL)
			return -1;
		timers->heap = heap;
		timers->room = room;
	}
	timers->reserved += n;
	return 0;
}

void
timers_unreserve(struct timers *timers, size_t n)
{
	assert(timers->reserved >= n);
	timers->reserved -= n;
}

/* Places count from 1, so that the parent of p is p / 2. */
static void
put(struct timers *timers, size_t place, struct timer *timer)
{
	timers->heap[place - 1] = timer;
	timer->place = place;
}

static struct timer *
get(const struct timers *timers, size_t place)
{
	return timers->heap[place - 1];
}

static void
sift_up(struct timers *timers, size_t place, struct timer *timer)
{
	while (place > 1 && get(timers, place / 2)->at_ms > timer->at_ms) {
		put(timers, place, get(timers, place / 2));
		place /= 2;
	}
	put(timers, place, timer);
}

static void
sift_down(struct timers *timers, size_t place, struct timer *timer)
{
	size_t child;

	while ((child = 2 * place) <= timers->n) {
		if (child < timers->n && get(timers, child + 1)->at_ms < get(timers, child)->at_ms)
			child++;
		if (get(timers, child)->at_ms >= timer->at_ms)
			break;
		put(timers, place, get(timers, child));
		place = child;
	}
	put(timers, place, timer);
}

static void
settle(struct timers *timers, size_t place, struct timer *timer)
{
	if (place > 1 && get(timers, place / 2)->at_ms > timer->at_ms)
		sift_up(timers, place, timer);
	else
		sift_down(timers, place, timer);
}

void
timer_set(struct timers *timers, struct timer *timer, int64_t at_ms)
{
	timer->at_ms = at_ms;
	if (timer->place != 0) {
		settle(timers, timer->place, timer);
		return;
	}
	assert(timers->n < timers->reserved);
	timers->n++;
	sift_up(timers, timers->n, timer);
}

void
timer_clear(struct timers *timers, struct timer *timer)
{
	size_t place = timer->place;
	struct timer *last;

	if (place == 0)
		return;
	timer->place = 0;
	last = get(timers, timers->n);
	timers->n--;
	if (last != timer)
		settle(timers, place, last);
}

int64_t
timers_next_ms(const struct timers *timers)
{
	return timers->n == 0 ? CLOCK_NEVER : get(timers, 1)->at_ms;
}

struct timer *
timers_pop(struct timers *timers, int64_t now_ms)
{
	struct timer *timer = timers->n == 0 ? NULL : get(timers, 1);

	if (timer == NULL || timer->at_ms > now_ms)
		return NULL;
	timer_clear(timers, timer);
	return timer;
}
