/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the two clocks; time is int64_t, and the unit stands in the name. */
#ifndef COSID_BASE_CLOCK_H
#define COSID_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

/* A deadline that never comes. */
#define CLOCK_NEVER INT64_MAX

static inline int64_t
clock_us(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Monotonic: for deadlines and durations. */
static inline int64_t
clock_mono_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

static inline int64_t
clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

/* Since the epoch: for signatures, tags and logs. */
static inline int64_t
clock_wall_us(void)
{
	return clock_us(CLOCK_REALTIME);
}

static inline int64_t
clock_wall_s(void)
{
	return clock_wall_us() / 1000000;
}

#endif
