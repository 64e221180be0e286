/* SPDX-License-Identifier: Apache-2.0
 * test_settle.c - what goes on after the handler: create_settle, and locks that are held on. */
#include "router/flow.h"

#include "fakes.h"

#include "banned.h"

/* One slot each, so that four may wait. */
static const struct fake_spec narrow[] = {
	{ .name = "east", .max_calls = 1 },
	{ .name = "west", .max_calls = 1 },
};
static const struct fake_setup setup = { .nbackends = 2, .backends = narrow };
static const struct fake_spec wide[] = { { .name = "east", .max_calls = 4 } };

static struct shot *
create_settling(struct router *router, const char *name, int64_t deadline_ms)
{
	struct shot *shot = shot_new(router, REQUEST_CREATE);

	shot->req->name = name;
	shot->req->settles = true;
	shot->req->deadline_ms = deadline_ms;
	shoot(router, shot);
	return shot;
}

static const struct fake_setup settling = { .nbackends = 1,
					    .backends = wide,
					    .router = { .create_settle_ms = 40 } };
static const struct fake_setup settling_long = {
	.nbackends = 1, .backends = wide, .router = { .create_settle_ms = FAKE_LONG_MS / 2 }
};

static void
test_settle__not_before_its_time(void **state)
{
	struct router *router = fake_start(&settling);
	struct shot *shot = create_settling(router, "a", CLOCK_NEVER);

	(void)state;
	shot_wait(shot);
	assert_true(shot->replied_ms >= shot->req->arrived_ms + 40);
	shot_expect_id(shot, "east.a");
	fake_stop(router);
}

/* Locks, slot and worker are free while it settles. */
static void
test_settle__holds_nothing(void **state)
{
	struct router *router = fake_start(&settling_long);
	struct shot *settles = create_settling(router, "a", CLOCK_NEVER);

	(void)state;
	shot_expect(shot_create(router, "a", NULL), COSI_OK, NULL); /* v1alpha2: no settling */
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_false(shot_is_replied(settles));
	router_drain(router);
	shot_expect_id(settles, "east.a");
	/* From now on nothing settles. */
	shot_expect_id(create_settling(router, "b", CLOCK_NEVER), "east.b");
	fake_stop(router);
}

static void
test_settle__failures_do_not(void **state)
{
	struct router *router = fake_start(&settling_long);

	(void)state;
	fake_fails("east", REQUEST_CREATE, COSI_UNAVAILABLE);
	shot_expect(create_settling(router, "a", CLOCK_NEVER), COSI_UNAVAILABLE, NULL);
	fake_stop(router);
}

/* A client whose deadline comes first is answered at once, not when it has just given up. */
static void
test_settle__not_for_a_sooner_deadline(void **state)
{
	struct router *router = fake_start(&settling_long);
	int64_t deadline_ms = clock_mono_ms() + FAKE_LONG_MS / 4;
	struct shot *shot = create_settling(router, "a", deadline_ms);

	(void)state;
	shot_wait(shot);
	assert_true(clock_mono_ms() < deadline_ms);
	shot_expect_id(shot, "east.a");
	fake_stop(router);
}

static void
test_settle__ends_with_a_cancellation(void **state)
{
	struct router *router = fake_start(&settling_long);
	struct shot *shot = create_settling(router, "a", CLOCK_NEVER);

	(void)state;
	/* It settles once a call after it on the same bucket has run. */
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	router_cancel(router, shot->call);
	shot_expect_id(shot, "east.a");
	fake_stop(router);
}

static void
test_settle__ends_with_the_router(void **state)
{
	struct router *router = fake_start(&settling_long);
	struct shot *shot = create_settling(router, "a", CLOCK_NEVER);

	(void)state;
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_false(shot_is_replied(shot));
	fake_stop(router);
	shot_expect_id(shot, "east.a");
}

static void
test_hold__locks_but_not_the_slot(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *same;

	(void)state;
	fake_unknown("east", REQUEST_CREATE, FAKE_LONG_MS);
	fake_fails("east", REQUEST_CREATE, COSI_UNAVAILABLE);
	shot_expect(shot_create(router, "a", "east"), COSI_UNAVAILABLE, "the store says no");
	fake_unknown("east", REQUEST_CREATE, 0);
	fake_fails("east", REQUEST_CREATE, 0);
	same = shot_create(router, "a", "east");
	shot_expect(shot_create(router, "b", "east"), COSI_OK, NULL);
	assert_false(shot_is_replied(same));
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 2);
	router_cancel(router, same->call);
	shot_expect(same, COSI_TIMEOUT, NULL);
	fake_stop(router);
}

static void
test_hold__for_its_time(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *same;
	int64_t before_ms = clock_mono_ms();

	(void)state;
	fake_unknown("east", REQUEST_CREATE, 40);
	shot_expect(shot_create(router, "a", "east"), COSI_OK, NULL);
	same = shot_create(router, "a", "east");
	shot_wait(same);
	assert_true(same->replied_ms >= before_ms + 40);
	shot_expect(same, COSI_OK, NULL);
	fake_stop(router);
}

/* It succeeded at last, but an earlier try of it may still be on its way. */
static void
test_hold__and_settle(void **state)
{
	struct router *router = fake_start(&settling_long);
	struct shot *made, *same;

	(void)state;
	fake_unknown("east", REQUEST_CREATE, FAKE_LONG_MS);
	made = create_settling(router, "a", CLOCK_NEVER);
	same = shot_by_id(router, REQUEST_DELETE, "east.a");
	router_drain(router);
	shot_expect_id(made, "east.a");
	assert_false(shot_is_replied(same));
	fake_stop(router);
	shot_expect(same, COSI_UNAVAILABLE, "cosid stops");
}

static void
test_hold__ends_with_the_router(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *same;

	(void)state;
	fake_unknown("east", REQUEST_CREATE, FAKE_LONG_MS);
	shot_expect(shot_create(router, "a", "east"), COSI_OK, NULL);
	same = shot_create(router, "a", "east");
	assert_false(shot_is_replied(same));
	fake_stop(router);
	shot_expect(same, COSI_UNAVAILABLE, "cosid stops");
}

static void
test_hold__limits(void **state)
{
	struct router *router = fake_start(&setup);
	char name[32];

	(void)state;
	fake_unknown("east", REQUEST_CREATE, FAKE_LONG_MS);
	for (int i = 0; i < LANE_HELD_PER_CALL; i++) {
		(void)snprintf(name, sizeof name, "a%d", i);
		shot_expect(shot_create(router, name, "east"), COSI_OK, NULL);
	}
	/* A call that waited for the slot of the last one: once it has run, that one's hold is
	 * in place. */
	shot_expect(shot_by_id(router, REQUEST_GET, "east.none"), COSI_EXHAUSTED,
		    "has left the outcome of too many calls unknown");
	shot_expect(shot_create(router, "a0", "west"), COSI_OK, NULL);
	fake_stop(router);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settle__not_before_its_time),
		cmocka_unit_test(test_settle__holds_nothing),
		cmocka_unit_test(test_settle__failures_do_not),
		cmocka_unit_test(test_settle__not_for_a_sooner_deadline),
		cmocka_unit_test(test_settle__ends_with_a_cancellation),
		cmocka_unit_test(test_settle__ends_with_the_router),
		cmocka_unit_test(test_hold__locks_but_not_the_slot),
		cmocka_unit_test(test_hold__for_its_time),
		cmocka_unit_test(test_hold__and_settle),
		cmocka_unit_test(test_hold__ends_with_the_router),
		cmocka_unit_test(test_hold__limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
