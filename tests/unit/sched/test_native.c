/* SPDX-License-Identifier: Apache-2.0
 * test_native.c - buckets that are called by the name that they have in their store. */
#include "routing/plan.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec three[] = { { .name = "east" },
					  { .name = "west" },
					  { .name = "north" } };
static const struct fake_setup by_default = { .nbackends = 3,
					      .backends = three,
					      .default_backend = "east" };

static const char *const shared_only[] = { "shared-*", NULL };
static const struct fake_spec mixed[] = {
	{ .name = "east" },
	{ .name = "west", .existing = shared_only },
	{ .name = "blob", .protocols = COSI_AZURE },
};
static const struct config_route to_west[] = { { "shared-*", "west" } };
static const struct fake_setup brown = {
	.nbackends = 3, .backends = mixed, .nroutes = 1, .routes = to_west
};

static void
test_native__exactly_one_has_it(void **state)
{
	struct sched *sched = fake_start(&brown);

	(void)state;
	fake_has("blob", "photos", NULL, NULL);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "photos"), "blob.photos");
	shot_expect_id(shot_grant(sched, "ba-1", "photos"), "blob.cosi-ba-1");
	fake_has("east", "v1.2", NULL, NULL); /* a dot, but no backend before it */
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "v1.2"), "east.v1.2");
	fake_stop(sched);
}

static void
test_native__nobody_or_several(void **state)
{
	struct sched *sched = fake_start(&brown);

	(void)state;
	shot_expect(shot_by_id(sched, REQUEST_GET, "photos"), COSI_NOT_FOUND,
		    "cannot get bucket 'photos': no backend has a bucket 'photos'");
	shot_expect(shot_grant(sched, "ba-1", "photos"), COSI_NOT_FOUND, NULL);
	fake_has("east", "photos", NULL, NULL);
	fake_has("blob", "photos", NULL, NULL);
	shot_expect(shot_by_id(sched, REQUEST_GET, "photos"), COSI_PRECONDITION, "'east', 'blob'");
	shot_expect(shot_grant(sched, "ba-1", "photos"), COSI_PRECONDITION, "'east', 'blob'");
	fake_stop(sched);
}

static void
test_native__parameter_backend(void **state)
{
	struct sched *sched = fake_start(&brown);
	struct shot *shot = shot_new(REQUEST_GET);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	fake_has("blob", "photos", NULL, NULL);
	shot->req->id = "photos";
	shot_param(shot, "backend", "blob");
	shoot(sched, shot);
	shot_expect_id(shot, "blob.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 0);
	fake_stop(sched);
}

static void
test_native__a_store_that_cannot_say(void **state)
{
	struct sched *sched = fake_start(&brown);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	FAKE_SET("blob", fails[REQUEST_GET], COSI_TIMEOUT);
	/* Even though one has it: the other one may, too. */
	shot_expect(shot_by_id(sched, REQUEST_GET, "photos"), COSI_UNAVAILABLE, "'blob'");
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_UNAVAILABLE, "'blob'");
	fake_stop(sched);
}

static void
test_native__routes_first(void **state)
{
	struct sched *sched = fake_start(&brown);

	(void)state;
	fake_has("west", "shared-1", NULL, NULL);
	fake_has("east", "shared-1", NULL, NULL);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "shared-1"), "west.shared-1");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 0);
	/* Not where the route says: everywhere. */
	fake_has("east", "shared-2", NULL, NULL);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "shared-2"), "east.shared-2");
	fake_stop(sched);
}

/* existing_buckets is no wall if the id's long form goes around it. */
static void
test_native__existing_buckets(void **state)
{
	struct sched *sched = fake_start(&brown);

	(void)state;
	fake_has("west", "hidden", NULL, NULL);
	fake_has("west", "made", "made", NULL);
	shot_expect(shot_by_id(sched, REQUEST_GET, "hidden"), COSI_NOT_FOUND, NULL);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GET]), 0);
	shot_expect(shot_by_id(sched, REQUEST_GET, "west.hidden"), COSI_PRECONDITION,
		    "does not permit it");
	shot_expect(shot_grant(sched, "ba-1", "west.hidden"), COSI_PRECONDITION,
		    "does not permit it");
	assert_int_equal(FAKE_GET("west", calls[REQUEST_GRANT]), 0);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "west.made"), "west.made");
	shot_expect_id(shot_grant(sched, "ba-1", "west.made"), "west.cosi-ba-1");
	shot_expect(shot_grant(sched, "ba-1", "west.absent"), COSI_NOT_FOUND, NULL);
	fake_stop(sched);
}

