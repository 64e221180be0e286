/* SPDX-License-Identifier: Apache-2.0
 * test_deadline.c - answered in time, and stopped before the next request. */
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
	shot_wait(late);
	assert_null(call_fields(late->call)->backend); /* nobody knows yet */
	shot_expect(late, COSI_TIMEOUT,
		    "cannot create bucket 'a': cannot tell where bucket 'a' is: backend 'west' "
		    "cannot say: it did not answer before the deadline");
	fake_open("west");
	shot_expect(blocker, COSI_OK, NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_int_equal(fake_calls("west", REQUEST_GET), 0);
	assert_int_equal(fake_calls("east", REQUEST_CREATE), 0);
	fake_stop(router);
}

static void
test_cancel__in_the_handler(void **state)
{
	struct router *router = fake_start(&setup);
	struct router_status *status;
	struct shot *gone, *next;
	size_t i = 0;

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
	status = router_status(router);
	while (strcmp(status->lanes[i].name, "east") != 0)
		i++;
	assert_int_equal(status->lanes[i].calls, 2);
	assert_int_equal(status->lanes[i].failed, 0); /* nobody knows */
	router_status_free(router, status);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline__in_the_queue),
		cmocka_unit_test(test_deadline__in_the_handler),
		cmocka_unit_test(test_deadline__ours),
		cmocka_unit_test(test_deadline__over_before_it_begins),
		cmocka_unit_test(test_deadline__while_asking),
		cmocka_unit_test(test_cancel__in_the_handler),
		cmocka_unit_test(test_cancel__waiting_for_a_lock),
		cmocka_unit_test(test_cancel__before_it_began),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
