/* SPDX-License-Identifier: Apache-2.0
 * test_workers.c - threads come and go from one generation to the next. */
#include "fakes.h"

#include "banned.h"

#define SECOND "http://second.example.org"

static const struct fake_spec both[] = {
	{ .name = "east", .max_calls = 2 },
	{ .name = "west", .max_calls = 2 },
};

static struct router_config
limits(void)
{
	return (struct router_config){ .call_timeout_ms = FAKE_LONG_MS, .workers = 8 };
}

static struct router *
start(void)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = both,
					  .default_backend = "east",
					  .router = { .workers = 8,
						      .call_timeout_ms = FAKE_LONG_MS } };

	return fake_start(&setup);
}

static unsigned
count_workers(struct router *router)
{
	struct router_status *status = router_status(router);
	unsigned n = status->workers;

	router_status_free(router, status);
	return n;
}

static void
resize(struct router *router, unsigned workers, int64_t max_calls)
{
	struct router_config config = limits();
	struct status status = { 0 };

	config.workers = workers;
	assert_int_equal(
		router_swap(router, &config, fake_later("east", SECOND, max_calls), &status), 0);
}

static void
test_workers__more_take_in_who_waits(void **state)
{
	struct router *router = start();
	struct shot *shots[12];

	(void)state;
	fake_shut("east");
	resize(router, 4, 12);
	for (size_t i = 0; i < COUNT(shots); i++) {
		char name[] = { 'b', (char)('a' + i), '\0' };

		shots[i] = shot_new(router, REQUEST_CREATE);
		shots[i]->req->name = arena_strdup(&shots[i]->call->arena, name);
		shoot(router, shots[i]);
	}
	fake_wait_inside("east", 4);
	resize(router, 12, 12);
	fake_wait_inside("east", 12);
	assert_int_equal(count_workers(router), 12);
	fake_open("east");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	fake_stop(router);
}

/* Those that are in a handler go when it has returned, the others at once. */
static void
test_workers__fewer_interrupt_nobody(void **state)
{
	struct router *router = start();
	struct shot *shots[2];

	(void)state;
	assert_int_equal(count_workers(router), 8);
	fake_shut("east");
	shots[0] = shot_create(router, "one", "east");
	shots[1] = shot_create(router, "two", "east");
	fake_wait_inside("east", 2);
	resize(router, 1, 2);
	while (count_workers(router) > 2)
		(void)router_reap(router);
	fake_open("east");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	while (count_workers(router) > 1)
		(void)router_reap(router);
	/* The one that is left works. */
	for (size_t i = 0; i < 8; i++)
		shot_expect(shot_by_id(router, REQUEST_DELETE, "east.one"), COSI_OK, NULL);
	resize(router, 3, 2);
	assert_int_equal(count_workers(router), 3);
	fake_stop(router);
}

static void
test_workers__change_under_load(void **state)
{
	struct router *router = start();

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct shot *shots[4];

		for (size_t j = 0; j < COUNT(shots); j++)
			shots[j] = shot_by_id(router, REQUEST_DELETE, "east.photos");
		resize(router, 1 + i * 5 % 9, 9);
		(void)router_reap(router);
		for (size_t j = 0; j < COUNT(shots); j++)
			shot_expect(shots[j], COSI_OK, NULL);
	}
	fake_stop(router);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers__more_take_in_who_waits),
		cmocka_unit_test(test_workers__fewer_interrupt_nobody),
		cmocka_unit_test(test_workers__change_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
