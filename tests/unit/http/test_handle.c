/* SPDX-License-Identifier: Apache-2.0
 * test_handle.c - kept connections that are of no use any more, and what is sent again on another.
 */
#include <pthread.h>
#include <time.h>

#include "rig.h"

#include "banned.h"

/* A kept connection that fails at that moment: replaced at once, without the count of retries, but
 * never for what changes something. */
static void
replace_after(const struct httpd_step *failure)
{
	const struct httpd_step steps[] = { { .bytes = OK }, *failure, { .bytes = OK } };

	for (size_t i = 0; i < COUNT(rig_cases); i++) {
		struct http_config config = rig_config();
		const struct cosi_http_reply *reply;
		struct rig rig;

		config.retries = 0;
		rig_open(&rig, &config, steps, COUNT(steps));
		assert_non_null(rig_send(&rig, .method = "GET", .path = "/warm"));
		reply = rig_send(&rig, .method = rig_cases[i].method, .path = "/b",
				 .flags = rig_cases[i].flags, .body = { "x", 1 });
		assert_int_equal(httpd_nrequests(rig.httpd), rig_cases[i].resent ? 3 : 2);
		assert_int_equal(rig.call.nrequests, rig_cases[i].resent ? 2 : 1);
		if (rig_cases[i].resent) {
			assert_int_equal(reply->status, 200);
			assert_int_equal(httpd_nconnections(rig.httpd), 2);
		} else {
			assert_int_equal(rig.status.code, COSI_UNAVAILABLE);
		}
		assert_int_equal(rig.call.unknown_ms,
				 rig_changing(&rig_cases[i]) ? RIG_PATIENCE_MS : 0);
		rig_close(&rig);
	}
}

static void
test_kept_connection__closed_under_the_request(void **state)
{
	const struct httpd_step failure = { .then = HTTPD_CLOSE };

	(void)state;
	replace_after(&failure);
}

/* As RADOS Gateway 16.2 sends them after the answer to GetUserPolicy of an absent policy. */
#define STRAY "<Message></Message><RequestId>tx0</RequestId>"

static void
test_kept_connection__stray_bytes_before_the_answer(void **state)
{
	const struct httpd_step failure = { .bytes = STRAY OK };

	(void)state;
	replace_after(&failure);
}

/* The linker sends the client's clock_gettime() here: its monotonic clock can be moved on. */
int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

static _Atomic time_t moved_s;

int
__wrap_clock_gettime(clockid_t id, struct timespec *now)
{
	int rc = __real_clock_gettime(id, now);

	if (id == CLOCK_MONOTONIC)
		now->tv_sec += moved_s;
	return rc;
}

enum { SLOW_S = 3, TIMEOUT_MS = 4000 };

/* Lets the store take that long for its second answer, by the client's clock. */
static void *
release_late(void *httpd)
{
	httpd_wait_requests(httpd, 2);
	moved_s += SLOW_S;
	httpd_release(httpd);
	return NULL;
}

/* What the first one took, the second one has no more. */
static void
test_kept_connection__replaced_within_the_timeout(void **state)
{
	const struct httpd_step steps[] = { { .bytes = OK },
					    { .bytes = STRAY OK, .hold = 1 },
					    { .then = HTTPD_HANG } };
	struct http_config config = rig_config();
	int64_t begun_ms;
	pthread_t slow;
	struct rig rig;

	(void)state;
	config.retries = 0;
	rig_open(&rig, &config, steps, COUNT(steps));
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/warm"));
	begun_ms = clock_mono_ms();
	assert_int_equal(pthread_create(&slow, NULL, release_late, rig.httpd), 0);
	assert_null(rig_send(&rig, .method = "GET", .path = "/b", .timeout_ms = TIMEOUT_MS));
	/* With a timeout of its own the second one would take four seconds more. */
	assert_in_range(clock_mono_ms() - begun_ms, TIMEOUT_MS - 1, TIMEOUT_MS + SLOW_S * 1000 - 1);
	assert_failed(&rig, COSI_TIMEOUT,
		      rig_text(&rig, "no answer to 'GET /b' from %B within 4 s"));
	assert_int_equal(httpd_nrequests(rig.httpd), 3);
	assert_int_equal(pthread_join(slow, NULL), 0);
	httpd_release(rig.httpd);
	rig_close(&rig);
}

/* Those that come with the answer that they follow are dropped with it. */
static void
test_kept_connection__stray_bytes_after_the_answer(void **state)
{
	const struct httpd_step steps[] = { { .bytes = OK STRAY }, { .bytes = OK } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, steps, COUNT(steps));
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/warm"));
	assert_non_null(rig_send(&rig, .method = "POST", .path = "/b", .flags = COSI_HTTP_FINAL));
	assert_int_equal(rig.call.nrequests, 1);
	rig_close(&rig);
}

/* On a connection of its own such an answer is the store's, and would be the same again. */
static void
test_fresh_connection__stray_bytes_are_the_answer(void **state)
{
	const struct httpd_step stray = { .bytes = STRAY OK };
	struct rig rig;

	(void)state;
	rig_open_failing(&rig, &stray, 1, 2);
	assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_failed(&rig, COSI_UNAVAILABLE,
		      rig_text(&rig, "the answer of %B to 'GET /b' is not valid HTTP"));
	assert_int_equal(rig.call.nrequests, 1);
	rig_close(&rig);
}

/* Closed while it rested: a new one is made, and nothing is lost. */
static void
test_kept_connection__closed_while_idle(void **state)
{
	const struct httpd_step steps[] = { { .bytes = OK, .then = HTTPD_CLOSE }, { .bytes = OK } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, steps, COUNT(steps));
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/warm"));
	httpd_wait_all_closed(rig.httpd);
	assert_non_null(rig_send(&rig, .method = "POST", .path = "/b", .flags = COSI_HTTP_FINAL));
	assert_int_equal(rig.call.nrequests, 1);
	assert_int_equal(rig.call.unknown_ms, 0);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_connection__closed_under_the_request),
		cmocka_unit_test(test_kept_connection__stray_bytes_before_the_answer),
		cmocka_unit_test(test_kept_connection__replaced_within_the_timeout),
		cmocka_unit_test(test_kept_connection__stray_bytes_after_the_answer),
		cmocka_unit_test(test_fresh_connection__stray_bytes_are_the_answer),
		cmocka_unit_test(test_kept_connection__closed_while_idle),
	};

	return RIG_RUN(tests);
}
