/* SPDX-License-Identifier: Apache-2.0
 * test_retry.c - what is sent again and what is not, and how long is waited before.
 */
#include "http/client.h"

#include <pthread.h>
#include <time.h>

#include "rig.h"

#include "banned.h"

/* One failure: sent again where it may be, and only there.  status: 0: it was no answer.  What
 * changes something and is lost fails its call. */
static void
repeat_after(const struct httpd_step *failure, int status, bool lost)
{
	for (size_t i = 0; i < COUNT(rig_cases); i++) {
		bool changes = rig_changing(&rig_cases[i]);
		bool again = lost ? rig_cases[i].resent : rig_cases[i].repeated;
		const struct cosi_http_reply *reply;
		struct rig rig;

		rig_open_failing(&rig, failure, 1, 2);
		reply = rig_send(&rig, .method = rig_cases[i].method, .path = "/b",
				 .flags = rig_cases[i].flags);
		assert_int_equal(rig.call.nrequests, again ? 2 : 1);
		assert_int_equal(httpd_nrequests(rig.httpd), rig.call.nrequests);
		assert_int_equal(reply != NULL ? reply->status : 0, again             ? 200
								    : changes && lost ? 0
										      : status);
		assert_int_equal(rig.status.code, reply != NULL ? COSI_OK : COSI_UNAVAILABLE);
		assert_int_equal(rig.call.unknown_ms, changes && lost ? RIG_PATIENCE_MS : 0);
		rig_close(&rig);
	}
}

static void
test_repeat__closed(void **state)
{
	const struct httpd_step failure = { .then = HTTPD_CLOSE };

	(void)state;
	repeat_after(&failure, 0, true);
}

static void
test_repeat__reset(void **state)
{
	const struct httpd_step failure = { .then = HTTPD_RESET };

	(void)state;
	repeat_after(&failure, 0, true);
}

static void
test_repeat__cut(void **state)
{
	const struct httpd_step failure = { .bytes = "HTTP/1.1 200 OK\r\nContent-Le",
					    .then = HTTPD_CLOSE };

	(void)state;
	repeat_after(&failure, 0, true);
}

/* What a gateway in between says leaves the store's doing open. */
static void
test_repeat__statuses(void **state)
{
	const struct httpd_step s429 = { .bytes = ANSWER("429 Slow") };
	const struct httpd_step s500 = { .bytes = ANSWER("500 Oops") };
	const struct httpd_step s502 = { .bytes = ANSWER("502 Gateway") };
	const struct httpd_step s503 = { .bytes = ANSWER("503 Busy") };
	const struct httpd_step s504 = { .bytes = ANSWER("504 Late") };

	(void)state;
	repeat_after(&s429, 429, false);
	repeat_after(&s500, 500, false);
	repeat_after(&s502, 502, true);
	repeat_after(&s503, 503, false);
	repeat_after(&s504, 504, true);
}

static void
test_no_repeat__other_statuses(void **state)
{
	static const char *const answers[] = { ANSWER("200 x"), ANSWER("400 x"), ANSWER("403 x"),
					       ANSWER("404 x"), ANSWER("409 x"), ANSWER("412 x"),
					       ANSWER("501 x"), ANSWER("505 x"), ANSWER("307 x") };

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		const struct httpd_step step = { .bytes = answers[i] };
		struct rig rig;

		rig_open(&rig, NULL, &step, 1);
		assert_non_null(rig_send(&rig, .method = "DELETE", .path = "/b"));
		assert_int_equal(rig.call.nrequests, 1);
		assert_int_equal(rig.call.unknown_ms, 0);
		rig_close(&rig);
	}
}

/* As 502 and 504, but a GET is not sent again either. */
static void
test_no_repeat__request_timeout(void **state)
{
	const struct httpd_step late = { .bytes = ANSWER("408 Late") };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, &late, 1);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 408);
	assert_int_equal(rig.call.unknown_ms, 0);
	assert_null(rig_send(&rig, .method = "DELETE", .path = "/b"));
	assert_failed(
		&rig, COSI_UNAVAILABLE,
		rig_text(&rig, "%B answered 408 to 'DELETE /b': it may still be carried out"));
	assert_int_equal(rig.call.nrequests, 1);
	assert_int_equal(rig.call.unknown_ms, RIG_PATIENCE_MS);
	rig_close(&rig);
}

