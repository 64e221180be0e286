/* SPDX-License-Identifier: Apache-2.0
 * test_find.c - names that stand on several backends: made elsewhere before, brought along, gone.
 */
#include "router/find.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec three[] = { { .name = "east" },
					  { .name = "west" },
					  { .name = "north" } };
static const struct fake_setup by_default = { .nbackends = 3,
					      .backends = three,
					      .default_backend = "east" };
static const struct fake_setup undecided = { .nbackends = 3, .backends = three };

/* ---- create ------------------------------------------------------------------------ */

static void
test_create__new_everywhere(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	shot_expect_id(shot_create(router, "photos", NULL), "east.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 1);
	assert_int_equal(fake_calls("west", REQUEST_GET), 1);
	assert_int_equal(fake_calls("north", REQUEST_GET), 1);
	/* Once it is there, only the likeliest is asked. */
	shot_expect_id(shot_create(router, "photos", NULL), "east.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 2);
	assert_int_equal(fake_calls("west", REQUEST_GET), 1);
	fake_stop(router);
}

static void
test_create__explicit_asks_nobody(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	fake_has("east", "photos", "photos", NULL);
	shot_expect_id(shot_create(router, "photos", "west"), "west.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 0);
	assert_int_equal(fake_calls("west", REQUEST_GET), 0);
	fake_stop(router);
}

/* The default was another one when it was made. */
static void
test_create__stays_where_it_is(void **state)
{
	struct router *router;

	(void)state;
	router = fake_start(&undecided);
	shot_expect_id(shot_create(router, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(router, "photos", NULL), "west.photos");
	shot_expect(shot_create(router, "other", NULL), COSI_INVALID,
		    "cannot create bucket 'other': which backend takes bucket 'other'?");
	fake_stop(router);
	router = fake_start(&by_default);
	shot_expect_id(shot_create(router, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(router, "photos", NULL), "west.photos");
	assert_false(fake_has_bucket("east", "photos"));
	fake_stop(router);
}

static void
test_create__not_ours_elsewhere(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	fake_has("west", "photos", NULL, NULL);     /* foreign */
	fake_has("north", "photos", "album", NULL); /* ours, but of another name */
	shot_expect_id(shot_create(router, "photos", NULL), "east.photos");
	fake_stop(router);
}

static void
test_create__foreign_where_it_goes(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	shot_expect(shot_create(router, "photos", NULL), COSI_EXISTS, "it exists");
	fake_stop(router);
}

static void
test_create__a_store_that_cannot_say(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	fake_fails("north", REQUEST_GET, COSI_UNAVAILABLE);
	shot_expect(shot_create(router, "photos", NULL), COSI_UNAVAILABLE,
		    "backend 'north' cannot say: the store says no");
	/* Somebody has it: it does not matter. */
	shot_expect_id(shot_create(router, "photos", "west"), "west.photos");
	shot_expect_id(shot_create(router, "photos", NULL), "west.photos");
	fake_fails("north", REQUEST_GET, 0);
	fake_fails("east", REQUEST_GET, COSI_DENIED);
	shot_expect_id(shot_create(router, "photos", NULL), "west.photos");
	shot_expect(shot_create(router, "other", NULL), COSI_UNAVAILABLE, "backend 'east'");
	fake_stop(router);
}

static void
test_create__twice_elsewhere(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	fake_has("west", "photos", "photos", NULL);
	fake_has("north", "photos", "photos", NULL);
	shot_expect(shot_create(router, "photos", NULL), COSI_PRECONDITION, "'west', 'north'");
	fake_has("east", "photos", "photos", NULL);
	shot_expect(shot_create(router, "photos", NULL), COSI_EXISTS, NULL); /* other parameters */
	fake_stop(router);
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
	struct router *router = fake_start(&setup);
	struct shot *made = shot_create(router, "photos", "east");

	(void)state;
	shot_expect_id(made, "east.photos");
	/* It keeps what it has, by name and by parameter, and takes nothing new. */
	fake_has("west", "old", "old",
		 "1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	shot_expect_id(shot_create(router, "old", NULL), "west.old");
	shot_expect_id(shot_create(router, "old", "west"), "west.old");
	shot_expect(shot_create(router, "new", "west"), COSI_PRECONDITION, "takes no new buckets");
	shot_expect_id(shot_create(router, "new", NULL), "east.new");
	fake_stop(router);
}

/* Who does not speak what is asked for cannot have it; who cannot look does not stop the others. */
static void
test_create__who_is_asked(void **state)
{
	const struct fake_setup setup = { .nbackends = 4, .backends = closing };
	struct router *router = fake_start(&setup);
	struct shot *shot = shot_new(router, REQUEST_CREATE);

	(void)state;
	shot->req->name = "photos";
	shot->req->protocols = COSI_AZURE;
	shoot(router, shot);
	shot_expect_id(shot, "blob.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 0);
	assert_int_equal(fake_calls("blob", REQUEST_GET), 0); /* the only one: nobody to ask */
	shot = shot_new(router, REQUEST_CREATE);
	shot->req->name = "photos";
	shot->req->protocols = COSI_S3;
	shoot(router, shot);
	shot_expect(shot, COSI_INVALID, "choices: 'east', 'blind'");
	assert_int_equal(fake_calls("blob", REQUEST_GET), 0);
	assert_int_equal(fake_calls("blind", REQUEST_GET), 0);
	assert_int_equal(fake_calls("west", REQUEST_GET), 1);
	fake_stop(router);
}

/* A blind backend that is the default is locked like any other: fakes.c would notice. */
static void
test_create__blind_default(void **state)
{
	const struct fake_setup setup = { .nbackends = 4,
					  .backends = closing,
					  .default_backend = "blind" };
	struct router *router = fake_start(&setup);
	struct shot *shots[1 + LANE_WAITING_PER_CALL];

	(void)state;
	for (size_t i = 0; i < COUNT(shots); i++)
		shots[i] = shot_create(router, "photos", NULL);
	for (size_t i = 0; i < COUNT(shots); i++)
		shot_expect_id(shots[i], "blind.photos");
	fake_stop(router);
}

/* A delete of what a create may still make waits for it, on every backend that is asked. */
static void
test_create__locks_all_candidates(void **state)
{
	struct router *router = fake_start(&by_default);
	struct shot *create, *delete;

	(void)state;
	fake_shut("north");
	create = shot_create(router, "photos", NULL);
	fake_wait_inside("north", 1);
	delete = shot_by_id(router, REQUEST_DELETE, "east.photos");
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.other"), COSI_OK, NULL);
	assert_false(shot_is_replied(delete));
	assert_int_equal(fake_calls("east", REQUEST_DELETE), 1);
	fake_open("north");
	shot_expect_id(create, "east.photos");
	shot_expect(delete, COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "photos"));
	fake_stop(router);
}

/* ---- native names ------------------------------------------------------------------ */

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
	struct router *router = fake_start(&brown);

	(void)state;
	fake_has("blob", "photos", NULL, NULL);
	shot_expect_id(shot_by_id(router, REQUEST_GET, "photos"), "blob.photos");
	shot_expect_id(shot_grant(router, "ba-1", "photos"), "blob.cosi-ba-1");
	fake_has("east", "v1.2", NULL, NULL); /* a dot, but no backend before it */
	shot_expect_id(shot_by_id(router, REQUEST_GET, "v1.2"), "east.v1.2");
	fake_stop(router);
}

static void
test_native__nobody_or_several(void **state)
{
	struct router *router = fake_start(&brown);

	(void)state;
	shot_expect(shot_by_id(router, REQUEST_GET, "photos"), COSI_NOT_FOUND,
		    "cannot get bucket 'photos': no backend has a bucket 'photos'");
	shot_expect(shot_grant(router, "ba-1", "photos"), COSI_NOT_FOUND, NULL);
	fake_has("east", "photos", NULL, NULL);
	fake_has("blob", "photos", NULL, NULL);
	shot_expect(shot_by_id(router, REQUEST_GET, "photos"), COSI_PRECONDITION, "'east', 'blob'");
	shot_expect(shot_grant(router, "ba-1", "photos"), COSI_PRECONDITION, "'east', 'blob'");
	fake_stop(router);
}

static void
test_native__parameter_backend(void **state)
{
	struct router *router = fake_start(&brown);
	struct shot *shot = shot_new(router, REQUEST_GET);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	fake_has("blob", "photos", NULL, NULL);
	shot->req->id = "photos";
	shot_param(shot, "backend", "blob");
	shoot(router, shot);
	shot_expect_id(shot, "blob.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 0);
	fake_stop(router);
}

static void
test_native__a_store_that_cannot_say(void **state)
{
	struct router *router = fake_start(&brown);

	(void)state;
	fake_has("east", "photos", NULL, NULL);
	fake_fails("blob", REQUEST_GET, COSI_TIMEOUT);
	/* Even though one has it: the other one may, too. */
	shot_expect(shot_by_id(router, REQUEST_GET, "photos"), COSI_UNAVAILABLE, "'blob'");
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_UNAVAILABLE, "'blob'");
	fake_stop(router);
}

static void
test_native__routes_first(void **state)
{
	struct router *router = fake_start(&brown);

	(void)state;
	fake_has("west", "shared-1", NULL, NULL);
	fake_has("east", "shared-1", NULL, NULL);
	shot_expect_id(shot_by_id(router, REQUEST_GET, "shared-1"), "west.shared-1");
	assert_int_equal(fake_calls("east", REQUEST_GET), 0);
	/* Not where the route says: everywhere. */
	fake_has("east", "shared-2", NULL, NULL);
	shot_expect_id(shot_by_id(router, REQUEST_GET, "shared-2"), "east.shared-2");
	fake_stop(router);
}

/* existing_buckets is no wall if the id's long form goes around it. */
static void
test_native__existing_buckets(void **state)
{
	struct router *router = fake_start(&brown);

	(void)state;
	fake_has("west", "hidden", NULL, NULL);
	fake_has("west", "made", "made", NULL);
	shot_expect(shot_by_id(router, REQUEST_GET, "hidden"), COSI_NOT_FOUND, NULL);
	assert_int_equal(fake_calls("west", REQUEST_GET), 0);
	shot_expect(shot_by_id(router, REQUEST_GET, "west.hidden"), COSI_PRECONDITION,
		    "does not let it in");
	shot_expect(shot_grant(router, "ba-1", "west.hidden"), COSI_PRECONDITION,
		    "does not let it in");
	assert_int_equal(fake_calls("west", REQUEST_GRANT), 0);
	shot_expect_id(shot_by_id(router, REQUEST_GET, "west.made"), "west.made");
	shot_expect_id(shot_grant(router, "ba-1", "west.made"), "west.cosi-ba-1");
	shot_expect(shot_grant(router, "ba-1", "west.absent"), COSI_NOT_FOUND, NULL);
	fake_stop(router);
}

/* One backend: it is the store that says whether the bucket is there. */
static void
test_native__one_backend(void **state)
{
	const struct fake_setup setup = { .nbackends = 1, .backends = mixed };
	struct router *router = fake_start(&setup);

	(void)state;
	shot_expect(shot_by_id(router, REQUEST_GET, "photos"), COSI_NOT_FOUND, "no such bucket");
	fake_has("east", "photos", NULL, NULL);
	shot_expect_id(shot_by_id(router, REQUEST_GET, "photos"), "east.photos");
	assert_int_equal(fake_calls("east", REQUEST_GET), 2);
	fake_stop(router);
}

/* ---- delete by a native name --------------------------------------------------------- */

static void
test_delete__only_what_is_ours(void **state)
{
	struct router *router = fake_start(&by_default);

	(void)state;
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_PRECONDITION,
		    "no bucket of that name is cosid's");
	fake_has("west", "photos", NULL, NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("north", "photos", "photos", NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_OK, NULL);
	assert_false(fake_has_bucket("north", "photos"));
	assert_true(fake_has_bucket("west", "photos"));
	fake_has("north", "photos", "photos", NULL);
	fake_has("east", "photos", "photos", NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_PRECONDITION,
		    "'east', 'north'");
	fake_stop(router);
}

static void
test_delete__one_backend(void **state)
{
	const struct fake_setup setup = { .nbackends = 1, .backends = three };
	struct router *router = fake_start(&setup);

	(void)state;
	/* Absent: not OK, since it may be another driver's. */
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("east", "photos", NULL, NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_PRECONDITION, NULL);
	fake_has("east", "photos", "photos", NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "photos"), COSI_OK, NULL);
	fake_stop(router);
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
		cmocka_unit_test(test_create__twice_elsewhere),
		cmocka_unit_test(test_create__a_backend_that_is_closed),
		cmocka_unit_test(test_create__who_is_asked),
		cmocka_unit_test(test_create__blind_default),
		cmocka_unit_test(test_create__locks_all_candidates),
		cmocka_unit_test(test_native__exactly_one_has_it),
		cmocka_unit_test(test_native__nobody_or_several),
		cmocka_unit_test(test_native__parameter_backend),
		cmocka_unit_test(test_native__a_store_that_cannot_say),
		cmocka_unit_test(test_native__routes_first),
		cmocka_unit_test(test_native__existing_buckets),
		cmocka_unit_test(test_native__one_backend),
		cmocka_unit_test(test_delete__only_what_is_ours),
		cmocka_unit_test(test_delete__one_backend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
