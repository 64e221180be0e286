/* SPDX-License-Identifier: Apache-2.0
 * test_delay.c - what goes on after the handler: create_settle, and locks that stay after an
 * unknown outcome. */
#include "sched/sched.h"

#include "fakes.h"
#include "sched/queue.h"

#include "banned.h"

/* One slot each, so that four may wait. */
static const struct fake_spec narrow[] = {
	{ .name = "east", .max_calls = 1 },
	{ .name = "west", .max_calls = 1 },
};
static const struct fake_setup setup = { .nbackends = 2, .backends = narrow };
static const struct fake_spec wide[] = { { .name = "east", .max_calls = 4 } };

static struct shot *
create_delayed(struct sched *sched, const char *name, int64_t deadline_ms)
{
	struct shot *shot = shot_new(REQUEST_CREATE);

	shot->req->name = name;
	shot->req->delay_reply = true;
	shot->req->deadline_ms = deadline_ms;
	shoot(sched, shot);
	return shot;
}

static const struct fake_setup delaying = { .nbackends = 1,
					    .backends = wide,
					    .sched = { .create_settle_ms = 40 } };
static const struct fake_setup delaying_long = {
	.nbackends = 1, .backends = wide, .sched = { .create_settle_ms = FAKE_LONG_MS / 2 }
};

static void
test_delay__not_before_its_time(void **state)
{
	struct sched *sched = fake_start(&delaying);
	struct shot *shot = create_delayed(sched, "a", CLOCK_NEVER);

	(void)state;
	shot_wait(shot);
	assert_true(shot->replied_ms >= shot->req->arrived_ms + 40);
	shot_expect_id(shot, "east.a");
	fake_stop(sched);
}

/* Locks, permit and worker are free while it is delayed. */
static void
test_delay__holds_nothing(void **state)
{
	struct sched *sched = fake_start(&delaying_long);
	struct shot *delayed = create_delayed(sched, "a", CLOCK_NEVER);

	(void)state;
	shot_expect(shot_create(sched, "a", NULL), COSI_OK, NULL); /* v1alpha2: no delay */
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_false(shot_is_replied(delayed));
	sched_answer_at_once(sched);
	shot_expect_id(delayed, "east.a");
	/* From now on nothing is delayed. */
	shot_expect_id(create_delayed(sched, "b", CLOCK_NEVER), "east.b");
	fake_stop(sched);
}

static void
test_delay__failures_do_not(void **state)
{
	struct sched *sched = fake_start(&delaying_long);

	(void)state;
	FAKE_SET("east", fails[REQUEST_CREATE], COSI_UNAVAILABLE);
	shot_expect(create_delayed(sched, "a", CLOCK_NEVER), COSI_UNAVAILABLE, NULL);
	fake_stop(sched);
}

/* A client whose deadline comes first is answered at once, not when it has just given up. */
static void
test_delay__not_for_a_sooner_deadline(void **state)
{
	struct sched *sched = fake_start(&delaying_long);
	int64_t deadline_ms = clock_mono_ms() + FAKE_LONG_MS / 4;
	struct shot *shot = create_delayed(sched, "a", deadline_ms);

	(void)state;
	shot_wait(shot);
	assert_true(clock_mono_ms() < deadline_ms);
	shot_expect_id(shot, "east.a");
	fake_stop(sched);
}

static void
test_delay__ends_with_a_cancellation(void **state)
{
	struct sched *sched = fake_start(&delaying_long);
	struct shot *shot = create_delayed(sched, "a", CLOCK_NEVER);

	(void)state;
	/* It is delayed once a call after it on the same bucket has run. */
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	sched_cancel(sched, shot->call, REPLY_CANCELLED);
	shot_expect_id(shot, "east.a");
	fake_stop(sched);
}

static void
test_delay__ends_with_the_scheduler(void **state)
{
	struct sched *sched = fake_start(&delaying_long);
	struct shot *shot = create_delayed(sched, "a", CLOCK_NEVER);

	(void)state;
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_false(shot_is_replied(shot));
	fake_stop(sched);
	shot_expect_id(shot, "east.a");
}

