/* SPDX-License-Identifier: Apache-2.0
 * test_send.c - what stays unknown, when nothing is sent, the breaker.
 */
#include "http/http.h"

#include <pthread.h>

#include "http/breaker.h"
#include "rig.h"

#include "banned.h"

#define DROP                                                                                       \
	{                                                                                          \
		.then = HTTPD_CLOSE                                                                \
	}

enum { TIMEOUT_MS = 150 };

/* After it nothing more is sent, also nothing that changes nothing. */
static void
test_unknown__ends_the_call(void **state)
{
	const struct httpd_step steps[] = { { .bytes = OK }, DROP, { .bytes = OK } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, steps, COUNT(steps));
	assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b", .flags = COSI_HTTP_SAFE));
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "PUT", .path = "/b", .query = "tagging",
					.flags = COSI_HTTP_SAFE, .timeout_ms = 9000)));
	assert_int_equal(rig.call.unknown_ms, 9000);
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "GET", .path = "/b")));
	assert_failed(&rig, COSI_UNAVAILABLE,
		      rig_text(&rig, "%B closed the connection instead of answering 'PUT /b'"));
	assert_int_equal(httpd_nrequests(rig.httpd), 2);
	rig_close(&rig);
}

static void
test_unknown__timeout(void **state)
{
	const struct httpd_step hang = { .then = HTTPD_HANG };
	struct http_config config = rig_config();
	struct rig rig;

	(void)state;
	config.request_timeout_ms = TIMEOUT_MS;
	rig_open(&rig, &config, &hang, 1);
	assert_null(rig_send(&rig, .method = "DELETE", .path = "/b"));
	assert_failed(&rig, COSI_TIMEOUT,
		      rig_text(&rig, "no answer to 'DELETE /b' from %B within 150 ms"));
	assert_int_equal(rig.call.unknown_ms, TIMEOUT_MS);
	assert_int_equal(rig.call.nrequests, 1);
	rig_close(&rig);
}

static void
test_refused__failed_call_keeps_its_code(void **state)
{
	const struct httpd_step ok = { .bytes = OK };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, &ok, 1);
	rig_begin(&rig);
	(void)status_fail(&rig.status, COSI_EXISTS, "cannot create bucket 'b'");
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "DELETE", .path = "/b")));
	assert_failed(&rig, COSI_EXISTS, "cannot create bucket 'b'");
	assert_int_equal(httpd_nconnections(rig.httpd), 0);
	rig_close(&rig);
}

static void
test_refused__deadline_and_cancellation(void **state)
{
	const struct httpd_step ok = { .bytes = OK };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, &ok, 1);
	rig_begin(&rig);
	rig.call.deadline_ms = clock_mono_ms();
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "GET", .path = "/b")));
	assert_failed(&rig, COSI_TIMEOUT, "the deadline passed before 'GET /b' was sent");
	rig_begin(&rig);
	rig.call.deadline_ms = CLOCK_NEVER;
	atomic_store(&rig.cancelled, true);
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "GET", .path = "/b")));
	assert_failed(&rig, COSI_TIMEOUT, "the caller left before 'GET /b' was sent");
	assert_int_equal(httpd_nconnections(rig.httpd), 0);
	assert_int_equal(rig.call.nrequests, 0);
	rig_close(&rig);
}

static atomic_bool abandoned;

/* Once the request has arrived. */
static void *
abandon(void *arg)
{
	struct httpd *httpd = arg;

	httpd_wait_requests(httpd, 1);
	atomic_store(&abandoned, true);
	return NULL;
}

static void
test_in_flight__abandoned(void **state)
{
	const struct httpd_step held = { .bytes = OK, .hold = 1 };
	pthread_t thread;
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, &held, 1);
	atomic_store(&abandoned, false);
	rig.call.abandoned = &abandoned;
	assert_int_equal(pthread_create(&thread, NULL, abandon, rig.httpd), 0);
	assert_null(http_send(rig.client, &rig.call, rig.base,
			      COSI_HTTP(.method = "GET", .path = "/b")));
	pthread_join(thread, NULL);
	assert_failed(&rig, COSI_TIMEOUT, "'GET /b' was cancelled: its caller has left");
	assert_int_equal(rig.call.nrequests, 1);
	rig_close(&rig);
}

/* Not what changes something: its outcome must be known. */
static void
test_in_flight__abandoned_change(void **state)
{
	const struct httpd_step dripping = {
		.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		.then = HTTPD_DRIP,
		.again = "x",
	};
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, &dripping, 1);
	atomic_store(&abandoned, true);
	rig.call.abandoned = &abandoned;
	assert_non_null(http_send(rig.client, &rig.call, rig.base,
				  COSI_HTTP(.method = "PUT", .path = "/b")));
	rig_close(&rig);
}

struct released {
	struct rig *rig;
	bool past_deadline;
};

/* Once the request has arrived: the caller leaves or its time is up; then the store answers. */
static void *
answer_later(void *arg)
{
	const struct released *what = arg;

	httpd_wait_requests(what->rig->httpd, 1);
	if (!what->past_deadline)
		atomic_store(&what->rig->cancelled, true);
	else
		while (clock_mono_ms() <= what->rig->call.deadline_ms)
			;
	httpd_release(what->rig->httpd);
	return NULL;
}

