/* SPDX-License-Identifier: Apache-2.0
 * http.h - requests to a store: libcurl handles kept per base URL, deadline, retries, breaker.
 *
 * One client per backend instance, used by all workers at once.  Every request belongs to a call,
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
	const char *backend; /* its name, for trace lines; copied, like all strings here */
	const char *ca_file; /* NULL: the system's */
	bool insecure;
	int64_t connect_timeout_ms, request_timeout_ms;
	int64_t retries; /* further tries of what may be sent twice */
	int64_t idle_ms; /* an unused connection is closed after this; 0: 20 s, less than stores
			    wait */
};

/* Once per process, before any thread; wiping allocators and the shared state of libcurl. 0 or -1.
 */
int http_global_init(void);
void http_global_done(void);

struct http_client;
/* NULL with status: INVALID when ca_file cannot be used or a timeout is not above zero, EXHAUSTED
 * when there is no memory.  No I/O on the network.  Proxies of the environment are not used:
 * stores are reached directly. */
struct http_client *http_client_new(const struct http_config *config, struct status *status);
/* Which certificates a client made now would trust; a change of the file on disk changes it.
 * Nothing is read; all zero: there is no such file. */
struct http_ca_version {
	uint64_t device, inode, size;
	int64_t changed_s, changed_ns;
};
void http_ca_version(const char *ca_file, struct http_ca_version *out);
/* No request may be running. */
void http_client_free(struct http_client *client);

struct http_call {
	struct arena *arena;          /* borrowed; answers live there */
	struct status *status;        /* borrowed; a failed one refuses every further request */
	int64_t deadline_ms;          /* monotonic: no request begins after it */
	const atomic_bool *cancelled; /* borrowed: no request begins once it is true */
	/* Borrowed, NULL: never.  Once true, a GET or HEAD in flight is given up in a second. */
	const atomic_bool *abandoned;
	const struct log_fields
		*fields; /* borrowed, for trace lines; NULL: they carry the backend's name */
	/* Out: a changing request (any but GET and HEAD) was sent, its outcome is unknown, and the
	 * call has failed; nothing else may touch its object for this long, the request's timeout.
	 * 0: all is known.  Unknown are: no answer or not all of it, the answers 408, 502 and 504,
	 * which say that an intermediary gave up, and 5xx that is not the store's
	 * (id_header).  The request may still be carried out, so it
	 * is not sent again (measured on RGW: a later revoke is undone; on MinIO: a setting is
	 * lost beside the next one). */
	int64_t unknown_ms;
	unsigned nrequests; /* out: requests sent, retries included */
};

/* What goes over the wire is limited; a reply beyond the limits fails the request. */
enum {
	HTTP_REQUEST_HEADERS_MAX = 64,
	HTTP_REQUEST_HEAD_MAX = 64 * 1024, /* bytes of target and headers */
	HTTP_REPLY_HEADERS_MAX = 128,
	HTTP_REPLY_HEAD_MAX = 64 * 1024, /* bytes, with interim answers and trailers */
	HTTP_REPLY_BODY_DEFAULT = 1024 * 1024,
	HTTP_BASES_MAX = 32, /* base URLs of one client */
};

/* One request to base (scheme://host[:port][/prefix], never NULL here).  NULL: no answer, and
 * call->status says why: UNAVAILABLE (not reached, breaker open, cut, unusable answer), TIMEOUT,
 * EXHAUSTED (no memory), INTERNAL.  A request in flight runs to its own timeout, whatever the
 * call's deadline says.  Retried within the deadline, with jittered backoff: 429, 500 and 503 of
 * requests that may be sent twice; transport errors, 502 and 504 of GET and HEAD; Retry-After is
 * honoured.  A request that never left, because no connection was made, is repeated whatever it
 * is.  A kept connection that turns out to be closed, or to hold bytes that belong to no answer, is
 * replaced at once for GET and HEAD.  The last answer is returned as it is, except 408, 502 and 504
 * to a changing request, and one without the store's id_header, which are UNAVAILABLE.  A request
 * that HTTP cannot carry (a line break in a header, a space in the path) is INTERNAL.  The module
 * gives no Host, Content-Length, Transfer-Encoding, Connection or Expect header: the client sets
 * them.  asked has all fields, whatever its size says. */
const struct cosi_http_reply *http_send(struct http_client *client, struct http_call *call,
					const char *base, const struct cosi_http *asked);

/* How a base and label go over the wire; from the arena, never NULL.  host is the Host header's
 * value, without the scheme's own port; path is the base's prefix, "" or "/prefix", which stands
 * before the request's path.  All three are empty for a base or a label that http_send()
 * refuses.  client: NULL as long as there is none. */
const struct cosi_url *http_url(struct http_client *client, struct arena *arena, const char *base,
				const char *host_label);

/* The open breakers, at most `most` of them; base lives as long as the client. */
struct http_open_breaker {
	const char *base;
	int64_t since_s;      /* wall clock */
	char last_error[256]; /* its text */
};
size_t http_open_breakers(struct http_client *client, size_t most, struct http_open_breaker *out);

#endif
