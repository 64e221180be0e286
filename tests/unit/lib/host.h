/* SPDX-License-Identifier: Apache-2.0
 * host.h - the daemon's services for a module under test: real requests by libcurl, or scripted
 * ones.
 *
 * It stops at a chosen request, as a daemon that is killed does: before the request is sent, or
 * after the store has acted on it and before the module hears of it.
 */
#ifndef TEST_LIB_HOST_H
#define TEST_LIB_HOST_H
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"

enum { HOST_TRACE_MAX = 64, HOST_TEXT_MAX = 1024 };

struct host_chunk;
struct host {
	struct cosi_call call; /* first */
	/* Set by the test; they outlive host_reset(). */
	const char *endpoint; /* where http() goes; NULL: every request is an error of the test */
	const char *public_endpoint; /* NULL: endpoint */
	int64_t now;                 /* seconds; 0: the real clock */
	int64_t time_left_ms;        /* 0: 60000 */
	const void *random;          /* what random() gives; NULL: random bytes */
	unsigned kill_before;        /* this request is not sent any more; 0: none */
	unsigned kill_after;         /* this one is sent, its answer lost; 0: none */
	const struct cosi_http_reply *(*script)(struct host *, const struct cosi_http *);
	void *arg; /* for script() */
	/* What happened. */
	uint32_t code; /* of the first cosi_fail() */
	char text[HOST_TEXT_MAX];
	unsigned nrequests;
	char trace[HOST_TRACE_MAX][256]; /* "PUT /photos?tagging= 200" */
	size_t allocated;                /* bytes of the call's memory */
	struct host_chunk *chunks;
	void *curl;
};

void host_init(struct host *host, const char *endpoint);
/* Ready for the next call. */
void host_reset(struct host *host);
void host_done(struct host *host);
/* For script(): what the endpoint really answers; and an answer with S3's request
 * id, out of the call's memory. */
const struct cosi_http_reply *host_exchange(struct host *host, const struct cosi_http *request);
const struct cosi_http_reply *host_reply(struct host *host, int status, const char *body);

#endif
