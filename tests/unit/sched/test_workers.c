/* SPDX-License-Identifier: Apache-2.0
 * test_workers.c - threads come with the calls, and go. */
#include "fakes.h"

#include "banned.h"

#define SECOND "http://second.example.org"

static const struct fake_spec both[] = {
	{ .name = "east", .max_calls = 2 },
	{ .name = "west", .max_calls = 2 },
};

static struct sched_config
limits(void)
{
	return (struct sched_config){ .call_timeout_ms = FAKE_LONG_MS, .workers = 8 };
}

static struct sched *
start(void)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = both,
					  .default_backend = "east",
					  .sched = { .workers = 8,
						     .call_timeout_ms = FAKE_LONG_MS } };

	return fake_start(&setup);
}

static unsigned
count_workers(struct sched *sched)
{
	struct sched_status *status = sched_status(sched);
	unsigned n = status->workers;

	sched_status_free(sched, status);
	return n;
}

static void
resize(struct sched *sched, unsigned workers, int64_t max_calls)
{
	struct sched_config config = limits();
	struct status status = { 0 };

	config.workers = workers;
	assert_int_equal(sched_swap(sched, &config, fake_later("east", SECOND, max_calls), &status),
			 0);
}

static void
test_workers__more_take_in_who_waits(void **state)
{
	struct sched *sched = start();
	struct shot *shots[12];

	(void)state;
	fake_shut("east");
	resize(sched, 4, 12);
	for (size_t i = 0; i < COUNT(shots); i++) {
		char name[] = { 'b', (char)('a' + i), '\0' };

		shots[i] = shot_new(REQUEST_CREATE);
		shots[i]->req->name = arena_strdup(&shots[i]->call->arena, name);
		shoot(sched, shots[i]);
	}
	fake_wait_inside("east", 4);
	resize(sched, 12, 12);
	fake_wait_inside("east", 12);
	assert_int_equal(count_workers(sched), 12);
	fake_open("east");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	fake_stop(sched);
}

/* Those that are in a handler go when it has returned, the others at once. */
static void
test_workers__fewer_interrupt_nobody(void **state)
{
	struct sched *sched = start();
	struct shot *shots[2];

	(void)state;
	assert_int_equal(count_workers(sched), 1);
	fake_shut("east");
	shots[0] = shot_create(sched, "one", "east");
	shots[1] = shot_create(sched, "two", "east");
	fake_wait_inside("east", 2);
	resize(sched, 1, 2);
	while (count_workers(sched) > 2)
		(void)sched_reap(sched);
	fake_open("east");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	while (count_workers(sched) > 1)
		(void)sched_reap(sched);
	/* The one that is left works. */
	for (size_t i = 0; i < 8; i++)
		shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.one"), COSI_OK, NULL);
	fake_stop(sched);
}

/* No more are started than there are calls for. */
static void
test_workers__as_many_as_calls(void **state)
{
	struct sched *sched = start();
	struct shot *shots[3];

	(void)state;
	/* A worker that is not asleep yet when a call comes does not count: another is started. */
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.one"), COSI_OK, NULL);
	assert_in_range(count_workers(sched), 1, 2);
	fake_shut("east");
	fake_shut("west");
	shots[0] = shot_create(sched, "one", "east");
	shots[1] = shot_create(sched, "two", "east");
	shots[2] = shot_create(sched, "one", "west");
	fake_wait_inside("east", 2);
	fake_wait_inside("west", 1);
	assert_in_range(count_workers(sched), 3, 5);
	fake_open("east");
	fake_open("west");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	fake_stop(sched);
}

/* All but one, and then they come again. */
static void
test_workers__idle_ones_leave(void **state)
{
	const struct fake_setup setup = {
		.nbackends = 2,
		.backends = both,
		.sched = { .workers = 8, .worker_idle_ms = 10, .call_timeout_ms = FAKE_LONG_MS }
	};
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct shot *one, *two;

		fake_shut("east");
		one = shot_create(sched, "one", "east");
		two = shot_create(sched, "two", "east");
		fake_wait_inside("east", 2);
		fake_open("east");
		shot_expect(one, COSI_OK, NULL);
		shot_expect(two, COSI_OK, NULL);
		while (i % 2 == 0 && count_workers(sched) > 1)
			(void)sched_reap(sched);
	}
	fake_stop(sched);
}

static void
test_workers__change_under_load(void **state)
{
	struct sched *sched = start();

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct shot *shots[4];

		for (size_t j = 0; j < COUNT(shots); j++)
			shots[j] = shot_by_id(sched, REQUEST_DELETE, "east.photos");
		resize(sched, 1 + i * 5 % 9, 9);
		(void)sched_reap(sched);
		for (size_t j = 0; j < COUNT(shots); j++)
			shot_expect(shots[j], COSI_OK, NULL);
	}
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers__more_take_in_who_waits),
		cmocka_unit_test(test_workers__fewer_interrupt_nobody),
		cmocka_unit_test(test_workers__as_many_as_calls),
		cmocka_unit_test(test_workers__idle_ones_leave),
		cmocka_unit_test(test_workers__change_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