/* A request in flight is waited for, because its outcome must be known. */
static void
test_in_flight__outlives_its_call(void **state)
{
	const struct httpd_step held = { .bytes = OK, .hold = 1 };
	pthread_t thread;
	struct rig rig;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct released what = { &rig, i == 1 };

		rig_open(&rig, NULL, &held, 1);
		if (what.past_deadline)
			rig.call.deadline_ms = clock_mono_ms() + 100;
		assert_int_equal(pthread_create(&thread, NULL, answer_later, &what), 0);
		assert_non_null(http_send(rig.client, &rig.call, rig.base,
					  COSI_HTTP(.method = "PUT", .path = "/b")));
		pthread_join(thread, NULL);
		assert_int_equal(rig.call.unknown_ms, 0);
		assert_null(http_send(rig.client, &rig.call, rig.base,
				      COSI_HTTP(.method = "PUT", .path = "/c")));
		assert_int_equal(rig.status.code, COSI_TIMEOUT);
		assert_int_equal(rig.call.nrequests, 1);
		rig_close(&rig);
	}
}

/* Five failures in a row, retries counted, open the breaker; then nothing is sent. */
static void
test_breaker__opens_and_refuses(void **state)
{
	const struct httpd_step busy = { .bytes = ANSWER("503 Busy") };
	struct http_open_breaker open;
	int64_t before_s = clock_wall_s();
	struct rig rig;

	(void)state;
	rig_open_failing(&rig, &busy, 15, 2);
	assert_int_equal(http_open_breakers(rig.client, 1, &open), 0);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 503);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 503);
	assert_int_equal(rig.call.nrequests, 2); /* the third try is not made any more */
	assert_int_equal(http_open_breakers(rig.client, 1, &open), 1);
	assert_string_equal(open.base, rig.base);
	assert_in_range(open.since_s, before_s, clock_wall_s());
	assert_string_equal(open.last_error, rig_text(&rig, "%B answers with HTTP 503"));
	assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_int_equal(rig.status.code, COSI_UNAVAILABLE);
	assert_int_equal(rig.call.nrequests, 0);
	assert_int_equal(httpd_nrequests(rig.httpd), 5);
	rig_close(&rig);
}

static void
test_breaker__each_base_has_its_own(void **state)
{
	const struct httpd_step busy = { .bytes = ANSWER("503 Busy") };
	struct http_open_breaker open[2];
	struct rig rig;
	char other[128];

	(void)state;
	rig_open_failing(&rig, &busy, 5, 4);
	(void)snprintf(other, sizeof other, "%s/iam", rig.base);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 503);
	rig.base = other;
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 200);
	assert_int_equal(http_open_breakers(rig.client, 2, open), 1);
	rig_close(&rig);
}

/* However libcurl, or cosid, comes to see that it is none. */
static void
test_breaker__what_is_not_http_counts(void **state)
{
	static const char *const answers[] = { "SSH-2.0-OpenSSH_9.2\r\n",
					       "HTTP/1.1 200 OK\r\nno header: x\r\n\r\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		const struct httpd_step step = { .bytes = answers[i], .then = HTTPD_CLOSE };
		struct http_config config = rig_config();
		struct http_open_breaker open;
		struct rig rig;

		config.retries = 0;
		rig_open(&rig, &config, &step, 1);
		for (int n = 0; n < BREAKER_FAILURES; n++) {
			assert_int_equal(http_open_breakers(rig.client, 1, &open), 0);
			assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
		}
		assert_int_equal(http_open_breakers(rig.client, 1, &open), 1);
		assert_string_equal(
			open.last_error,
			rig_text(&rig, "the answer of %B to 'GET /b' is not valid HTTP"));
		rig_close(&rig);
	}
}

static void
test_breaker__other_statuses_do_not_count(void **state)
{
	static const char *const answers[] = { ANSWER("429 x"), ANSWER("500 x"), ANSWER("404 x"),
					       ANSWER("403 x") };

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		const struct httpd_step step = { .bytes = answers[i] };
		struct http_config config = rig_config();
		struct http_open_breaker open;
		struct rig rig;

		config.retries = 0;
		rig_open(&rig, &config, &step, 1);
		for (int n = 0; n < 8; n++)
			assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
		assert_int_equal(http_open_breakers(rig.client, 1, &open), 0);
		rig_close(&rig);
	}
}

static void
test_bases__as_many_as_32(void **state)
{
	const struct httpd_step ok = { .bytes = OK };
	struct rig rig;
	char base[128];

	(void)state;
	rig_open(&rig, NULL, &ok, 1);
	rig.base = base;
	for (int i = 0; i <= HTTP_BASES_MAX; i++) {
		(void)snprintf(base, sizeof base, "%s/%d", httpd_url(rig.httpd), i);
		if (i < HTTP_BASES_MAX)
			assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
		else
			assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
	}
	assert_failed(&rig, COSI_INTERNAL, "a client has 32 base URLs at most");
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown__ends_the_call),
		cmocka_unit_test(test_unknown__timeout),
		cmocka_unit_test(test_refused__failed_call_keeps_its_code),
		cmocka_unit_test(test_refused__deadline_and_cancellation),
		cmocka_unit_test(test_in_flight__abandoned),
		cmocka_unit_test(test_in_flight__abandoned_change),
		cmocka_unit_test(test_in_flight__outlives_its_call),
		cmocka_unit_test(test_breaker__opens_and_refuses),
		cmocka_unit_test(test_breaker__each_base_has_its_own),
		cmocka_unit_test(test_breaker__what_is_not_http_counts),
		cmocka_unit_test(test_breaker__other_statuses_do_not_count),
		cmocka_unit_test(test_bases__as_many_as_32),
	};

	return RIG_RUN(tests);
}
