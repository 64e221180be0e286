/* SPDX-License-Identifier: Apache-2.0
 * timers.h - points in time for one thread to wait for: a list, earliest first.
 *
 * Setting a timer cannot fail, since the list links what is in the calls.  It looks for its place
 * from the end: most timers are set for later than all others.
 *
 * A plain structure: callers hold the scheduler's mutex.
 */
#ifndef COSID_SCHED_TIMERS_H
#define COSID_SCHED_TIMERS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct timer {
	int64_t at_ms; /* monotonic */
	bool set;
	TAILQ_ENTRY(timer) link;
};
TAILQ_HEAD(timers, timer);

/* Sets it, or moves it when it is set. */
void timer_set(struct timers *timers, struct timer *timer, int64_t at_ms);
/* Whether it is set or not. */
void timer_clear(struct timers *timers, struct timer *timer);
/* CLOCK_NEVER when none is set. */
int64_t timers_next_ms(const struct timers *timers);
/* Takes out the earliest one, when its time has come; NULL: none. */
struct timer *timers_pop(struct timers *timers, int64_t now_ms);

#endif
