/* SPDX-License-Identifier: Apache-2.0
 * test_router.c - a bucket's and an account's whole life through the router. */
#include "router/router.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec one[] = { { .name = "east" } };
static const struct fake_setup setup = { .nbackends = 1, .backends = one };

static void
test_life__one_backend(void **state)
{
	struct router *router = fake_start(&setup);

	(void)state;
	shot_expect_id(shot_create(router, "photos", NULL), "east.photos");
	assert_true(fake_has_bucket("east", "photos"));
	shot_expect_id(shot_create(router, "photos", NULL), "east.photos");
	shot_expect_id(shot_by_id(router, REQUEST_GET, "east.photos"), "east.photos");
	shot_expect_id(shot_grant(router, "ba-1", "east.photos"), "east.cosi-ba-1");
	shot_expect_id(shot_grant(router, "ba-1", "east.photos"), "east.cosi-ba-1");
	shot_expect(shot_revoke(router, "east.cosi-ba-1"), COSI_OK, NULL);
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.photos"), COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "photos"));
	shot_expect(shot_by_id(router, REQUEST_DELETE, "east.photos"), COSI_OK, NULL);
	fake_stop(router);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life__one_backend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
