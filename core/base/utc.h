/* SPDX-License-Identifier: Apache-2.0
 * utc.h - points in time as text, in UTC. */
#ifndef COSID_BASE_UTC_H
#define COSID_BASE_UTC_H
#include <stdint.h>

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
