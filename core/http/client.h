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
	struct breaker breaker;
	struct handle *idle; /* owned; newest first, so that few are kept busy and the rest age */
	size_t nidle;
};

struct http_client {
	int64_t request_timeout_ms, retries;
	struct handle_options options; /* owned: its name and trust */
	pthread_mutex_t mutex;         /* what follows; never held while a request runs */
	pthread_cond_t changed;        /* wakes the reaper */
	struct origin *origins;
	size_t norigins;
	int64_t wakes_ms; /* when the reaper looks next by itself */
	bool reaping, closing;
	pthread_t reaper;
};

/* Borrowed from the client.  NULL with status: INTERNAL, there are HTTP_BASES_MAX others, or
 * EXHAUSTED, no memory. */
struct origin *client_origin(struct http_client *client, const char *base, struct status *status);
/* A kept handle or a new one; NULL: no memory.  The caller gives it back. */
struct handle *client_take(struct http_client *client, struct origin *origin);
void client_give(struct http_client *client, struct origin *origin, struct handle *handle);

#endif
