/* SPDX-License-Identifier: Apache-2.0
 * timer.h - points in time for one thread to wait for, in a binary heap.
 *
 * A plain structure: whoever uses it holds the router's mutex.  Arming cannot fail, because room
 * is reserved before.
 */
#ifndef COSID_ROUTER_TIMER_H
#define COSID_ROUTER_TIMER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
	int64_t at_ms;                /* monotonic */
	size_t place;                 /* in the heap, from 1; 0: not armed */
	void (*fire)(struct timer *); /* on the timer thread, with the mutex */
};

struct timers {
	struct timer **heap;
	size_t n, room, reserved;
};

void timers_done(struct timers *timers);
/* Room for n timers more; -1: no memory. */
int timers_reserve(struct timers *timers, size_t n);
void timers_unreserve(struct timers *timers, size_t n);

/* Arms it, or moves it when it is armed. */
void timer_set(struct timers *timers, struct timer *timer, int64_t at_ms);
/* No matter whether it is armed. */
void timer_clear(struct timers *timers, struct timer *timer);
/* CLOCK_NEVER when none is armed. */
int64_t timers_next_ms(const struct timers *timers);
/* Takes out the earliest one, when its time has come; NULL: none. */
struct timer *timers_pop(struct timers *timers, int64_t now_ms);

#endif
