/* SPDX-License-Identifier: Apache-2.0
 * http.h - exchanges with a store: libcurl handles kept per base URL, deadline, retries, breaker.
 *
 * One client per backend instance, used by all workers at once.  Every exchange belongs to a call,
 * whose arena takes the answer and whose status takes the error.
 */
#ifndef COSID_HTTP_HTTP_H
#define COSID_HTTP_HTTP_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/status.h"
#include "cosi_module.h"

struct http_config {
	const char *backend; /* its name, for texts; copied, like all strings here */
	const char *ca_file; /* NULL: the system's */
	bool insecure;
	int64_t connect_timeout_ms, request_timeout_ms;
	int64_t retries; /* further tries of what may be sent twice */
};

/* Once per process, before any thread; wiping allocators and the shared state of libcurl. 0 or -1. */
int http_global_init(void);
void http_global_done(void);

struct http_client;
struct http_client *http_client_new(const struct http_config *config, struct status *status);
/* No exchange may be running. */
void http_client_free(struct http_client *client);

struct http_call {
	struct arena *arena;           /* borrowed; answers live there */
	struct status *status;         /* borrowed; a failed one refuses every further exchange */
	int64_t deadline_ms;           /* monotonic: no exchange begins after it */
	const atomic_bool *cancelled;  /* borrowed: no exchange begins once it is true */
	const struct log_fields *fields; /* borrowed, for trace lines; may be NULL */
	/* Out: a changing request (any but GET and HEAD) was sent and its outcome is unknown; nothing else
	 * may touch its object for this long (the largest timeout of such requests). 0: all is known. */
	int64_t unknown_ms;
	unsigned nrequests; /* out: requests sent, retries included */
};

/* One exchange against base (scheme://host[:port][/prefix], never NULL here).  NULL: no answer, and
 * call->status says why: UNAVAILABLE (not reached, breaker open, cut, unusable answer), TIMEOUT,
 * INTERNAL.  A request in flight runs to its own timeout, whatever the call's deadline says.
 * Retried within the deadline, with jittered backoff: transport errors, 429, 500, 502, 503 and 504
 * of requests that may be sent twice; Retry-After is honoured.  The last answer is returned as it is. */
const struct cosi_http_reply *http_exchange(struct http_client *client, struct http_call *call, const char *base,
					    const struct cosi_http *request);

/* How a base and label go over the wire; from the arena, never NULL. */
const struct cosi_url *http_url(struct arena *arena, const char *base, const char *host_label);

/* The breaker of one base: closed, or open since when (monotonic ms), with the last error's text
 * copied into last_error. */
struct http_breaker_state { bool open; int64_t since_ms; char last_error[256]; };
void http_breaker_state(struct http_client *client, const char *base, struct http_breaker_state *out);

#endif