/* After its own 5xx a proxy may still pass a change on; what only reads is asked again. */
static void
test_repeat__answer_of_another_server(void **state)
{
	static const struct {
		int status;
		const char *answer, *method;
		unsigned requests; /* the second one is answered by the store */
		bool lost;
	} rows[] = {
		{ 200, ANSWER("200 x"), "PUT", 1, false },
		{ 404, ANSWER("404 x"), "PUT", 1, false },
		{ 429, ANSWER("429 x"), "PUT", 2, false },
		{ 500, ANSWER("500 x"), "PUT", 1, true },
		{ 501, ANSWER("501 x"), "PUT", 1, true },
		{ 503, ANSWER("503 x"), "PUT", 1, true },
		{ 200, ANSWER("200 x"), "GET", 1, false },
		{ 404, ANSWER("404 x"), "GET", 1, false },
		{ 501, ANSWER("501 x"), "GET", 1, false },
		{ 503, ANSWER("503 x"), "GET", 2, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct httpd_step steps[] = { { .bytes = rows[i].answer },
						    { .bytes = OF_STORE("200 OK") } };
		const struct cosi_http_reply *reply;
		char text[128];
		struct rig rig;

		rig_open(&rig, NULL, steps, COUNT(steps));
		reply = rig_send(&rig, .method = rows[i].method, .path = "/b",
				 .flags = COSI_HTTP_SAFE, .id_header = "shop-id");
		assert_int_equal(reply != NULL, rows[i].requests == 2);
		assert_int_equal(rig.call.nrequests, rows[i].requests);
		assert_int_equal(rig.call.unknown_ms, rows[i].lost ? RIG_PATIENCE_MS : 0);
		(void)snprintf(text, sizeof text,
			       "the %d reply of %%B to '%s /b' is not from the store: "
			       "it has no header 'shop-id'",
			       rows[i].status, rows[i].method);
		if (reply == NULL)
			assert_failed(&rig, COSI_UNAVAILABLE, rig_text(&rig, text));
		rig_close(&rig);
	}
}

/* What the store itself refuses is known. */
static void
test_repeat__answer_of_the_store(void **state)
{
	const struct httpd_step steps[] = { { .bytes = OF_STORE("503 Busy") },
					    { .bytes = OF_STORE("409 Conflict") } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, steps, COUNT(steps));
	assert_int_equal(
		rig_send(&rig, .method = "DELETE", .path = "/b", .id_header = "shop-id")->status,
		409);
	assert_int_equal(rig.call.nrequests, 2);
	assert_int_equal(rig.call.unknown_ms, 0);
	rig_close(&rig);
}

static void
test_repeat__as_often_as_configured(void **state)
{
	const struct httpd_step busy = { .bytes = ANSWER("503 Busy") };
	struct rig rig;

	(void)state;
	for (int64_t retries = 0; retries <= 3; retries++) {
		rig_open_failing(&rig, &busy, 3, retries);
		/* the last answer is returned as it is */
		assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status,
				 retries < 3 ? 503 : 200);
		assert_int_equal(rig.call.nrequests, retries + 1);
		assert_int_equal(rig.status.code, COSI_OK);
		rig_close(&rig);
	}
}

static void
test_repeat__last_error_is_told(void **state)
{
	const struct httpd_step drop = { .then = HTTPD_CLOSE };
	struct rig rig;

	(void)state;
	rig_open_failing(&rig, &drop, 3, 2);
	assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_failed(&rig, COSI_UNAVAILABLE,
		      rig_text(&rig, "%B closed the connection instead of answering 'GET /b'"));
	assert_int_equal(rig.call.nrequests, 3);
	rig_close(&rig);
}

/* No wait goes beyond the deadline: the answer that there is comes at once. */
static void
test_retry_after__beyond_the_deadline(void **state)
{
	const struct httpd_step busy = {
		.bytes = "HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
	};
	struct rig rig;

	(void)state;
	rig_open_failing(&rig, &busy, 1, 2);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 503);
	assert_int_equal(rig.call.nrequests, 1);
	rig_close(&rig);
}

