/* SPDX-License-Identifier: Apache-2.0
 * handle.h - one libcurl handle with its connections, and one attempt of a request on it.
 *
 * Used by one thread at a time; between attempts it is in the pool.
 */
#ifndef COSID_HTTP_HANDLE_H
#define COSID_HTTP_HANDLE_H
#include <curl/curl.h>

#include "http/breaker.h"
#include "http/reply.h"
#include "http/request.h"

/* The certificates that a client trusts, read once for all of its connections: libcurl would read
 * the system's bundle for each handle, 3 MiB and 30 ms of CPU each (measured), which makes
 * connections of a burst time out. */
struct ca_store;
/* ca_file: read now; NULL: the system's, read when the first connection needs it.  NULL with status
 * INVALID naming the file, or EXHAUSTED without memory. */
struct ca_store *ca_store_new(const char *ca_file, struct status *status);
void ca_store_free(struct ca_store *ca);
/* libcurl's CURLOPT_SSL_CTX_FUNCTION; userdata is the struct ca_store.  Any thread. */
CURLcode ca_store_apply_cb(CURL *easy, void *ssl_ctx, void *userdata);

/* What every handle of a client has in common; owned by the client. */
struct handle_options {
	const char *backend;
	struct ca_store *ca_store; /* NULL: insecure, no certificate is verified */
	int64_t connect_timeout_ms, idle_ms;
};

struct attempt;
struct handle {
	struct handle *next;                  /* in the pool */
	const struct handle_options *options; /* borrowed from the client */
	int64_t idle_since_ms;
	CURL *easy;
	struct reply reply;
	struct attempt *attempt; /* borrowed, while an attempt runs */
	char error[CURL_ERROR_SIZE];
};

/* options are borrowed.  NULL: no memory. */
struct handle *handle_new(const struct handle_options *options);
void handle_free(struct handle *handle);

enum attempt_stop {
	ATTEMPT_GOES_ON = 0,
	ATTEMPT_CANCELLED = 1, /* the caller left before it was sent */
	ATTEMPT_TOO_LATE = 2,  /* the deadline came before it was sent */
	ATTEMPT_NO_REPEAT = 3, /* the kept connection broke, and it may have arrived */
	ATTEMPT_GIVEN_UP = 4,  /* the caller has left, and the request changes nothing */
};

/* One attempt.  status 0: no answer; then code and text say why. */
struct attempt {
	const struct request *request; /* borrowed */
	struct http_call *call;        /* borrowed; nrequests counts what is sent */
	unsigned sent; /* how often: a kept connection that breaks is replaced at once */
	enum attempt_stop stop;
	int status;
	uint32_t code; /* enum cosi_code */
	char text[1024];
	bool repeat; /* another attempt could end better */
	enum breaker_outcome outcome;
	int64_t ms; /* how long it took */
};
void handle_perform(struct handle *handle, struct attempt *attempt);

/* failure.c: fills the results of the attempt from what libcurl returned. */
void failure_judge(struct handle *handle, struct attempt *attempt, CURLcode code,
		   bool out_of_memory);

/* libcurl's allocators: they wipe on free, and a failure is seen by the attempt of the thread. */
void *handle_malloc(size_t size);
void *handle_calloc(size_t n, size_t size);
void *handle_realloc(void *p, size_t size);
char *handle_strdup(const char *s);

#endif
