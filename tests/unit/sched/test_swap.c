/* SPDX-License-Identifier: Apache-2.0
 * test_swap.c - one generation takes the place of another while calls are under way. */
#include <stdatomic.h>

#include "fakes.h"
#include "pair.h"

#include "banned.h"

#define FIRST "http://store.example.org"

static void
test_swap__each_call_stays_where_it_began(void **state)
{
	struct sched *sched = pair_start();
	struct shot *before, *after;

	(void)state;
	fake_shut("east");
	before = shot_create(sched, "one", "east");
	fake_wait_inside("east", 1);
	pair_swap(sched, fake_later("east west", SECOND, 2));
	after = shot_create(sched, "two", "east");
	fake_wait_inside("east", 2);
	assert_int_equal(sched_reap(sched), 1);
	assert_false(world.closed);
	assert_int_equal(atomic_load(&pair_nidle), 0);
	fake_open("east");
	shot_wait(before);
	shot_wait(after);
	assert_string_equal(before->endpoint, FIRST);
	assert_string_equal(after->endpoint, SECOND);
	/* Told before it replied, or right after it. */
	while (atomic_load(&pair_nidle) == 0)
		;
	assert_int_equal(sched_reap(sched), 0);
	assert_true(world.closed);
	shot_free(before);
	shot_free(after);
	fake_stop(sched);
}

static void
test_swap__closed_at_once_without_calls(void **state)
{
	struct sched *sched = pair_start();

	(void)state;
	pair_swap(sched, fake_later("east", SECOND, 2));
	assert_int_equal(sched_reap(sched), 0);
	assert_true(world.closed);
	pair_swap(sched, fake_later("east", SECOND, 2));
	assert_int_equal(sched_reap(sched), 0);
	assert_int_equal(world.nclosed, 1);
	fake_stop(sched);
	assert_int_equal(world.nclosed, 2);
}

/* The names of the locks go by backend, whatever the generation. */
static void
test_swap__grant_before_excludes_revoke_after(void **state)
{
	struct sched *sched = pair_start();
	struct shot *grant, *revoke;

	(void)state;
	fake_has("east", "photos", "photos", NULL);
	fake_shut("east");
	grant = shot_grant(sched, "ba-1", "east.photos");
	fake_wait_inside("east", 1);
	pair_swap(sched, fake_later("east", SECOND, 2));
	revoke = shot_revoke(sched, "east.cosi-ba-1");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), 0);
	assert_false(shot_is_replied(revoke));
	fake_open("east");
	shot_expect(grant, COSI_OK, NULL);
	shot_expect(revoke, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), 1);
	fake_stop(sched);
}

