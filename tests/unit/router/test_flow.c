/* SPDX-License-Identifier: Apache-2.0
 * test_flow.c - queue, locks, deadline, cancellation, settling, holding, the end. */
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
static const struct fake_setup one = { .nbackends = 1, .backends = wide };

/* Create with a deadline that is so far away. */
static struct shot *
create_within(struct router *router, const char *name, const char *backend, int64_t ms)
{
	struct shot *shot = shot_new(router, REQUEST_CREATE);

	shot->req->name = name;
	shot_param(shot, "backend", backend);
	shot->req->deadline_ms = clock_mono_ms() + ms;
	shoot(router, shot);
	return shot;
}

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

/* ---- queue --------------------------------------------------------------------------- */

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

/* ---- locks --------------------------------------------------------------------------- */

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

/* ---- deadline ------------------------------------------------------------------------ */

static void
test_deadline__in_the_queue(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *runs, *late, *next;

	(void)state;
	fake_shut("east");
	runs = shot_create(router, "a", "east");
	late = create_within(router, "a", "east", 20);
	next = shot_create(router, "a", "east");
	shot_expect(late, COSI_TIMEOUT,
		    "cannot create bucket 'a': the deadline passed in the queue of backend 'east'");
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 2);
	fake_stop(router);
}

/* A call whose deadline finds it in the handler, however slow this machine is. */
static struct shot *
create_late(struct router *router, const char *name)
{
	for (int64_t ms = 20;; ms *= 2) {
		struct shot *late = create_within(router, name, "east", ms);

		shot_wait(late);
		if (strstr(late->status.text, "goes on") != NULL)
			return late;
		shot_expect(late, COSI_TIMEOUT, NULL);
	}
}

/* Answered at the deadline, but slot and lock stay until the handler has returned. */
static void
test_deadline__in_the_handler(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *next;

	(void)state;
	fake_shut("east");
	shot_expect(create_late(router, "a"), COSI_TIMEOUT,
		    "the deadline passed; the work goes on in the store");
	next = shot_create(router, "b", "east");
	fake_wait_inside("east", 1);
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 1);
	fake_open("east");
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(fake_cancelled("east"), 1);
	fake_stop(router);
}

static void
test_deadline__ours(void **state)
{
	const struct fake_setup hasty = { .nbackends = 2,
					  .backends = narrow,
					  .router = { .call_timeout_ms = 20 } };
	struct router *router = fake_start(&hasty);
	struct shot *shot;

	(void)state;
	fake_shut("east");
	shot = shot_create(router, "a", "east");
	shot_wait(shot);
	assert_true(shot->replied_ms >= shot->req->arrived_ms + 20);
	shot_expect(shot, COSI_TIMEOUT, NULL);
	fake_open("east");
	fake_stop(router);
}

static void
test_deadline__over_before_it_begins(void **state)
{
	struct router *router = fake_start(&setup);

	(void)state;
	shot_expect(create_within(router, "a", "east", 0), COSI_TIMEOUT, "before it began");
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 0);
	fake_stop(router);
}

static void
test_deadline__while_asking(void **state)
{
	const struct fake_setup asking = { .nbackends = 2,
					   .backends = narrow,
					   .default_backend = "east" };
	struct router *router = fake_start(&asking);
	struct shot *late = shot_new(router, REQUEST_CREATE), *blocker;

	(void)state;
	/* One ask runs, and one waits in the lane of west behind a call that hangs. */
	fake_shut("west");
	blocker = shot_create(router, "x", "west");
	fake_wait_inside("west", 1);
	late->req->name = "a";
	late->req->deadline_ms = clock_mono_ms() + 20;
	shoot(router, late);
	shot_expect(late, COSI_TIMEOUT, "the deadline passed");
	fake_open("west");
	shot_expect(blocker, COSI_OK, NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_int_equal(fake_calls("west", REQUEST_GET), 0);
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 0);
	fake_stop(router);
}

/* ---- cancellation -------------------------------------------------------------------- */

static void
test_cancel__in_the_handler(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *gone, *next;

	(void)state;
	fake_shut("east");
	gone = shot_create(router, "a", "east");
	fake_wait_inside("east", 1);
	router_cancel(router, gone->call);
	router_cancel(router, gone->call);
	assert_true(shot_is_replied(gone));
	next = shot_create(router, "a", "east");
	fake_open("east");
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(fake_cancelled("east"), 1);
	router_cancel(router, gone->call); /* long over */
	shot_expect(gone, COSI_TIMEOUT, "the client has cancelled it");
	fake_stop(router);
}

static void
test_cancel__waiting_for_a_lock(void **state)
{
	struct router *router = fake_start(&one);
	struct shot *runs, *gone, *next;

	(void)state;
	fake_shut("east");
	runs = shot_create(router, "a", NULL);
	fake_wait_inside("east", 1);
	gone = shot_by_id(router, REQUEST_DELETE, "east.a");
	next = shot_create(router, "a", NULL);
	router_cancel(router, gone->call);
	shot_expect(gone, COSI_TIMEOUT, NULL);
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(fake_calls("east", REQUEST_DELETE), 0);
	fake_stop(router);
}

static void
test_cancel__before_it_began(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *shot = shot_new(router, REQUEST_CREATE);

	(void)state;
	shot->req->name = "a";
	shot_param(shot, "backend", "east");
	router_cancel(router, shot->call);
	assert_false(shot_is_replied(shot));
	shoot(router, shot);
	shot_expect(shot, COSI_TIMEOUT, "the client has cancelled it");
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 0);
	fake_stop(router);
}

