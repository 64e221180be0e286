/* SPDX-License-Identifier: Apache-2.0
 * test_waiting.c - slots, waiting, and who keeps whom from what. */
#include "sched/queue.h"

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
	struct sched *sched = fake_start(&setup);
	struct shot *runs, *waits[QUEUE_WAITING_PER_CALL];
	static const char *const names[] = { "a", "b", "c", "d" };

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "x", "east");
	fake_wait_inside("east", 1);
	for (size_t i = 0; i < COUNT(waits); i++)
		waits[i] = shot_create(sched, names[i], "east");
	shot_expect(shot_create(sched, "e", "east"), COSI_EXHAUSTED,
		    "cannot create bucket 'e': too many calls wait for backend 'east'");
	/* The other backend does not notice. */
	shot_expect(shot_create(sched, "e", "west"), COSI_OK, NULL);
	/* One gives up: there is room again. */
	sched_cancel(sched, waits[1]->call, REPLY_CANCELLED);
	shot_expect(waits[1], COSI_TIMEOUT, "the client cancelled the call");
	waits[1] = shot_create(sched, "e", "east");
	assert_false(shot_is_replied(waits[1]));
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	for (size_t i = 0; i < COUNT(waits); i++)
		shot_expect(waits[i], COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "b"));
	fake_stop(sched);
}

/* Those that wait for one bucket do not keep others from free slots. */
static void
test_queue__a_wanted_bucket(void **state)
{
	struct sched *sched = fake_start(&one);
	struct shot *wanted[1 + 4 * QUEUE_WAITING_PER_CALL];

	(void)state;
	fake_shut("east");
	for (size_t i = 0; i < COUNT(wanted); i++)
		wanted[i] = shot_create(sched, "wanted", NULL);
	shot_expect(shot_create(sched, "wanted", NULL), COSI_EXHAUSTED, NULL);
	fake_wait_inside("east", 1);
	{
		struct shot *other = shot_create(sched, "other", NULL);

		fake_wait_inside("east", 2);
		fake_open("east");
		shot_expect(other, COSI_OK, NULL);
	}
	for (size_t i = 0; i < COUNT(wanted); i++)
		shot_expect(wanted[i], COSI_OK, NULL);
	fake_stop(sched);
}

/* A store that hangs has its slots and no more: the workers are there for the others. */
static void
test_queue__a_store_that_hangs(void **state)
{
	static const struct fake_spec greedy[] = { { .name = "east", .max_calls = 100 },
						   { .name = "west" } };
	const struct fake_setup two = { .nbackends = 2, .backends = greedy };
	struct sched *sched = fake_start(&two);
	struct shot *hang[5];
	static const char *const names[] = { "a", "b", "c", "d", "e" };

	(void)state;
	fake_shut("east");
	for (size_t i = 0; i < COUNT(hang); i++)
		hang[i] = shot_create(sched, names[i], "east");
	fake_wait_inside("east", 3); /* of 4 workers */
	shot_expect(shot_create(sched, "x", "west"), COSI_OK, NULL);
	fake_wait_inside("east", 3);
	fake_open("east");
	for (size_t i = 0; i < COUNT(hang); i++)
		shot_expect(hang[i], COSI_OK, NULL);
	fake_stop(sched);
}

/* Refusals that need no store come on the caller's thread. */
static void
test_queue__refusals_at_once(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_create(sched, "x", "north");

	(void)state;
	assert_true(shot_is_replied(shot));
	assert_true(pthread_equal(shot->thread, pthread_self()));
	shot_expect(shot, COSI_INVALID, "'north'");
	fake_stop(sched);
}

static void
test_locks__delete_waits_for_create(void **state)
{
	struct sched *sched = fake_start(&one);
	struct shot *create, *delete, *get;

	(void)state;
	fake_shut("east");
	create = shot_create(sched, "a", NULL);
	fake_wait_inside("east", 1);
	delete = shot_by_id(sched, REQUEST_DELETE, "east.a");
	get = shot_by_id(sched, REQUEST_GET, "east.b"); /* takes no lock */
	fake_wait_inside("east", 2);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_DELETE]), 0);
	fake_open("east");
	shot_expect(create, COSI_OK, NULL);
	shot_expect(delete, COSI_OK, NULL);
	shot_expect(get, COSI_NOT_FOUND, NULL);
	assert_false(fake_has_bucket("east", "a"));
	fake_stop(sched);
}

/* An account and a bucket of the same name are two things. */
static void
test_locks__an_account_is_no_bucket(void **state)
{
	struct sched *sched = fake_start(&one);
	struct shot *grant;

	(void)state;
	fake_has("east", "a", "a", NULL);
	fake_shut("east");
	grant = shot_grant(sched, "ba-1", "east.a");
	fake_wait_inside("east", 1);
	{
		struct shot *delete = shot_by_id(sched, REQUEST_DELETE, "east.cosi-ba-1");

		fake_wait_inside("east", 2);
		fake_open("east");
		shot_expect(delete, COSI_OK, NULL);
	}
	shot_expect(grant, COSI_OK, NULL);
	fake_stop(sched);
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
		cmocka_unit_test(test_locks__an_account_is_no_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
