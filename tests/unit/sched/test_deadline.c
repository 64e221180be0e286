/* SPDX-License-Identifier: Apache-2.0
 * test_deadline.c - answered in time, and stopped before the next request. */
#include "sched/sched.h"

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
create_within(struct sched *sched, const char *name, const char *backend, int64_t ms)
{
	struct shot *shot = shot_new(REQUEST_CREATE);

	shot->req->name = name;
	if (backend != NULL)
		shot_param(shot, "backend", backend);
	shot->req->deadline_ms = clock_mono_ms() + ms;
	shoot(sched, shot);
	return shot;
}

/* Creates, with one deadline after another, however slow this machine is, until one ends with that
 * text. */
static void
create_late(struct sched *sched, const char *name, const char *backend, const char *text)
{
	bool found = false;

	for (int64_t ms = 20; !found; ms *= 2) {
		struct shot *late = create_within(sched, name, backend, ms);

		assert_in_range(ms, 0, 20000);
		shot_wait(late);
		found = strstr(late->status.text, text) != NULL;
		if (found && backend == NULL)
			assert_null(call_fields(late->call)->backend); /* not known yet */
		shot_expect(late, COSI_TIMEOUT, NULL);
	}
}

static void
test_deadline__in_the_queue(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *runs, *next;

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "a", "east");
	create_late(sched, "a", "east",
		    "cannot create bucket 'a': the deadline passed in the queue of backend 'east'");
	next = shot_create(sched, "a", "east");
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 2);
	fake_stop(sched);
}

/* Answered at the deadline, but slot and lock stay until the handler has returned. */
static void
test_deadline__in_the_handler(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *next;

	(void)state;
	fake_shut("east");
	create_late(sched, "a", "east", "the deadline passed; the work may continue in the store");
	next = shot_create(sched, "b", "east");
	fake_wait_inside("east", 1);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 1);
	fake_open("east");
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", cancelled), 1);
	fake_stop(sched);
}

static void
test_deadline__ours(void **state)
{
	const struct fake_setup hasty = { .nbackends = 2,
					  .backends = narrow,
					  .sched = { .call_timeout_ms = 20 } };
	struct sched *sched = fake_start(&hasty);
	struct shot *shot;

	(void)state;
	fake_shut("east");
	shot = shot_create(sched, "a", "east");
	shot_wait(shot);
	assert_true(shot->replied_ms >= shot->req->arrived_ms + 20);
	shot_expect(shot, COSI_TIMEOUT, NULL);
	fake_open("east");
	fake_stop(sched);
}

/* The client's deadline, if it is sooner than call_timeout, is the module's, too. */
static void
test_deadline__of_the_module(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = create_within(sched, "a", "east", 60000);

	(void)state;
	shot_wait(shot);
	assert_true(FAKE_GET("east", deadline_ms) == shot->req->deadline_ms);
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_deadline__over_before_it_begins(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	shot_expect(create_within(sched, "a", "east", 0), COSI_TIMEOUT, "before it began");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 0);
	fake_stop(sched);
}