/* ---- create_settle ------------------------------------------------------------------- */

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

static void
test_settle__ends_with_the_deadline(void **state)
{
	struct router *router = fake_start(&settling_long);

	(void)state;
	for (int64_t ms = 20;; ms *= 2) {
		struct shot *shot = create_settling(router, "a", clock_mono_ms() + ms);

		shot_wait(shot);
		if (status_ok(&shot->status)) {
			shot_expect_id(shot, "east.a");
			break;
		}
		shot_expect(shot, COSI_TIMEOUT, NULL); /* a slow machine: again */
	}
	fake_stop(router);
}

static void
test_settle__ends_with_a_cancellation(void **state)
{
	struct router *router = fake_start(&settling_long);
	struct shot *shot = create_settling(router, "a", CLOCK_NEVER);

	(void)state;
	/* It settles once a call behind it on the same bucket has run. */
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

/* ---- unknown outcomes ---------------------------------------------------------------- */

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
	/* A call behind the last one's slot: its hold is in place when that has run. */
	shot_expect(shot_by_id(router, REQUEST_GET, "east.none"), COSI_EXHAUSTED,
		    "has left the outcome of too many calls unknown");
	shot_expect(shot_create(router, "a0", "west"), COSI_OK, NULL);
	fake_stop(router);
}

/* ---- the end ------------------------------------------------------------------------- */

static void *
opens_later(void *unused)
{
	/* The router stops: what waits is answered, what runs is stopped before its next request.
	 */
	(void)unused;
	fake_open("east");
	return NULL;
}

static void
test_free__answers_what_waits(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *runs, *waits;
	pthread_t thread;

	(void)state;
	fake_shut("east");
	runs = shot_create(router, "a", "east");
	fake_wait_inside("east", 1);
	waits = shot_create(router, "b", "east");
	assert_int_equal(pthread_create(&thread, NULL, opens_later, NULL), 0);
	fake_stop(router);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(shot_is_replied(runs), true);
	shot_free(runs);
	assert_true(shot_is_replied(waits));
	shot_free(waits);
}

static void
test_fields__for_the_log(void **state)
{
	struct router *router = fake_start(&setup);
	struct shot *shot = shot_grant(router, "ba-1", "east.a");
	const struct log_fields *fields = call_fields(shot->call);

	(void)state;
	shot_wait(shot);
	assert_string_equal(fields->api, "v1alpha2");
	assert_string_equal(fields->backend, "east");
	assert_string_equal(fields->bucket, "east.a");
	assert_string_equal(fields->account, "ba-1");
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(router);
}

static void
test_info__of_the_generation(void **state)
{
	struct router *router = fake_start(&setup);

	(void)state;
	assert_int_equal(router_protocols(router), COSI_S3);
	assert_string_equal(router_driver_name(router), "cosid.example.org");
	fake_stop(router);
}

static void
test_no_backend__unavailable(void **state)
{
	const struct fake_setup none = { 0 };
	struct router *router = fake_start(&none);

	(void)state;
	assert_int_equal(router_protocols(router), 0);
	shot_expect(shot_create(router, "a", NULL), COSI_UNAVAILABLE, "no backend is configured");
	shot_expect(shot_revoke(router, "east.cosi-a"), COSI_UNAVAILABLE, NULL);
	fake_stop(router);
}

/* NOT_FOUND would be taken for "gone". */
static void
test_not_found__never_on_delete_and_revoke(void **state)
{
	struct router *router = fake_start(&setup);

	(void)state;
	fake_fails("east", REQUEST_DELETE, COSI_NOT_FOUND);
	fake_fails("east", REQUEST_REVOKE, COSI_NOT_FOUND);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_INTERNAL,
		    "module 'east' answered NOT_FOUND: the store says no");
	shot_expect(shot_revoke(router, "east.cosi-a"), COSI_INTERNAL, "NOT_FOUND");
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
		cmocka_unit_test(test_deadline__in_the_queue),
		cmocka_unit_test(test_deadline__in_the_handler),
		cmocka_unit_test(test_deadline__ours),
		cmocka_unit_test(test_deadline__over_before_it_begins),
		cmocka_unit_test(test_deadline__while_asking),
		cmocka_unit_test(test_cancel__in_the_handler),
		cmocka_unit_test(test_cancel__waiting_for_a_lock),
		cmocka_unit_test(test_cancel__before_it_began),
		cmocka_unit_test(test_settle__not_before_its_time),
		cmocka_unit_test(test_settle__holds_nothing),
		cmocka_unit_test(test_settle__failures_do_not),
		cmocka_unit_test(test_settle__ends_with_the_deadline),
		cmocka_unit_test(test_settle__ends_with_a_cancellation),
		cmocka_unit_test(test_settle__ends_with_the_router),
		cmocka_unit_test(test_hold__locks_but_not_the_slot),
		cmocka_unit_test(test_hold__for_its_time),
		cmocka_unit_test(test_hold__ends_with_the_router),
		cmocka_unit_test(test_hold__limits),
		cmocka_unit_test(test_free__answers_what_waits),
		cmocka_unit_test(test_fields__for_the_log),
		cmocka_unit_test(test_info__of_the_generation),
		cmocka_unit_test(test_no_backend__unavailable),
		cmocka_unit_test(test_not_found__never_on_delete_and_revoke),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
