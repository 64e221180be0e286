/* SPDX-License-Identifier: Apache-2.0
 * test_places.c - who gives way to one more connection, among users. */
#include "rig.h"

#include "base/clock.h"
#include "rpc/places.h"

#include "banned.h"

enum { ALICE = 1000, BOB, CAROL };
enum { N = 6, MOST_OF_ONE = 4 };

/* By descriptor. */
static int64_t idle_ms[N];

static int64_t
idle_since(void *owner, int fd)
{
	assert_null(owner);
	return idle_ms[fd];
}

static void
begin(struct places *places)
{
	*places = (struct places){ .n = N, .most_of_one = MOST_OF_ONE, .idle_since = idle_since };
	assert_int_equal(places_init(places), 0);
}

/* A connection in place i, which has said nothing (silent_ms) or has no call since then. */
static void
put(struct places *places, int i, uid_t uid, int64_t silent_ms, int64_t since_ms)
{
	places->table[i] = (struct place){ .fd = i, .uid = uid, .silent_ms = silent_ms };
	idle_ms[i] = since_ms;
}

static void
idle(struct places *places, int i, uid_t uid, int64_t since_ms)
{
	put(places, i, uid, CLOCK_NEVER, since_ms);
}

static void
busy(struct places *places, int i, uid_t uid)
{
	put(places, i, uid, CLOCK_NEVER, CLOCK_NEVER);
}

/* Which place one more of that user takes; -1: none. */
static int
chosen(const struct places *places, uid_t uid)
{
	const struct place *place = places_choose(places, uid);

	return place != NULL ? (int)(place - places->table) : -1;
}

static void
test_find__at_and_past(void **state)
{
	struct places places;

	(void)state;
	begin(&places);
	for (int i = 0; i < MOST_OF_ONE; i++) {
		assert_ptr_equal(places_find(&places, ALICE), &places.table[i]);
		busy(&places, i, ALICE);
	}
	assert_null(places_find(&places, ALICE)); /* there is room, but not for her */
	assert_ptr_equal(places_find(&places, BOB), &places.table[4]);
	busy(&places, 4, BOB);
	busy(&places, 5, BOB);
	assert_null(places_find(&places, BOB));
	places_done(&places);
}

static void
test_choose__of_one_user(void **state)
{
	struct places places;

	(void)state;
	begin(&places);
	for (int i = 0; i < MOST_OF_ONE; i++)
		busy(&places, i, ALICE);
	assert_int_equal(chosen(&places, ALICE), -1); /* a call in flight is not given up */
	idle(&places, 1, ALICE, 20);
	idle(&places, 2, ALICE, 10);
	assert_int_equal(chosen(&places, ALICE), 2);
	put(&places, 0, ALICE, 900, 0);
	put(&places, 3, ALICE, 800, 0); /* what has said nothing goes first, however short */
	assert_int_equal(chosen(&places, ALICE), 3);
	places_done(&places);
}

static void
test_choose__of_whoever_has_most(void **state)
{
	struct places places;

	(void)state;
	begin(&places);
	for (int i = 0; i < MOST_OF_ONE; i++)
		idle(&places, i, ALICE, 100 + i);
	put(&places, 4, BOB, 1, 0); /* silent, and for longest */
	idle(&places, 5, BOB, 1);
	assert_int_equal(chosen(&places, CAROL), 0);
	assert_int_equal(chosen(&places, BOB), 0);
	assert_int_equal(chosen(&places, ALICE), 0); /* her own: she has as many as one may */
	for (int i = 0; i < MOST_OF_ONE; i++)
		busy(&places, i, ALICE);
	assert_int_equal(chosen(&places, CAROL), 4); /* of those who have less, but more than her */
	assert_int_equal(chosen(&places, BOB), 4);
	assert_int_equal(chosen(&places, ALICE), -1);
	places_done(&places);
}

/* Nobody takes a place from a user that has no more than himself. */
static void
test_choose__equals_keep_theirs(void **state)
{
	struct places places;

	(void)state;
	begin(&places);
	for (int i = 0; i < N; i++)
		if (i % 2 == 0)
			idle(&places, i, ALICE, 10);
		else
			busy(&places, i, BOB);
	assert_int_equal(chosen(&places, BOB), -1);
	assert_int_equal(chosen(&places, ALICE), 0);
	assert_int_equal(chosen(&places, CAROL), 0);
	places_done(&places);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find__at_and_past),
		cmocka_unit_test(test_choose__of_one_user),
		cmocka_unit_test(test_choose__of_whoever_has_most),
		cmocka_unit_test(test_choose__equals_keep_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
