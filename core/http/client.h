/* SPDX-License-Identifier: Apache-2.0
 * client.h - a backend's handles: kept per base URL, closed when they are idle. */
#ifndef COSID_HTTP_CLIENT_H
#define COSID_HTTP_CLIENT_H
#include "http/breaker.h"
#include "http/handle.h"

/* Idle handles of one base; more are closed as they come back. */
enum { CLIENT_IDLE_MAX = 64 };

struct origin { /* one base URL */
	struct origin *next;
	char *base;
	struct arena arena; /* of url */
	struct url url;
	struct breaker breaker;
	struct handle *idle; /* owned; newest first, so that few are kept busy and the rest age */
	size_t nidle;
};

struct http_client {
	struct http_client *next; /* of all clients, for the reaper */
	int64_t request_timeout_ms, retries;
	struct handle_options options; /* owned: its name and CA store */
	struct origin *origins;        /* under the mutex of all clients, client.c */
	size_t norigins;
};

/* Borrowed from the client.  NULL with status: INTERNAL, base is no URL or there are HTTP_BASES_MAX
 * others, or EXHAUSTED, no memory. */
struct origin *client_origin(struct http_client *client, const char *base, struct status *status);
/* A kept handle or a new one; NULL: no memory.  The caller gives it back. */
struct handle *client_take(struct http_client *client, struct origin *origin);
void client_give(struct http_client *client, struct origin *origin, struct handle *handle);
/* Idle handles of the origin. */
size_t client_nidle(const struct origin *origin);

/* http.c: how long to wait before the next attempt, after nattempts (from 1); retry_after: the
 * header's value or NULL.  Between half and the whole of 100 ms, 200 ms, ... 2 s; never less than
 * the store asks for. */
enum { RETRY_FIRST_MS = 100, RETRY_MAX_MS = 2000 };
int64_t retry_delay_ms(unsigned nattempts, const char *retry_after);
/* Waits.  false: not worth it, the deadline comes first, or the caller left while it waited. */
bool retry_wait(const struct http_call *call, int64_t delay_ms);

#endif