static void
test_swap__removed_backend_is_no_longer_known(void **state)
{
	struct sched *sched = pair_start();

	(void)state;
	fake_has("west", "photos", "photos", NULL);
	pair_swap(sched, fake_later("east", SECOND, 2));
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "west.photos"), COSI_PRECONDITION, "west");
	/* As real modules do for a bucket that is not there. */
	FAKE_SET("east", fails[REQUEST_GRANT], COSI_NOT_FOUND);
	shot_expect(shot_grant(sched, "ba-1", "west.photos"), COSI_PRECONDITION, "west");
	shot_expect(shot_grant(sched, "ba-1", "photos"), COSI_NOT_FOUND, NULL);
	shot_expect(shot_by_id(sched, REQUEST_GET, "west.photos"), COSI_PRECONDITION, "west");
	shot_expect(shot_revoke(sched, "west.cosi-ba-1"), COSI_PRECONDITION, "west");
	assert_true(fake_has_bucket("west", "photos"));
	pair_swap(sched, fake_later("east west", SECOND, 2));
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "west.photos"), COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_swap__more_slots_take_in_who_waits(void **state)
{
	struct sched *sched = pair_start();
	struct shot *shots[4];

	(void)state;
	fake_shut("east");
	for (size_t i = 0; i < COUNT(shots); i++) {
		char name[] = { 'b', (char)('0' + i), '\0' };

		shots[i] = shot_new(REQUEST_CREATE);
		shots[i]->req->name = arena_strdup(&shots[i]->call->arena, name);
		shot_param(shots[i], "backend", "east");
		shoot(sched, shots[i]);
	}
	fake_wait_inside("east", 2);
	pair_swap(sched, fake_later("east", SECOND, 4));
	fake_wait_inside("east", 4);
	fake_open("east");
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect(shots[i], COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_swap__limits_of_the_new_one(void **state)
{
	struct sched *sched = pair_start();
	struct sched_config config = pair_limits();
	struct status status = { 0 };
	struct shot *shot;

	(void)state;
	fake_shut("east");
	config.call_timeout_ms = 30;
	assert_int_equal(sched_swap(sched, &config, fake_later("east", SECOND, 2), &status), 0);
	shot = shot_create(sched, "photos", "east");
	shot_wait(shot);
	fake_open("east");
	shot_expect(shot, COSI_TIMEOUT, "deadline");
	fake_stop(sched);
}

static void
test_pin__counts_like_a_call(void **state)
{
	struct sched *sched = pair_start();
	struct generation *pinned = sched_pin(sched);

	(void)state;
	pair_swap(sched, fake_later("east", SECOND, 2));
	assert_int_equal(sched_reap(sched), 1);
	assert_false(world.closed);
	sched_unpin(sched, pinned);
	assert_int_equal(atomic_load(&pair_nidle), 1);
	assert_int_equal(sched_reap(sched), 0);
	/* One that serves is not idle. */
	sched_unpin(sched, sched_pin(sched));
	assert_int_equal(atomic_load(&pair_nidle), 1);
	fake_stop(sched);
}

static void
test_name__outlives_the_generation_that_told_it(void **state)
{
	struct sched *sched = pair_start();
	const char *name = sched_driver_name(sched);

	(void)state;
	pair_swap(sched, fake_later("east", SECOND, 2));
	assert_int_equal(sched_reap(sched), 0);
	assert_string_equal(name, "cosid.example.org");
	assert_int_equal(sched_protocols(sched), COSI_S3);
	fake_stop(sched);
}

/* ---- callers and a swapper at once --------------------------------------------------- */

enum { CALLERS = 4, SWAPS = 400, NAMES = 6 };

struct caller {
	struct sched *sched;
	const atomic_bool *over;
	unsigned seed, ncalls, nfailed;
};

static unsigned
chance(struct caller *caller, unsigned n)
{
	caller->seed = caller->seed * 1664525u + 1013904223u;
	return (caller->seed >> 10) % n;
}

static void
one_call(struct caller *caller)
{
	static const enum request_op ops[] = { REQUEST_CREATE, REQUEST_DELETE, REQUEST_GRANT,
					       REQUEST_REVOKE };
	struct shot *shot = shot_new(ops[chance(caller, COUNT(ops))]);
	struct arena *arena = &shot->call->arena;
	unsigned name = chance(caller, NAMES);

	switch (shot->req->op) {
	case REQUEST_CREATE:
		shot->req->name = arena_printf(arena, "b%u", name);
		shot->req->delay_reply = chance(caller, 2) == 0;
		break;
	case REQUEST_GRANT:
		shot->req->name = arena_printf(arena, "a%u", name);
		shot_bucket(shot, arena_printf(arena, "east.b%u", name), COSI_READ_ONLY);
		break;
	case REQUEST_REVOKE:
		shot->req->id = arena_printf(arena, "east.cosi-a%u", name);
		break;
	default:
		shot->req->id = arena_printf(arena, "east.b%u", name);
	}
	shoot(caller->sched, shot);
	shot_wait(shot);
	caller->ncalls++;
	caller->nfailed += !status_ok(&shot->status);
	shot_free(shot);
}

static void *
call_on(void *arg)
{
	struct caller *caller = arg;

	while (!atomic_load(caller->over))
		one_call(caller);
	return NULL;
}

static void
test_swap__under_load_fails_no_call(void **state)
{
	struct sched *sched = pair_start();
	struct caller callers[CALLERS];
	pthread_t threads[CALLERS];
	atomic_bool over = false;
	unsigned ncalls = 0;

	(void)state;
	FAKE_SET("east", dawdle_turns, 200);
	for (unsigned i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){ .sched = sched, .over = &over, .seed = i + 1 };
		assert_int_equal(pthread_create(&threads[i], NULL, call_on, &callers[i]), 0);
	}
	for (unsigned i = 0; i < SWAPS; i++) {
		struct caller own = { .sched = sched };

		pair_swap(sched, fake_later(i % 2 == 0 ? "east" : "east west", SECOND, 1 + i % 3));
		(void)sched_reap(sched);
		one_call(&own); /* so that every swap has a call to wait for */
		assert_int_equal(own.nfailed, 0);
	}
	atomic_store(&over, true);
	for (unsigned i = 0; i < CALLERS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(callers[i].nfailed, 0);
		ncalls += callers[i].ncalls;
	}
	print_message("%u calls, %u swaps\n", ncalls, SWAPS);
	assert_int_equal(sched_reap(sched), 0);
	assert_true(world.closed);
	assert_int_equal(world.nclosed, SWAPS - 1);
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swap__each_call_stays_where_it_began),
		cmocka_unit_test(test_swap__closed_at_once_without_calls),
		cmocka_unit_test(test_swap__grant_before_excludes_revoke_after),
		cmocka_unit_test(test_swap__removed_backend_is_no_longer_known),
		cmocka_unit_test(test_swap__more_slots_take_in_who_waits),
		cmocka_unit_test(test_swap__limits_of_the_new_one),
		cmocka_unit_test(test_pin__counts_like_a_call),
		cmocka_unit_test(test_name__outlives_the_generation_that_told_it),
		cmocka_unit_test(test_swap__under_load_fails_no_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
