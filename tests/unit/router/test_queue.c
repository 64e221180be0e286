/* SPDX-License-Identifier: Apache-2.0
 * test_queue.c - slots, waiting, and who keeps whom from what. */
#include "router/lane.h"

#include "fakes.h"

#include "banned.h"

/* One slot each, so that four may wait. */
static const struct fake_spec narrow[] = {
	{ .name = "east", .max_calls = 1 },
	{ .name = "west", .max_calls = 1 },
};
static const struct fake_setup setup = { .nbackends = 2, .backends = narrow };
static const struct fake_spec wide[] = { { .name = "east", .max_calls = 4 } };
static const struct fake_setup one = { .nbackends = 1, .backends = wide };

static void
test_queue__limits(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *runs, *waits[LANE_WAITING_PER_CALL];
	static const char *const names[] = { "a", "b", "c", "d" };

	(void)state;
	fake_shut("east");
	runs = shot_create(router, "x", "east");
	fake_wait_inside("east", 1);
	for (size_t i = 0; i < COUNT(waits); i++)
		waits[i] = shot_create(router, names[i], "east");
	shot_expect(shot_create(router, "e", "east"), COSI_EXHAUSTED,
		    "cannot create bucket 'e': too many calls wait for backend 'east'");
	/* The other backend does not notice. */
	shot_expect(shot_create(router, "e", "west"), COSI_OK, NULL);
	/* One gives up: there is room again. */
	router_cancel(router, waits[1]->call);
	shot_expect(waits[1], COSI_TIMEOUT, "the client has cancelled it");
	waits[1] = shot_create(router, "e", "east");
	assert_false(shot_is_replied(waits[1]));
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	for (size_t i = 0; i < COUNT(waits); i++)
		shot_expect(waits[i], COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "b"));
	fake_stop(router);
}

/* Those that wait for one bucket do not keep others from free slots. */
static void
test_queue__a_wanted_bucket(void **state)
{
	struct router *router = fake_start(&one);
	struct shot *wanted[1 + 4 * LANE_WAITING_PER_CALL];

	(void)state;
	fake_shut("east");
	for (size_t i = 0; i < COUNT(wanted); i++)
		wanted[i] = shot_create(router, "wanted", NULL);
	shot_expect(shot_create(router, "wanted", NULL), COSI_EXHAUSTED, NULL);
	fake_wait_inside("east", 1);
	{
		struct shot *other = shot_create(router, "other", NULL);

		fake_wait_inside("east", 2);
		fake_open("east");
		shot_expect(other, COSI_OK, NULL);
	}
	for (size_t i = 0; i < COUNT(wanted); i++)
		shot_expect(wanted[i], COSI_OK, NULL);
	fake_stop(router);
}

/* A store that hangs has its slots and no more: the workers are there for the others. */
static void
test_queue__a_store_that_hangs(void **state)
{
	static const struct fake_spec greedy[] = { { .name = "east", .max_calls = 100 },
						   { .name = "west" } };
	const struct fake_setup two = { .nbackends = 2, .backends = greedy };
	struct router *router = fake_start(&two);
	struct shot *hang[5];
	static const char *const names[] = { "a", "b", "c", "d", "e" };

	(void)state;
	fake_shut("east");
	for (size_t i = 0; i < COUNT(hang); i++)
		hang[i] = shot_create(router, names[i], "east");
	fake_wait_inside("east", 3); /* of 4 workers */
	shot_expect(shot_create(router, "x", "west"), COSI_OK, NULL);
	fake_wait_inside("east", 3);
	fake_open("east");
	for (size_t i = 0; i < COUNT(hang); i++)
		shot_expect(hang[i], COSI_OK, NULL);
	fake_stop(router);
}

/* Refusals that need no store come on the caller's thread. */
static void
test_queue__refusals_at_once(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *shot = shot_create(router, "x", "north");

	(void)state;
	assert_true(shot_is_replied(shot));
	assert_true(pthread_equal(shot->thread, pthread_self()));
	shot_expect(shot, COSI_INVALID, "'north'");
	fake_stop(router);
}

static void
test_locks__delete_waits_for_create(void **state)
{
	struct router *router = fake_start(&one);
	struct shot *create, *delete, *get;

	(void)state;
	fake_shut("east");
	create = shot_create(router, "a", NULL);
	fake_wait_inside("east", 1);
	delete = shot_by_id(router, REQUEST_DELETE, "east.a");
	get = shot_by_id(router, REQUEST_GET, "east.b"); /* takes no lock */
	fake_wait_inside("east", 2);
	assert_int_equal(fake_calls("east", REQUEST_DELETE), 0);
	fake_open("east");
	shot_expect(create, COSI_OK, NULL);
	shot_expect(delete, COSI_OK, NULL);
	shot_expect(get, COSI_NOT_FOUND, NULL);
	assert_false(fake_has_bucket("east", "a"));
	fake_stop(router);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue__limits),
		cmocka_unit_test(test_queue__a_wanted_bucket),
		cmocka_unit_test(test_queue__a_store_that_hangs),
		cmocka_unit_test(test_queue__refusals_at_once),
		cmocka_unit_test(test_locks__delete_waits_for_create),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
