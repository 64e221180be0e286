/* SPDX-License-Identifier: Apache-2.0
 * test_lookup.c - a Create whose bucket may have been made elsewhere before. */
#include "routing/lookup.h"

#include "fakes.h"
#include "sched/queue.h"

#include "banned.h"

static const struct fake_spec three[] = { { .name = "east" },
					  { .name = "west" },
					  { .name = "north" } };
static const struct fake_setup by_default = { .nbackends = 3,
					      .backends = three,
					      .default_backend = "east" };
static const struct fake_setup undecided = { .nbackends = 3, .backends = three };

static void
test_create__new_everywhere(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	shot_expect_id(shot_create(sched, "photos", NULL), "east.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 1);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 1);
	assert_int_equal(FAKE_GET("north", calls[REQUEST_GET]), 1);
	/* Once it is there, only the likeliest is asked. */
	shot_expect_id(shot_create(sched, "photos", NULL), "east.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 2);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 1);
	fake_stop(sched);
}

static void
test_create__explicit_asks_nobody(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	fake_has("east", "photos", "photos", NULL);
	shot_expect_id(shot_create(sched, "photos", "west"), "west.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 0);
	fake_stop(sched);
}

/* The default was another one when it was made. */
static void
test_create__stays_where_it_is(void **state)
{
	struct sched *sched;

	(void)state;
	sched = fake_start(&undecided);
	shot_expect_id(shot_create(sched, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(sched, "photos", NULL), "west.photos");
	shot_expect(shot_create(sched, "other", NULL), COSI_INVALID,
		    "cannot create bucket 'other': no backend selected for bucket 'other': no "
		    "matching route");
	fake_stop(sched);
	sched = fake_start(&by_default);
	shot_expect_id(shot_create(sched, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(sched, "photos", NULL), "west.photos");
	assert_false(fake_has_bucket("east", "photos"));
	fake_stop(sched);
}

static void
test_create__not_ours_elsewhere(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	fake_has("west", "photos", NULL, NULL);     /* foreign */
	fake_has("north", "photos", "album", NULL); /* ours, but of another name */
	shot_expect_id(shot_create(sched, "photos", NULL), "east.photos");
	fake_stop(sched);
}

static void
test_create__foreign_where_it_goes(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	shot_expect(shot_create(sched, "photos", NULL), COSI_EXISTS, "it exists");
	fake_stop(sched);
}

static void
test_create__a_store_that_cannot_say(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	FAKE_SET("north", fails[REQUEST_GET], COSI_UNAVAILABLE);
	shot_expect(shot_create(sched, "photos", NULL), COSI_UNAVAILABLE,
		    "backend 'north' cannot tell: the store says no");
	/* Another backend has the bucket, so the failure does not matter. */
	shot_expect_id(shot_create(sched, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(sched, "photos", NULL), "west.photos");
	FAKE_SET("north", fails[REQUEST_GET], 0);
	FAKE_SET("east", fails[REQUEST_GET], COSI_DENIED);
	shot_expect_id(shot_create(sched, "photos", NULL), "west.photos");
	shot_expect(shot_create(sched, "other", NULL), COSI_UNAVAILABLE, "backend 'east'");
	fake_stop(sched);
}

/* A Create whose deadline finds it where the text says, however slow this machine is. */
static void
create_late(struct sched *sched, const char *name, const char *text)
{
	bool found = false;

	for (int64_t ms = 20; !found; ms *= 2) {
		struct shot *late = shot_new(REQUEST_CREATE);

		assert_in_range(ms, 0, 20000);
		late->req->name = name;
		late->req->deadline_ms = clock_mono_ms() + ms;
		shoot(sched, late);
		shot_wait(late);
		found = strstr(late->status.text, text) != NULL;
		shot_expect(late, COSI_TIMEOUT, NULL);
	}
}

/* The likeliest, which is asked alone, or one of the others. */
static void
test_create__a_store_that_does_not_answer(void **state)
{
	static const char *const stores[] = { "east", "north" };

	(void)state;
	for (size_t i = 0; i < COUNT(stores); i++) {
		struct sched *sched = fake_start(&by_default);
		char text[256];

		(void)snprintf(
			text, sizeof text,
			"cannot create bucket 'photos': cannot determine which backend has bucket "
			"'photos': backend '%s' did not answer before the deadline",
			stores[i]);
		fake_shut(stores[i]);
		create_late(sched, "photos", text);
		fake_open(stores[i]);
		shot_expect_id(shot_create(sched, "photos", NULL), "east.photos");
		fake_stop(sched);
	}
}

/* Neither does the queue keep its name to itself. */
static void
test_create__queue_of_the_likeliest(void **state)
{
	static const struct fake_spec narrow[] = { { .name = "east", .max_calls = 1 },
						   { .name = "west" } };
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = narrow,
					  .default_backend = "east" };
	struct sched *sched = fake_start(&setup);
	struct shot *runs;

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "first", "east");
	fake_wait_inside("east", 1);
	create_late(sched, "photos", "the deadline passed in the queue of backend 'east'");
	fake_open("east");
	shot_expect(runs, COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_create__twice_elsewhere(void **state)
{
	struct sched *sched = fake_start(&by_default);
	struct shot *shot;

	(void)state;
	fake_has("west", "photos", "photos", NULL);
	fake_has("north", "photos", "photos", NULL);
	shot_expect(shot_create(sched, "photos", NULL), COSI_PRECONDITION, "'west', 'north'");
	fake_has("east", "photos", "photos", NULL);
	shot = shot_create(sched, "photos", NULL);
	shot_wait(shot);
	assert_string_equal(call_fields(shot->call)->backend, "east");
	shot_expect(shot, COSI_EXISTS, NULL); /* other parameters */
	fake_stop(sched);
}

static const struct fake_spec closing[] = {
	{ .name = "east" },
	{ .name = "west", .closed = true },
	{ .name = "blob", .protocols = COSI_AZURE },
	{ .name = "blind", .blind = true },
};

static void
test_create__a_backend_that_is_closed(void **state)
{
	const struct fake_setup setup = { .nbackends = 2, .backends = closing };
	struct sched *sched = fake_start(&setup);
	struct shot *made = shot_create(sched, "photos", "east");

	(void)state;
	shot_expect_id(made, "east.photos");
	/* It keeps what it has, by name and by parameter, and takes nothing new. */
	fake_has("west", "old", "old",
		 "1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	shot_expect_id(shot_create(sched, "old", NULL), "west.old");
	shot_expect_id(shot_create(sched, "old", "west"), "west.old");
	shot_expect(shot_create(sched, "new", "west"), COSI_PRECONDITION, "takes no new buckets");
	shot_expect_id(shot_create(sched, "new", NULL), "east.new");
	fake_stop(sched);
}

/* The look-up skips backends without the requested protocol, and those that have no look-up. */
static void
test_create__who_is_asked(void **state)
{
	const struct fake_setup setup = { .nbackends = 4, .backends = closing };
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_new(REQUEST_CREATE);

	(void)state;
	shot->req->name = "photos";
	shot->req->protocols = COSI_AZURE;
	shoot(sched, shot);
	shot_expect_id(shot, "blob.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("blob", calls[REQUEST_GET]),
			 0); /* the only candidate: no look-up */
	shot = shot_new(REQUEST_CREATE);
	shot->req->name = "photos";
	shot->req->protocols = COSI_S3;
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID, "choices: 'east', 'blind'");
	assert_int_equal(FAKE_GET("blob", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("blind", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 1);
	fake_stop(sched);
}

/* A blind backend that is the default is locked like any other: fakes.c would notice. */
static void
test_create__blind_default(void **state)
{
	const struct fake_setup setup = { .nbackends = 4,
					  .backends = closing,
					  .default_backend = "blind" };
	struct sched *sched = fake_start(&setup);
	struct shot *shots[1 + QUEUE_WAITING_PER_CALL];

	(void)state;
	for (size_t i = 0; i < COUNT(shots); i++)
		shots[i] = shot_create(sched, "photos", NULL);
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect_id(shots[i], "blind.photos");
	fake_stop(sched);
}

/* A store that is asked has the memory that any call has, and no more. */
static void
test_create__memory_of_those_who_are_asked(void **state)
{
	static const struct fake_spec large[] = { { .name = "east" },
						  { .name = "west", .needs = 63 << 20 } };
	static const struct fake_spec too_large[] = { { .name = "east" },
						      { .name = "west", .needs = 65 << 20 } };
	struct fake_setup setup = { .nbackends = 2, .backends = large, .default_backend = "east" };
	struct sched *sched = fake_start(&setup);

	(void)state;
	fake_has("west", "photos", NULL, NULL);
	shot_expect_id(shot_create(sched, "photos", NULL), "east.photos");
	fake_stop(sched);
	setup.backends = too_large;
	sched = fake_start(&setup);
	fake_has("west", "photos", NULL, NULL);
	shot_expect(shot_create(sched, "photos", NULL), COSI_UNAVAILABLE,
		    "the handler needs more memory");
	fake_stop(sched);
}

/* A store whose queue is full cannot tell; the queue of the preferred one is not held up by it. */
static void
test_create__a_full_queue(void **state)
{
	static const struct fake_spec narrow[] = { { .name = "east" },
						   { .name = "west", .max_calls = 1 } };
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = narrow,
					  .default_backend = "east" };
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	struct sched *sched = fake_start(&setup);
	struct shot *hang[1 + QUEUE_WAITING_PER_CALL];

	(void)state;
	fake_shut("west");
	for (size_t i = 0; i < COUNT(hang); i++)
		hang[i] = shot_create(sched, names[i], "west");
	fake_wait_inside("west", 1);
	shot_expect(shot_create(sched, "photos", NULL), COSI_UNAVAILABLE,
		    "backend 'west' cannot tell: too many calls wait for backend 'west'");
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 0);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 1);
	fake_open("west");
	for (size_t i = 0; i < COUNT(hang); i++)
		shot_expect(hang[i], COSI_OK, NULL);
	fake_stop(sched);
}

/* Look-ups that wait for a store that hangs leave the others their own permits. */
static void
test_create__a_store_that_hangs_keeps_its_own_queue(void **state)
{
	static const struct fake_spec two[] = { { .name = "east", .max_calls = 2 },
						{ .name = "west", .max_calls = 1 } };
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = two,
					  .default_backend = "east" };
	struct sched *sched = fake_start(&setup);
	struct shot *a, *b;

	(void)state;
	fake_shut("west");
	a = shot_create(sched, "a", NULL);
	b = shot_create(sched, "b", NULL);
	fake_wait_inside("west", 1);
	shot_expect(shot_create(sched, "c", "east"), COSI_OK, NULL);
	fake_open("west");
	shot_expect_id(a, "east.a");
	shot_expect_id(b, "east.b");
	fake_stop(sched);
}

/* A delete of what a create may still make waits for it, on every backend that is asked. */
static void
test_create__locks_all_candidates(void **state)
{
	struct sched *sched = fake_start(&by_default);
	struct shot *create, *delete;

	(void)state;
	fake_shut("north");
	create = shot_create(sched, "photos", NULL);
	fake_wait_inside("north", 1);
	delete = shot_by_id(sched, REQUEST_DELETE, "east.photos");
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.other"), COSI_OK, NULL);
	assert_false(shot_is_replied(delete));
	assert_int_equal(FAKE_GET("east", calls[REQUEST_DELETE]), 1);
	fake_open("north");
	shot_expect_id(create, "east.photos");
	shot_expect(delete, COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "photos"));
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__new_everywhere),
		cmocka_unit_test(test_create__explicit_asks_nobody),
		cmocka_unit_test(test_create__stays_where_it_is),
		cmocka_unit_test(test_create__not_ours_elsewhere),
		cmocka_unit_test(test_create__foreign_where_it_goes),
		cmocka_unit_test(test_create__a_store_that_cannot_say),
		cmocka_unit_test(test_create__a_store_that_does_not_answer),
		cmocka_unit_test(test_create__queue_of_the_likeliest),
		cmocka_unit_test(test_create__twice_elsewhere),
		cmocka_unit_test(test_create__a_backend_that_is_closed),
		cmocka_unit_test(test_create__who_is_asked),
		cmocka_unit_test(test_create__blind_default),
		cmocka_unit_test(test_create__memory_of_those_who_are_asked),
		cmocka_unit_test(test_create__a_full_queue),
		cmocka_unit_test(test_create__a_store_that_hangs_keeps_its_own_queue),
		cmocka_unit_test(test_create__locks_all_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
