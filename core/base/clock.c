/* SPDX-License-Identifier: Apache-2.0
 * clock.c - points in time as text: strftime without a time zone. */
#include "base/clock.h"

#include <stdio.h>

#include "banned.h"

int
utc_format(char out[UTC_MAX], enum utc_form form, int64_t wall_s)
{
	time_t seconds = (time_t)wall_s;
	size_t len = 0;
	struct tm tm;

	if (gmtime_r(&seconds, &tm) == NULL)
		len = 0;
	else if (form == UTC_RFC3339)
		len = strftime(out, UTC_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm);
	else if (form == UTC_GO)
		len = strftime(out, UTC_MAX, "%Y-%m-%d %H:%M:%S +0000 UTC", &tm);
	/* strftime() leaves out undefined when the text does not fit. */
	if (len > 0)
		return 0;
	out[0] = '\0';
	return -1;
}

const char *
utc_text(char out[UTC_MAX], int64_t wall_s)
{
	(void)utc_format(out, UTC_RFC3339, wall_s);
	return out;
}

const char *
utc_text_ms(char out[UTC_MAX], int64_t wall_us)
{
	enum { ZONE_AT = sizeof "2000-01-01T00:00:00" - 1 };

	if (utc_format(out, UTC_RFC3339, wall_us / 1000000) == 0 && out[ZONE_AT] == 'Z')
		(void)snprintf(out + ZONE_AT, UTC_MAX - ZONE_AT, ".%03dZ",
			       (int)(wall_us / 1000 % 1000));
	return out;
}
