/* SPDX-License-Identifier: Apache-2.0
 * test_draining.c - what a generation that was swapped out keeps open, and for whom. */
#include <stdatomic.h>

#include "fakes.h"
#include "pair.h"

#include "banned.h"

/* A slow store holds what it needs itself; the other instances of its generation go. */
static void
test_swap__backends_close_one_by_one(void **state)
{
	struct sched *sched = pair_start();
	struct shot *east, *west;

	(void)state;
	fake_shut("east");
	fake_shut("west");
	east = shot_create(sched, "one", "east");
	west = shot_create(sched, "two", "west");
	fake_wait_inside("east", 1);
	fake_wait_inside("west", 1);
	pair_swap(sched, fake_later("east west", SECOND, 2));
	assert_int_equal(sched_reap(sched), 1);
	assert_false(fake_first_has_closed("east"));
	assert_false(fake_first_has_closed("west"));
	fake_open("west");
	shot_expect(west, COSI_OK, NULL);
	while (atomic_load(&pair_nidle) == 0)
		;
	assert_int_equal(sched_reap(sched), 1);
	assert_false(fake_first_has_closed("east"));
	assert_true(fake_first_has_closed("west"));
	assert_false(world.closed);
	fake_open("east");
	shot_expect(east, COSI_OK, NULL);
	while (sched_reap(sched) > 0)
		;
	assert_true(world.closed);
	fake_stop(sched);
}

/* A call that has not found its backend may need any of them; once it has, only that one. */
static void
test_swap__search_holds_all_until_it_has_found(void **state)
{
	struct sched *sched = pair_start();
	struct shot *shot;

	(void)state;
	fake_has("east", "photos", "photos", NULL);
	fake_shut("west");
	shot = shot_new(REQUEST_DELETE);
	shot->req->id = "photos";
	shoot(sched, shot);
	fake_wait_inside("west", 1); /* east has said that it has the bucket */
	pair_swap(sched, fake_later("west", SECOND, 2));
	assert_int_equal(sched_reap(sched), 1);
	assert_false(fake_first_has_closed("east"));
	assert_false(fake_first_has_closed("west"));
	fake_shut("east");
	fake_open("west");
	fake_wait_inside("east", 1);
	while (atomic_load(&pair_nidle) == 0)
		;
	assert_int_equal(sched_reap(sched), 1);
	assert_true(fake_first_has_closed("west"));
	assert_false(fake_first_has_closed("east"));
	fake_open("east");
	shot_expect(shot, COSI_OK, NULL);
	while (sched_reap(sched) > 0)
		;
	fake_stop(sched);
}

/* The reply is logged after the call has let its generation go. */
static void
test_fields__outlive_the_generation(void **state)
{
	struct sched *sched = pair_start();
	struct shot *shot;

	(void)state;
	pair_swap(sched, fake_later("east west", SECOND, 2));
	fake_shut("east");
	shot = shot_create(sched, "one", "east");
	fake_wait_inside("east", 1);
	pair_swap(sched, fake_later("east", SECOND, 2));
	fake_open("east");
	shot_wait(shot);
	while (sched_reap(sched) > 0)
		;
	assert_string_equal(call_fields(shot->call)->backend, "east");
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_status__names_what_is_held_and_by_whom(void **state)
{
	struct sched *sched = pair_start();
	struct sched_status *status;
	struct shot *shot;

	(void)state;
	fake_shut("east");
	shot = shot_create(sched, "one", "east");
	fake_wait_inside("east", 1);
	status = sched_status(sched);
	assert_int_equal(status->ndraining, 0);
	sched_status_free(sched, status);
	pair_swap(sched, fake_later("east west", SECOND, 2));
	status = sched_status(sched);
	assert_int_equal(status->ndraining, 1);
	assert_int_equal(status->draining[0].number, 1);
	assert_int_equal(status->draining[0].holders, 1);
	assert_string_equal(status->draining[0].backend, "east");
	assert_string_equal(status->draining[0].title, "create bucket 'one'");
	sched_status_free(sched, status);
	fake_open("east");
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swap__backends_close_one_by_one),
		cmocka_unit_test(test_swap__search_holds_all_until_it_has_found),
		cmocka_unit_test(test_fields__outlive_the_generation),
		cmocka_unit_test(test_status__names_what_is_held_and_by_whom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
