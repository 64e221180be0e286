/* SPDX-License-Identifier: Apache-2.0
 * breaker.h - circuit breaker: sends nothing to a store that does not answer.
 *
 *   closed ── five failures in a row ──► open ── 1 s later, the next request ──► probing
 *     ▲                                   ▲                                        │
 *     └──────────── success ──────────────┼──────────────── success ──────────────┤
 *                                         └── failure: twice the pause, ≤ 30 s ────┘
 *
 * One per base URL; any thread.  Time is given by the caller: monotonic milliseconds.
 */
#ifndef COSID_HTTP_BREAKER_H
#define COSID_HTTP_BREAKER_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/http.h"

enum { BREAKER_FAILURES = 5, BREAKER_PAUSE_MS = 1000, BREAKER_PAUSE_MAX_MS = 30000 };

enum breaker_outcome {
	BREAKER_NOTHING = 0, /* says nothing about the store: not sent, cancelled, no memory */
	BREAKER_GOOD = 1,    /* it answered: any status but 502, 503, 504 */
	BREAKER_BAD = 2,     /* no connection, no TLS, cut off, timed out, no HTTP, 502, 503, 504 */
};

struct breaker {
	pthread_mutex_t mutex;
	unsigned nfailures; /* in a row */
	bool open, probing;
	int64_t since_s, pause_ms, probe_ms; /* while open; since_s: wall clock */
	char last_error[256];
};

void breaker_init(struct breaker *breaker);
void breaker_done(struct breaker *breaker);

/* May a request be sent?  Every true is followed by one breaker_report() with the same probe. */
bool breaker_admit(struct breaker *breaker, int64_t now_ms, bool *out_probe);
/* error: its text, for BREAKER_BAD. */
void breaker_report(struct breaker *breaker, bool probe, enum breaker_outcome outcome,
		    const char *error, int64_t now_ms);
/* Why breaker_admit() said no, with the time of the opening; status becomes UNAVAILABLE. */
void breaker_refuse(struct breaker *breaker, struct status *status);
/* Fills all but out->base when it is open. */
bool breaker_is_open(struct breaker *breaker, struct http_open_breaker *out);

#endif