/* One backend: it is the store that says whether the bucket is there. */
static void
test_native__one_backend(void **state)
{
	const struct fake_setup setup = { .nbackends = 1, .backends = mixed };
	struct sched *sched = fake_start(&setup);

	(void)state;
	shot_expect(shot_by_id(sched, REQUEST_GET, "photos"), COSI_NOT_FOUND, "no such bucket");
	fake_has("east", "photos", NULL, NULL);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "photos"), "east.photos");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GET]), 2);
	fake_stop(sched);
}

/* "Gone" must not be said of the id of a backend that was removed: the bucket may be there. */
static void
test_native__of_a_removed_backend(void **state)
{
	const struct fake_setup setup = { .nbackends = 1, .backends = mixed };
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_new(REQUEST_GRANT);

	(void)state;
	shot_expect(shot_by_id(sched, REQUEST_GET, "gone.a"), COSI_PRECONDITION,
		    "'gone.a' names no backend: no such bucket");
	shot_expect(shot_by_id(sched, REQUEST_GET, "Gone.a"), COSI_NOT_FOUND, NULL);
	FAKE_SET("east", fails[REQUEST_GRANT], COSI_NOT_FOUND);
	shot->req->name = "ba-1";
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shot_bucket(shot, "gone.b", COSI_READ_ONLY);
	shot_bucket(shot, "lost.c", COSI_READ_ONLY);
	shoot(sched, shot);
	shot_expect(shot, COSI_PRECONDITION, "'gone.b' names no backend");
	shot_expect(shot_grant(sched, "ba-1", "east.a"), COSI_NOT_FOUND, "the store says no");
	fake_stop(sched);
}

/* What is required of a Create is not required of those who look, by themselves or for a grant. */
static void
test_native__required_parameter(void **state)
{
	static const struct fake_spec strict[] = {
		{ .name = "east", .strict = true, .existing = shared_only },
		{ .name = "west" },
	};
	const struct fake_setup setup = { .nbackends = 2, .backends = strict };
	struct sched *sched = fake_start(&setup);

	(void)state;
	shot_expect(shot_create(sched, "made", "east"), COSI_INVALID,
		    "parameter 'color' is required");
	fake_has("east", "made", "made", NULL);
	fake_has("east", "shared-1", NULL, NULL);
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "shared-1"), "east.shared-1");
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "east.made"), "east.made");
	shot_expect_id(shot_grant(sched, "ba-1", "east.made"), "east.cosi-ba-1");
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.made"), COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_delete__only_what_is_ours(void **state)
{
	struct sched *sched = fake_start(&by_default);

	(void)state;
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_PRECONDITION,
		    "cosid has created no bucket of that name");
	fake_has("west", "photos", NULL, NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("north", "photos", "photos", NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_OK, NULL);
	assert_false(fake_has_bucket("north", "photos"));
	assert_true(fake_has_bucket("west", "photos"));
	fake_has("north", "photos", "photos", NULL);
	fake_has("east", "photos", "photos", NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_PRECONDITION,
		    "'east', 'north'");
	fake_stop(sched);
}

static void
test_delete__one_backend(void **state)
{
	const struct fake_setup setup = { .nbackends = 1, .backends = three };
	struct sched *sched = fake_start(&setup);

	(void)state;
	/* Absent: not OK, since it may be another driver's. */
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("east", "photos", NULL, NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("east", "photos", "photos", NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "photos"), COSI_OK, NULL);
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native__exactly_one_has_it),
		cmocka_unit_test(test_native__nobody_or_several),
		cmocka_unit_test(test_native__parameter_backend),
		cmocka_unit_test(test_native__a_store_that_cannot_say),
		cmocka_unit_test(test_native__routes_first),
		cmocka_unit_test(test_native__existing_buckets),
		cmocka_unit_test(test_native__one_backend),
		cmocka_unit_test(test_native__of_a_removed_backend),
		cmocka_unit_test(test_native__required_parameter),
		cmocka_unit_test(test_delete__only_what_is_ours),
		cmocka_unit_test(test_delete__one_backend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