static void
test_deadline__while_asking(void **state)
{
	const struct fake_setup asking = { .nbackends = 2,
					   .backends = narrow,
					   .default_backend = "east" };
	struct sched *sched = fake_start(&asking);
	struct shot *blocker;

	(void)state;
	/* East has answered, and the call waits in the queue of west behind one that hangs. */
	fake_shut("west");
	blocker = shot_create(sched, "x", "west");
	fake_wait_inside("west", 1);
	create_late(sched, "a", NULL,
		    "cannot create bucket 'a': the deadline passed in the queue of backend 'west'");
	fake_open("west");
	shot_expect(blocker, COSI_OK, NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.a"), COSI_OK, NULL);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 0);
	fake_stop(sched);
}

static void
test_cancel__in_the_handler(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct sched_status *status;
	struct shot *gone, *next;
	size_t i = 0;

	(void)state;
	fake_shut("east");
	gone = shot_create(sched, "a", "east");
	fake_wait_inside("east", 1);
	sched_cancel(sched, gone->call, REPLY_CANCELLED);
	sched_cancel(sched, gone->call, REPLY_CANCELLED);
	assert_true(shot_is_replied(gone));
	next = shot_create(sched, "a", "east");
	fake_open("east");
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", cancelled), 1);
	sched_cancel(sched, gone->call, REPLY_CANCELLED); /* long over */
	shot_expect(gone, COSI_TIMEOUT, "the client cancelled the call");
	status = sched_status(sched);
	while (strcmp(status->queues[i].name, "east") != 0)
		i++;
	assert_int_equal(status->queues[i].calls, 2);
	assert_int_equal(status->queues[i].failed, 0); /* their outcome is unknown */
	sched_status_free(sched, status);
	fake_stop(sched);
}

static void
test_cancel__waiting_for_a_lock(void **state)
{
	struct sched *sched = fake_start(&one);
	struct shot *runs, *gone, *next;

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "a", NULL);
	fake_wait_inside("east", 1);
	gone = shot_by_id(sched, REQUEST_DELETE, "east.a");
	next = shot_create(sched, "a", NULL);
	sched_cancel(sched, gone->call, REPLY_CANCELLED);
	shot_expect(gone, COSI_TIMEOUT, NULL);
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	shot_expect(next, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_DELETE]), 0);
	fake_stop(sched);
}

static void
test_cancel__before_it_began(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_new(REQUEST_CREATE);

	(void)state;
	shot->req->name = "a";
	shot_param(shot, "backend", "east");
	sched_cancel(sched, shot->call, REPLY_CANCELLED);
	assert_false(shot_is_replied(shot));
	shoot(sched, shot);
	shot_expect(shot, COSI_TIMEOUT, "the client cancelled the call");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 0);
	fake_stop(sched);
}

/* The daemon waits for its calls no longer, wherever they are; one that the client has cancelled
 * before stays cancelled. */
static void
test_cancel__because_of_the_stop(void **state)
{
	struct sched *sched = fake_start(&one);
	struct shot *runs, *waits, *left, *early = shot_new(REQUEST_CREATE);

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "a", NULL);
	fake_wait_inside("east", 1);
	waits = shot_create(sched, "a", NULL);
	left = shot_create(sched, "a", NULL);
	early->req->name = "b";
	sched_cancel(sched, left->call, REPLY_CANCELLED);
	sched_cancel(sched, left->call, REPLY_STOPPED);
	sched_cancel(sched, runs->call, REPLY_STOPPED);
	sched_cancel(sched, waits->call, REPLY_STOPPED);
	sched_cancel(sched, early->call, REPLY_STOPPED);
	sched_cancel(sched, early->call, REPLY_CANCELLED);
	shoot(sched, early);
	shot_expect(left, COSI_TIMEOUT, "the client cancelled the call");
	shot_expect(runs, COSI_UNAVAILABLE, "cannot create bucket 'a': cosid is stopping");
	shot_expect(waits, COSI_UNAVAILABLE, "cannot create bucket 'a': cosid is stopping");
	shot_expect(early, COSI_UNAVAILABLE, "cannot create bucket 'b': cosid is stopping");
	fake_open("east");
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline__in_the_queue),
		cmocka_unit_test(test_deadline__in_the_handler),
		cmocka_unit_test(test_deadline__ours),
		cmocka_unit_test(test_deadline__of_the_module),
		cmocka_unit_test(test_deadline__over_before_it_begins),
		cmocka_unit_test(test_deadline__while_asking),
		cmocka_unit_test(test_cancel__in_the_handler),
		cmocka_unit_test(test_cancel__waiting_for_a_lock),
		cmocka_unit_test(test_cancel__before_it_began),
		cmocka_unit_test(test_cancel__because_of_the_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
