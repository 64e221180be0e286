/* SPDX-License-Identifier: Apache-2.0
 * test_timers.c - the ordered list, against one that is searched. */
#include "sched/state.h"

#include "fakes.h"

#include "banned.h"

enum { TIMERS = 200, STEPS = 20000 };

static void
test_pop__when_its_time_has_come(void **state)
{
	struct call_list timers = TAILQ_HEAD_INITIALIZER(timers);
	static struct call a, b;

	(void)state;
	assert_true(timers_next_ms(&timers) == CLOCK_NEVER);
	timer_set(&timers, &a, 20);
	timer_set(&timers, &b, 10);
	assert_int_equal(timers_next_ms(&timers), 10);
	assert_null(timers_pop(&timers, 9));
	assert_ptr_equal(timers_pop(&timers, 10), &b);
	assert_null(timers_pop(&timers, 19));
	timer_set(&timers, &a, 5); /* moved while it is set */
	assert_ptr_equal(timers_pop(&timers, 5), &a);
	timer_clear(&timers, &a); /* not set */
	assert_true(timers_next_ms(&timers) == CLOCK_NEVER);
	assert_true(TAILQ_EMPTY(&timers));
}

/* The earliest of those that are set, by looking at all. */
static int64_t
earliest(const struct call *all)
{
	int64_t at_ms = CLOCK_NEVER;

	for (size_t i = 0; i < TIMERS; i++) {
		if (all[i].timer_is_set && all[i].timer_ms < at_ms)
			at_ms = all[i].timer_ms;
	}
	return at_ms;
}

static void
test_set__random_moves(void **state)
{
	struct call_list timers = TAILQ_HEAD_INITIALIZER(timers);
	static struct call all[TIMERS];
	uint32_t seed = 1;

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		struct call *call;

		seed = seed * 1664525u + 1013904223u;
		call = &all[(seed >> 8) % TIMERS];
		if ((seed & 3u) == 0)
			timer_clear(&timers, call);
		else if ((seed & 3u) == 1)
			(void)timers_pop(&timers, timers_next_ms(&timers));
		else
			timer_set(&timers, call, (seed >> 16) % 1000);
		assert_true(timers_next_ms(&timers) == earliest(all));
	}
	while (timers_pop(&timers, CLOCK_NEVER) != NULL)
		continue;
	assert_true(TAILQ_EMPTY(&timers));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pop__when_its_time_has_come),
		cmocka_unit_test(test_set__random_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
