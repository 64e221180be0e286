/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the two clocks; time is int64_t, the unit stands in the name. */
#ifndef COSID_BASE_CLOCK_H
#define COSID_BASE_CLOCK_H
#include <stdint.h>

#define CLOCK_NEVER INT64_MAX

/* Monotonic; for deadlines and durations.  A deadline may be CLOCK_NEVER. */
int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);
/* Since the epoch; for signatures, marks and logs. */
int64_t clock_wall_s(void);
int64_t clock_wall_us(void);

#endif
