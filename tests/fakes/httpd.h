/* SPDX-License-Identifier: Apache-2.0
 * httpd.h - a scripted HTTP server in threads: says what it is told, byte by byte, and remembers.
 *
 * The n-th request, counted over all connections, meets the n-th step; the last step stays.
 */
#ifndef TESTS_FAKES_HTTPD_H
#define TESTS_FAKES_HTTPD_H
#include <stddef.h>

enum httpd_then {
	HTTPD_KEEP = 0,   /* waits for the next request */
	HTTPD_CLOSE = 1,  /* closes in order */
	HTTPD_RESET = 2,  /* the client sees ECONNRESET */
	HTTPD_HANG = 3,   /* says no more until httpd_release(), then closes */
	HTTPD_REPEAT = 4, /* sends more, again and again, until the client has gone */
	HTTPD_DRIP = 5,   /* the same, one sending every 20 ms */
};

struct httpd_step {
	const char *bytes; /* sent as they are; NULL: nothing */
	size_t len;        /* 0: up to the NUL */
	enum httpd_then then;
	const char *again; /* what HTTPD_REPEAT and HTTPD_DRIP go on with; NULL: the bytes */
	int hold;          /* sends nothing before httpd_release() */
	int early;         /* acts when the head is there; the body is not read */
	int echo; /* answers 200 with the request's first line as the body, instead of bytes */
};

/* Where the certificate and its key stand, PEM; NULL: plain HTTP. */
struct httpd_tls {
	const char *cert_path, *key_path;
};

struct httpd;
/* steps and their bytes are copied.  Ends the program when there is no socket. */
struct httpd *httpd_start(const struct httpd_step *steps, size_t nsteps,
			  const struct httpd_tls *tls);
/* Lets everything go that hangs, joins, frees. */
void httpd_stop(struct httpd *httpd);

/* "http://127.0.0.1:PORT" */
const char *httpd_url(const struct httpd *httpd);
/* The steps from here on; the count of requests begins anew. */
void httpd_script(struct httpd *httpd, const struct httpd_step *steps, size_t nsteps);
size_t httpd_nrequests(struct httpd *httpd);
size_t httpd_nconnections(struct httpd *httpd); /* accepted so far */
/* The n-th request as it came, head and body; NULL when there was none.  Until httpd_script(). */
const char *httpd_request(struct httpd *httpd, size_t n);

/* Wait for an event; they end the program when it does not come in 30 s. */
void httpd_wait_requests(struct httpd *httpd, size_t n);
void httpd_wait_all_closed(struct httpd *httpd); /* no connection stands */
void httpd_release(struct httpd *httpd);

#endif
