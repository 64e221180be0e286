/* SPDX-License-Identifier: Apache-2.0
 * retry.c - backoff with jitter, Retry-After, and a sleep that ends when the caller leaves. */
#include "http/retry.h"

#include <curl/curl.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/parse.h"

#include "banned.h"

/* RETRY_AFTER_MAX_S keeps the arithmetic safe; a wait beyond the deadline is refused anyway. */
enum { STEP_MS = 20, RETRY_AFTER_MAX_S = 86400 };

/* RFC 9110 10.2.3: seconds, or a date. */
static int64_t
retry_after_ms(const char *value)
{
	int64_t seconds;
	time_t date;

	if (parse_int(value, &seconds) != 0) {
		date = curl_getdate(value, NULL);
		if (date == (time_t)-1)
			return 0;
		seconds = (int64_t)date - clock_wall_s();
	}
	if (seconds <= 0)
		return 0;
	return (seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S) * 1000;
}

int64_t
retry_delay_ms(unsigned ntried, const char *retry_after)
{
	int64_t full = RETRY_MAX_MS, asked = retry_after != NULL ? retry_after_ms(retry_after) : 0;
	uint16_t random = 0;

	if (ntried <= 5 && RETRY_FIRST_MS << (ntried - 1) < RETRY_MAX_MS)
		full = RETRY_FIRST_MS << (ntried - 1);
	/* Without randomness the delay is the same for all, which is still a delay. */
	(void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
	full = full / 2 + full / 2 * random / UINT16_MAX;
	return full > asked ? full : asked;
}

bool
retry_wait(const struct http_call *call, int64_t delay_ms)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int64_t until = clock_mono_ms() + delay_ms;

	if (until >= call->deadline_ms)
		return false;
	while (clock_mono_ms() < until) {
		if (atomic_load(call->cancelled))
			return false;
		(void)nanosleep(&step, NULL);
	}
	return !atomic_load(call->cancelled);
}
