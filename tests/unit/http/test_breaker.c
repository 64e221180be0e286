/* SPDX-License-Identifier: Apache-2.0
 * test_breaker.c - when a store is left alone, and for how long. */
#include "http/breaker.h"

#include <time.h>

#include "base/secret.h"

#include "rig.h"

#include "banned.h"

/* One request at that time: admitted, and then the outcome.  false: refused. */
static bool
request(struct breaker *breaker, int64_t now_ms, enum breaker_outcome outcome)
{
	bool probe;

	if (!breaker_admit(breaker, now_ms, &probe))
		return false;
	breaker_report(breaker, probe, outcome, "cannot reach it", now_ms);
	return true;
}

static bool
is_open(struct breaker *breaker)
{
	struct http_open_breaker seen;

	return breaker_is_open(breaker, &seen);
}

/* Five failures in a row at that time. */
static void
open_it(struct breaker *breaker, int64_t now_ms)
{
	breaker_init(breaker);
	for (int i = 0; i < BREAKER_FAILURES; i++)
		assert_true(request(breaker, now_ms, BREAKER_BAD));
	assert_true(is_open(breaker));
}

static void
test_open__after_five_in_a_row(void **state)
{
	struct breaker breaker;
	struct http_open_breaker seen;
	int64_t before_s = clock_wall_s();

	(void)state;
	breaker_init(&breaker);
	for (int i = 0; i < 4; i++)
		assert_true(request(&breaker, 1000, BREAKER_BAD));
	assert_false(is_open(&breaker));
	assert_true(request(&breaker, 1234, BREAKER_BAD));
	assert_true(breaker_is_open(&breaker, &seen));
	assert_in_range(seen.since_s, before_s, clock_wall_s());
	assert_string_equal(seen.last_error, "cannot reach it");
	assert_false(request(&breaker, 1234, BREAKER_GOOD));
	breaker_done(&breaker);
}

static void
test_closed__success_between_failures(void **state)
{
	struct breaker breaker;

	(void)state;
	breaker_init(&breaker);
	for (int i = 0; i < 20; i++)
		assert_true(request(&breaker, i, i % 5 == 4 ? BREAKER_GOOD : BREAKER_BAD));
	assert_false(is_open(&breaker));
	breaker_done(&breaker);
}

static void
test_closed__what_says_nothing_neither_counts_nor_resets(void **state)
{
	struct breaker breaker;

	(void)state;
	breaker_init(&breaker);
	for (int i = 0; i < 4; i++)
		assert_true(request(&breaker, 0, BREAKER_BAD));
	for (int i = 0; i < 9; i++)
		assert_true(request(&breaker, 0, BREAKER_NOTHING));
	assert_false(is_open(&breaker));
	assert_true(request(&breaker, 0, BREAKER_BAD));
	assert_true(is_open(&breaker));
	breaker_done(&breaker);
}

static void
test_probe__one_at_a_time_after_a_second(void **state)
{
	struct breaker breaker;
	bool probe, other;

	(void)state;
	open_it(&breaker, 5000);
	assert_false(breaker_admit(&breaker, 5999, &probe));
	assert_true(breaker_admit(&breaker, 6000, &probe));
	assert_true(probe);
	assert_false(breaker_admit(&breaker, 6001, &other));
	assert_false(breaker_admit(&breaker, 999999, &other));
	breaker_report(&breaker, probe, BREAKER_GOOD, "", 6002);
	assert_false(is_open(&breaker));
	assert_true(request(&breaker, 6003, BREAKER_BAD));
	assert_false(is_open(&breaker));
	breaker_done(&breaker);
}

