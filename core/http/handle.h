/* SPDX-License-Identifier: Apache-2.0
 * handle.h - one libcurl handle with its connections, and one try of a request on it.
 *
 * Used by one thread at a time; between tries it rests in the pool.
 */
#ifndef COSID_HTTP_HANDLE_H
#define COSID_HTTP_HANDLE_H
#include <curl/curl.h>

#include "http/breaker.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/trust.h"

/* What every handle of a client has in common; owned by the client. */
struct handle_options {
	const char *backend;
	struct trust *trust; /* NULL: insecure, everybody is believed */
	int64_t connect_timeout_ms, idle_ms;
};

struct attempt;
struct handle {
	struct handle *next;                  /* in the pool */
	const struct handle_options *options; /* borrowed from the client */
	int64_t idle_since_ms;
	CURL *easy;
	struct reply reply;
	struct attempt *attempt; /* borrowed, while a try runs */
	char error[CURL_ERROR_SIZE];
};

/* options are borrowed.  NULL: no memory. */
struct handle *handle_new(const struct handle_options *options);
void handle_free(struct handle *handle);

enum attempt_stop {
	ATTEMPT_GOES_ON = 0,
	ATTEMPT_TOO_LATE = 1,  /* the deadline came, or the caller left, before it was sent */
	ATTEMPT_NO_REPEAT = 2, /* the kept connection broke, and it must not be sent again */
	ATTEMPT_GIVEN_UP = 3,  /* the caller has left, and the request changes nothing */
};

/* One try.  status 0: no answer; then code and text say why. */
struct attempt {
	const struct request *request; /* borrowed */
	struct http_call *call;        /* borrowed; nrequests counts what is sent */
	unsigned sent; /* how often: a kept connection that breaks is replaced at once */
	enum attempt_stop stop;
	int status;
	uint32_t code; /* enum cosi_code */
	char text[1024];
	bool repeat; /* another try could end better */
	enum breaker_verdict verdict;
	int64_t ms; /* how long it took */
};
void handle_perform(struct handle *handle, struct attempt *attempt);

#endif
