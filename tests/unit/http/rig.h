/* SPDX-License-Identifier: Apache-2.0
 * rig.h - a client, a scripted server, and the call that is under test. */
#ifndef TESTS_UNIT_HTTP_RIG_H
#define TESTS_UNIT_HTTP_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fakes/httpd.h"
#include "http/http.h"

/* An answer without a body. */
#define ANSWER(status) "HTTP/1.1 " status "\r\nContent-Length: 0\r\n\r\n"
#define OK             ANSWER("200 OK")
/* With the store's id_header. */
#define OF_STORE(status) "HTTP/1.1 " status "\r\nShop-Id: 1\r\nContent-Length: 0\r\n\r\n"
#define AGENT            "User-Agent: cosid/" COSID_VERSION "\r\nAccept: */*\r\n"
#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))

enum { RIG_PATIENCE_MS = 60000 };

struct rig {
	struct httpd *httpd;
	struct http_client *client;
	const char *base;
	struct arena arena;
	struct status status;
	atomic_bool cancelled;
	struct http_call call;
};

/* What the tests change from; a timeout that must not strike is long. */
static inline struct http_config
rig_config(void)
{
	return (struct http_config){ .backend = "shop",
				     .connect_timeout_ms = RIG_PATIENCE_MS,
				     .request_timeout_ms = RIG_PATIENCE_MS,
				     .retries = 2 };
}

/* A call of its own, within the same client. */
static inline void
rig_begin(struct rig *rig)
{
	arena_done(&rig->arena);
	rig->status = (struct status){ 0 };
	atomic_store(&rig->cancelled, false);
	rig->call = (struct http_call){ .arena = &rig->arena,
					.status = &rig->status,
					.deadline_ms = clock_mono_ms() + RIG_PATIENCE_MS,
					.cancelled = &rig->cancelled };
}

static inline void
rig_open(struct rig *rig, const struct http_config *config, const struct httpd_step *steps,
	 size_t nsteps)
{
	const struct http_config usual = rig_config();
	struct status status = { 0 };

	*rig = (struct rig){ 0 };
	arena_init(&rig->arena, (size_t)64 << 20);
	rig->httpd = httpd_start(steps, nsteps, NULL);
	rig->base = httpd_url(rig->httpd);
	rig->client = http_client_new(config != NULL ? config : &usual, &status);
	assert_non_null(rig->client);
	rig_begin(rig);
}

/* A server that does the first step `failures` times, then answers 200. */
static inline void
rig_open_failing(struct rig *rig, const struct httpd_step *first, size_t failures, int64_t retries)
{
	static struct httpd_step steps[17];

	struct http_config config = rig_config();

	config.retries = retries;
	for (size_t i = 0; i < failures; i++)
		steps[i] = *first;
	steps[failures] = (struct httpd_step){ .bytes = OK };
	rig_open(rig, &config, steps, failures + 1);
}

static inline void
rig_close(struct rig *rig)
{
	http_client_free(rig->client);
	httpd_stop(rig->httpd);
	arena_done(&rig->arena);
}

/* One exchange of a call of its own. */
#define rig_send(rig, ...)                                                                         \
	(rig_begin(rig),                                                                           \
	 http_send((rig)->client, &(rig)->call, (rig)->base, COSI_HTTP(__VA_ARGS__)))

#define assert_failed(rig, expected_code, expected_text)                                           \
	do {                                                                                       \
		assert_string_equal((rig)->status.text, (expected_text));                          \
		assert_int_equal((rig)->status.code, (expected_code));                             \
	} while (0)

/* "TEXT" with every %B replaced by the server's URL; static. */
static inline const char *
rig_text(const struct rig *rig, const char *text)
{
	static char out[STATUS_TEXT_MAX];
	const char *at = strstr(text, "%B");

	assert_non_null(at);
	(void)snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, httpd_url(rig->httpd),
		       at + 2);
	return out;
}

static inline int
rig_global_init(void **state)
{
	(void)state;
	return http_global_init();
}

static inline int
rig_global_done(void **state)
{
	(void)state;
	http_global_done();
	return 0;
}

/* What may be sent again after a refusal, and what even after an unknown outcome. */
struct rig_case {
	const char *method;
	uint32_t flags;
	bool repeated, resent;
};

static const struct rig_case rig_cases[] = {
	{ "GET", 0, true, true },
	{ "HEAD", 0, true, true },
	{ "DELETE", 0, true, false },
	{ "PUT", 0, false, false },
	{ "POST", 0, false, false },
	{ "PATCH", 0, false, false },
	{ "PUT", COSI_HTTP_SAFE, true, false },
	{ "POST", COSI_HTTP_SAFE, true, false },
	{ "GET", COSI_HTTP_FINAL, false, false },
	{ "DELETE", COSI_HTTP_FINAL, false, false },
	{ "POST", COSI_HTTP_FINAL | COSI_HTTP_SAFE, false, false },
};

static inline bool
rig_changing(const struct rig_case *what)
{
	return strcmp(what->method, "GET") != 0 && strcmp(what->method, "HEAD") != 0;
}

#define RIG_RUN(tests) cmocka_run_group_tests((tests), rig_global_init, rig_global_done)

#endif
