/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the two clocks, and points in time as text; time is int64_t, and the unit stands in the
 * name. */
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
	return clock_us(CLOCK_MONOTONIC) / 1000;
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
	return clock_us(CLOCK_REALTIME) / 1000000;
}

/* ---- points in time as text, in UTC ---- */

enum { UTC_MAX = 32 }; /* bytes for any of these, with the NUL */

enum utc_form {
	UTC_RFC3339 = 1, /* 2026-11-21T15:00:00Z */
	UTC_GO = 2,      /* 2026-11-21 15:00:00 +0000 UTC, as Go prints a time */
};

/* Writes the seconds since the epoch into out.  0, or -1 with an empty out: it is no date of the
 * calendar, or does not fit. */
int utc_format(char out[UTC_MAX], enum utc_form form, int64_t wall_s);
/* "2026-11-21T15:00:00Z", or an empty text, as above; returns out. */
const char *utc_text(char out[UTC_MAX], int64_t wall_s);
/* The same with milliseconds: "2026-11-21T15:00:00.250Z". */
const char *utc_text_ms(char out[UTC_MAX], int64_t wall_us);

#endif
