/* SPDX-License-Identifier: Apache-2.0
 * breaker.c - counts failures in a row, opens, probes. */
#include "http/breaker.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

void
breaker_init(struct breaker *breaker)
{
	*breaker = (struct breaker){ .mutex = PTHREAD_MUTEX_INITIALIZER };
}

void
breaker_done(struct breaker *breaker)
{
	pthread_mutex_destroy(&breaker->mutex);
}

bool
breaker_admit(struct breaker *breaker, int64_t now_ms, bool *out_probe)
{
	LOCK_SCOPE(&breaker->mutex);

	*out_probe = false;
	if (!breaker->open)
		return true;
	if (breaker->probing || now_ms < breaker->probe_ms)
		return false;
	breaker->probing = true;
	*out_probe = true;
	return true;
}

void
breaker_report(struct breaker *breaker, bool probe, enum breaker_outcome outcome, const char *error,
	       int64_t now_ms)
{
	LOCK_SCOPE(&breaker->mutex);

	if (probe)
		breaker->probing = false;
	if (outcome == BREAKER_GOOD) {
		breaker->nfailures = 0;
		breaker->open = false;
	}
	if (outcome != BREAKER_BAD)
		return;
	secret_printf(breaker->last_error, sizeof breaker->last_error, "%s", error);
	breaker->nfailures++;
	if (breaker->open && !probe)
		return; /* sent before it opened */
	if (!breaker->open && breaker->nfailures < BREAKER_FAILURES)
		return;
	if (!breaker->open) {
		breaker->open = true;
		breaker->since_s = clock_wall_s();
		breaker->pause_ms = BREAKER_PAUSE_MS;
	} else if (breaker->pause_ms * 2 < BREAKER_PAUSE_MAX_MS) {
		breaker->pause_ms *= 2;
	} else {
		breaker->pause_ms = BREAKER_PAUSE_MAX_MS;
	}
	breaker->probe_ms = now_ms + breaker->pause_ms;
}

void
breaker_refuse(struct breaker *breaker, struct status *status)
{
	LOCK_SCOPE(&breaker->mutex);
	char when[UTC_MAX];

	/* A point in time, not a duration: equal failures have equal texts. */
	status_fail(status, COSI_UNAVAILABLE, "circuit breaker open since %s: %s",
		    utc_text(when, breaker->since_s), breaker->last_error);
}

bool
breaker_is_open(struct breaker *breaker, struct http_open_breaker *out)
{
	LOCK_SCOPE(&breaker->mutex);

	if (!breaker->open)
		return false;
	out->since_s = breaker->since_s;
	memcpy(out->last_error, breaker->last_error, sizeof out->last_error);
	return true;
}