static void
test_probe__pause_doubles_up_to_30_s(void **state)
{
	static const int64_t pauses[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
	struct breaker breaker;
	int64_t now = 70000;

	(void)state;
	open_it(&breaker, now);
	for (size_t i = 0; i < COUNT(pauses); i++) {
		assert_false(request(&breaker, now + pauses[i] - 1, BREAKER_BAD));
		now += pauses[i];
		assert_true(request(&breaker, now, BREAKER_BAD));
		assert_true(is_open(&breaker));
	}
	now += 30000;
	assert_true(request(&breaker, now, BREAKER_GOOD));
	/* and it begins anew */
	for (int i = 0; i < BREAKER_FAILURES; i++)
		assert_true(request(&breaker, now, BREAKER_BAD));
	assert_false(request(&breaker, now + 999, BREAKER_GOOD));
	assert_true(request(&breaker, now + 1000, BREAKER_GOOD));
	breaker_done(&breaker);
}

static void
test_probe__cancelled_leaves_it_to_the_next(void **state)
{
	struct breaker breaker;

	(void)state;
	open_it(&breaker, 0);
	assert_true(request(&breaker, 1000, BREAKER_NOTHING));
	assert_true(is_open(&breaker));
	assert_true(request(&breaker, 1001, BREAKER_GOOD));
	assert_false(is_open(&breaker));
	breaker_done(&breaker);
}

static void
test_open__late_results(void **state)
{
	struct breaker breaker;
	bool early, probe;

	(void)state;
	breaker_init(&breaker);
	assert_true(breaker_admit(&breaker, 0, &early));
	for (int i = 0; i < BREAKER_FAILURES; i++)
		assert_true(request(&breaker, 0, BREAKER_BAD));
	/* sent before it opened: a failure does not make the pause longer, an answer closes it */
	breaker_report(&breaker, early, BREAKER_BAD, "late", 900);
	assert_true(breaker_admit(&breaker, 1000, &probe));
	breaker_report(&breaker, early, BREAKER_GOOD, "", 1001);
	assert_false(is_open(&breaker));
	breaker_report(&breaker, probe, BREAKER_BAD, "probe", 1002);
	assert_false(is_open(&breaker));
	breaker_done(&breaker);
}

static void
test_refuse__says_why_and_since_when(void **state)
{
	struct breaker breaker;
	struct status status = { 0 }, again = { 0 };
	int year, month, day, end = 0;

	(void)state;
	open_it(&breaker, 0);
	breaker_refuse(&breaker, &status);
	assert_int_equal(status.code, COSI_UNAVAILABLE);
	assert_int_equal(sscanf(status.text,
				"circuit breaker open since %4d-%2d-%2dT%*d:%*d:%*dZ%n", &year,
				&month, &day, &end),
			 3);
	assert_true(year >= 2024 && end > 0);
	assert_string_equal(status.text + end, ": cannot reach it");
	breaker_refuse(&breaker, &again);
	assert_string_equal(again.text, status.text);
	breaker_done(&breaker);
}

static void
test_state__long_error_is_cut(void **state)
{
	struct breaker breaker;
	struct secret *secret;
	char error[600];

	(void)state;
	memset(error, 'x', sizeof error - 1);
	error[sizeof error - 1] = '\0';
	breaker_init(&breaker);
	breaker_report(&breaker, false, BREAKER_BAD, error, 0);
	assert_int_equal(strlen(breaker.last_error), sizeof breaker.last_error - 1);
	memcpy(error + sizeof breaker.last_error - 5, "hunter2hunter2", 14); /* across the cut */
	secret = secret_new("hunter2hunter2", 14);
	breaker_report(&breaker, false, BREAKER_BAD, error, 0);
	assert_null(strchr(breaker.last_error, 'h'));
	secret_free(secret);
	breaker_done(&breaker);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open__after_five_in_a_row),
		cmocka_unit_test(test_closed__success_between_failures),
		cmocka_unit_test(test_closed__what_says_nothing_neither_counts_nor_resets),
		cmocka_unit_test(test_probe__one_at_a_time_after_a_second),
		cmocka_unit_test(test_probe__pause_doubles_up_to_30_s),
		cmocka_unit_test(test_probe__cancelled_leaves_it_to_the_next),
		cmocka_unit_test(test_open__late_results),
		cmocka_unit_test(test_refuse__says_why_and_since_when),
		cmocka_unit_test(test_state__long_error_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