static void
test_retry_after__is_waited_for(void **state)
{
	const struct httpd_step busy = {
		.bytes = "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
	};
	int64_t begun_ms = clock_mono_ms();
	struct rig rig;

	(void)state;
	rig_open_failing(&rig, &busy, 1, 2);
	assert_int_equal(rig_send(&rig, .method = "GET", .path = "/b")->status, 200);
	assert_int_equal(rig.call.nrequests, 2);
	assert_true(clock_mono_ms() - begun_ms >= 1000);
	rig_close(&rig);
}

static void
test_delay__doubles_with_jitter_up_to_2_s(void **state)
{
	static const int64_t full[] = { 100, 200, 400, 800, 1600, 2000, 2000, 2000 };

	(void)state;
	for (unsigned n = 0; n < COUNT(full); n++)
		for (int i = 0; i < 1000; i++)
			assert_in_range(retry_delay_ms(n + 1, NULL), full[n] / 2, full[n]);
	assert_in_range(retry_delay_ms(4000000000u, NULL), 1000, 2000);
}

static void
test_delay__differs(void **state)
{
	int64_t first = retry_delay_ms(6, NULL);
	int equal = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		equal += retry_delay_ms(6, NULL) == first;
	assert_true(equal < 50);
}

static void
test_delay__retry_after(void **state)
{
	static const char *const nothing[] = { "0",
					       "-5",
					       "soon",
					       "",
					       "1.5",
					       "99999999999999999999",
					       "Thu, 01 Jan 1970 00:00:01 GMT" };
	char date[64];
	time_t then = time(NULL) + 100;
	struct tm tm;

	(void)state;
	assert_int_equal(retry_delay_ms(1, "7"), 7000);
	assert_int_equal(retry_delay_ms(1, "86400"), 86400000);
	assert_int_equal(retry_delay_ms(1, "86401"), 86400000);
	assert_int_equal(retry_delay_ms(1, "9223372036854775807"), 86400000);
	for (size_t i = 0; i < COUNT(nothing); i++)
		assert_in_range(retry_delay_ms(1, nothing[i]), 50, 100);
	assert_true(strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&then, &tm)) >
		    0);
	assert_in_range(retry_delay_ms(1, date), 90000, 100000);
}

static void
test_wait__not_beyond_the_deadline(void **state)
{
	static const atomic_bool never;
	struct http_call call = { .cancelled = &never, .deadline_ms = clock_mono_ms() + 5000 };

	(void)state;
	assert_false(retry_wait(&call, 3600000));
	assert_true(retry_wait(&call, 1));
	assert_true(clock_mono_ms() < call.deadline_ms);
}

static void *
leave(void *cancelled)
{
	atomic_store((atomic_bool *)cancelled, true);
	return NULL;
}

static void
test_wait__ends_when_the_caller_leaves(void **state)
{
	atomic_bool cancelled = false;
	struct http_call call = { .cancelled = &cancelled, .deadline_ms = CLOCK_NEVER };
	int64_t begun_ms = clock_mono_ms();
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, leave, &cancelled), 0);
	assert_false(retry_wait(&call, 3600000));
	assert_true(clock_mono_ms() - begun_ms < 60000);
	pthread_join(thread, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeat__closed),
		cmocka_unit_test(test_repeat__reset),
		cmocka_unit_test(test_repeat__cut),
		cmocka_unit_test(test_repeat__statuses),
		cmocka_unit_test(test_no_repeat__other_statuses),
		cmocka_unit_test(test_no_repeat__request_timeout),
		cmocka_unit_test(test_repeat__answer_of_another_server),
		cmocka_unit_test(test_repeat__answer_of_the_store),
		cmocka_unit_test(test_repeat__as_often_as_configured),
		cmocka_unit_test(test_repeat__last_error_is_told),
		cmocka_unit_test(test_retry_after__beyond_the_deadline),
		cmocka_unit_test(test_retry_after__is_waited_for),
		cmocka_unit_test(test_delay__doubles_with_jitter_up_to_2_s),
		cmocka_unit_test(test_delay__differs),
		cmocka_unit_test(test_delay__retry_after),
		cmocka_unit_test(test_wait__not_beyond_the_deadline),
		cmocka_unit_test(test_wait__ends_when_the_caller_leaves),
	};

	return RIG_RUN(tests);
}