static void
test_quarantine__locks_but_not_the_permit(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *same;

	(void)state;
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], FAKE_LONG_MS);
	FAKE_SET("east", fails[REQUEST_CREATE], COSI_UNAVAILABLE);
	shot_expect(shot_create(sched, "a", "east"), COSI_UNAVAILABLE, "the store says no");
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], 0);
	FAKE_SET("east", fails[REQUEST_CREATE], 0);
	same = shot_create(sched, "a", "east");
	shot_expect(shot_create(sched, "b", "east"), COSI_OK, NULL);
	assert_false(shot_is_replied(same));
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 2);
	sched_cancel(sched, same->call, REPLY_CANCELLED);
	shot_expect(same, COSI_TIMEOUT, NULL);
	fake_stop(sched);
}

static void
test_quarantine__for_its_time(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *same;
	int64_t before_ms = clock_mono_ms();

	(void)state;
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], 40);
	shot_expect(shot_create(sched, "a", "east"), COSI_OK, NULL);
	same = shot_create(sched, "a", "east");
	shot_wait(same);
	assert_true(same->replied_ms >= before_ms + 40);
	shot_expect(same, COSI_OK, NULL);
	fake_stop(sched);
}

/* It succeeded at last, but an earlier try of it may still be on its way. */
static void
test_quarantine__and_delay(void **state)
{
	struct sched *sched = fake_start(&delaying_long);
	struct shot *made, *same;

	(void)state;
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], FAKE_LONG_MS);
	made = create_delayed(sched, "a", CLOCK_NEVER);
	same = shot_by_id(sched, REQUEST_DELETE, "east.a");
	sched_answer_at_once(sched);
	shot_expect_id(made, "east.a");
	assert_false(shot_is_replied(same));
	fake_stop(sched);
	shot_expect(same, COSI_UNAVAILABLE, "cosid is stopping");
}

static void
test_quarantine__ends_with_the_scheduler(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *same;

	(void)state;
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], FAKE_LONG_MS);
	shot_expect(shot_create(sched, "a", "east"), COSI_OK, NULL);
	same = shot_create(sched, "a", "east");
	assert_false(shot_is_replied(same));
	fake_stop(sched);
	shot_expect(same, COSI_UNAVAILABLE, "cosid is stopping");
}

static void
test_quarantine__limits(void **state)
{
	const struct fake_setup to_west = { .nbackends = 2,
					    .backends = narrow,
					    .default_backend = "west" };
	struct sched *sched = fake_start(&to_west);
	char name[32];

	(void)state;
	FAKE_SET("east", unknown_ms[REQUEST_CREATE], FAKE_LONG_MS);
	for (int i = 0; i < QUEUE_QUARANTINED_PER_CALL; i++) {
		(void)snprintf(name, sizeof name, "a%d", i);
		shot_expect(shot_create(sched, name, "east"), COSI_OK, NULL);
	}
	/* It is submitted after the last one has ended. */
	shot_expect(shot_by_id(sched, REQUEST_GET, "east.none"), COSI_EXHAUSTED,
		    "too many calls of backend 'east' have an unknown outcome");
	shot_expect(shot_create(sched, "a0", "west"), COSI_OK, NULL);
	/* A look-up does not ask it either. */
	shot_expect(shot_create(sched, "b", NULL), COSI_UNAVAILABLE,
		    "backend 'east' cannot tell: too many calls of backend 'east' have an unknown "
		    "outcome");
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay__not_before_its_time),
		cmocka_unit_test(test_delay__holds_nothing),
		cmocka_unit_test(test_delay__failures_do_not),
		cmocka_unit_test(test_delay__not_for_a_sooner_deadline),
		cmocka_unit_test(test_delay__ends_with_a_cancellation),
		cmocka_unit_test(test_delay__ends_with_the_scheduler),
		cmocka_unit_test(test_quarantine__locks_but_not_the_permit),
		cmocka_unit_test(test_quarantine__for_its_time),
		cmocka_unit_test(test_quarantine__and_delay),
		cmocka_unit_test(test_quarantine__ends_with_the_scheduler),
		cmocka_unit_test(test_quarantine__limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
