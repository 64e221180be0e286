/* SPDX-License-Identifier: Apache-2.0
 * test_lane.c - slots, waiting, and how many of each. */
#include "router/lane.h"

#include "fakes.h"

#include "banned.h"

static void
test_max_calls__within_the_workers(void **state)
{
	(void)state;
	/* Not given: a quarter of the workers, at least one. */
	assert_int_equal(lane_max_calls(0, 64, 1), 16);
	assert_int_equal(lane_max_calls(0, 64, 3), 16);
	assert_int_equal(lane_max_calls(0, 3, 1), 1);
	assert_int_equal(lane_max_calls(0, 1, 2), 1);
	/* Given: all of them for one backend alone, one less for one of several. */
	assert_int_equal(lane_max_calls(64, 64, 1), 64);
	assert_int_equal(lane_max_calls(65, 64, 1), 64);
	assert_int_equal(lane_max_calls(63, 64, 2), 63);
	assert_int_equal(lane_max_calls(64, 64, 2), 63);
	assert_int_equal(lane_max_calls(INT64_MAX, 64, 2), 63);
	assert_int_equal(lane_max_calls(9, 1, 2), 1);
}

static void
test_set__finds_and_changes(void **state)
{
	struct lanes lanes = { 0 };
	struct lane *east = lanes_set(&lanes, "east", 4), *west = lanes_set(&lanes, "west", 4);

	(void)state;
	assert_ptr_equal(lanes_find(&lanes, "east"), east);
	assert_ptr_equal(lanes_find(&lanes, "west"), west);
	assert_null(lanes_find(&lanes, "north"));
	assert_ptr_equal(lanes_set(&lanes, "east", 7), east);
	assert_int_equal(east->max_calls, 7);
	lanes_done(&lanes);
}

static void
test_next__in_order_and_within_the_slots(void **state)
{
	struct lanes lanes = { 0 };
	struct lane *lane = lanes_set(&lanes, "east", 2);
	struct job jobs[4] = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		lane_join(lane, &jobs[i]);
	assert_null(lane_next(lane)); /* none has its locks */
	lane_ready(&jobs[2]);
	lane_ready(&jobs[0]);
	lane_ready(&jobs[1]);
	assert_ptr_equal(lane_next(lane), &jobs[2]);
	assert_ptr_equal(lane_next(lane), &jobs[0]);
	assert_null(lane_next(lane)); /* no slot */
	assert_int_equal(lane->running, 2);
	assert_int_equal(lane->waiting, 2);
	lane_leave(&jobs[1]); /* gives up in the queue */
	lane_leave(&jobs[2]);
	assert_null(lane_next(lane)); /* a slot, but nobody is ready */
	lane_ready(&jobs[3]);
	assert_ptr_equal(lane_next(lane), &jobs[3]);
	lane_leave(&jobs[0]);
	lane_leave(&jobs[3]);
	lane_leave(&jobs[3]); /* is nowhere any more */
	lanes_done(&lanes);
}

static void
test_is_full__limits(void **state)
{
	struct lanes lanes = { 0 };
	struct lane *lane = lanes_set(&lanes, "east", 3);
	struct job jobs[3 * LANE_WAITING_PER_CALL + 1] = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(jobs); i++) {
		assert_false(lane_is_full(lane));
		lane_join(lane, &jobs[i]);
	}
	assert_true(lane_is_full(lane));
	for (size_t i = 0; i < COUNT(jobs); i++)
		lane_leave(&jobs[i]);
	lane->held = 3 * LANE_HELD_PER_CALL - 1;
	assert_false(lane_holds_too_much(lane));
	lane->held++;
	assert_true(lane_holds_too_much(lane));
	lane->held = 0;
	lanes_done(&lanes);
}

/* What the administrator is told of a backend: whose fault a failure is. */
static void
test_count__what_says_something_of_the_store(void **state)
{
	static const struct {
		uint32_t code;
		bool told, failing;
	} cases[] = {
		{ COSI_INVALID, false, false },       { COSI_OUT_OF_RANGE, false, false },
		{ COSI_EXISTS, false, false },        { COSI_NOT_FOUND, false, false },
		{ COSI_PRECONDITION, false, false },  { COSI_DENIED, true, true },
		{ COSI_UNAUTHENTICATED, true, true }, { COSI_BUSY, true, false },
		{ COSI_UNAVAILABLE, true, true },     { COSI_TIMEOUT, true, true },
		{ COSI_EXHAUSTED, true, true },       { COSI_UNSUPPORTED, true, false },
		{ COSI_INTERNAL, true, true },
	};
	struct lanes lanes = { 0 };
	struct lane *lane = lanes_set(&lanes, "east", 3);
	const struct status ok = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct status status = { .code = cases[i].code };

		lane->failure = ok;
		lane_count(lane, &status);
		assert_int_equal(lane->failed, i + 1);
		assert_int_equal(lane->failing, cases[i].failing);
		assert_int_equal(lane->failure.code, cases[i].told ? cases[i].code : COSI_OK);
		lane_count(lane, &ok);
		assert_false(lane->failing);
	}
	lane_count(lane, NULL); /* the client left */
	assert_int_equal(lane->calls, 2 * COUNT(cases) + 1);
	assert_int_equal(lane->failed, COUNT(cases));
	lanes_done(&lanes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_max_calls__within_the_workers),
		cmocka_unit_test(test_set__finds_and_changes),
		cmocka_unit_test(test_next__in_order_and_within_the_slots),
		cmocka_unit_test(test_is_full__limits),
		cmocka_unit_test(test_count__what_says_something_of_the_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
