/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - create, get and delete on a real RADOS Gateway. */
#include "rgw.h"

#include "banned.h"

static void
test_create__new_repeated_other_params(void **state)
{
	struct rgw_test *t = *state;
	struct cosi_bucket out;

	assert_ok(t, rgw_create(t, "new-bucket", RGW_PARAMS_A, NULL));
	assert_int_equal(t->host.nrequests, 3);
	assert_ok(t, rgw_create(t, "new-bucket", RGW_PARAMS_A, NULL));
	assert_int_equal(t->host.nrequests, 1);
	assert_int_equal(rgw_create(t, "new-bucket", RGW_PARAMS_B, NULL), COSI_EXISTS);
	assert_ok(t, rgw_get(t, "new-bucket", &out));
	assert_int_equal(t->host.nrequests, 1);
	assert_true(out.ours && !out.unfinished);
	assert_string_equal(out.params, RGW_PARAMS_A);
	assert_ok(t, rgw_delete(t, "new-bucket", false));
	assert_int_equal(t->host.nrequests, 2);
	assert_ok(t, rgw_delete(t, "new-bucket", false));
	assert_int_equal(t->host.nrequests, 1);
	assert_int_equal(rgw_get(t, "new-bucket", &out), COSI_NOT_FOUND);
}

static void
test_create__what_is_there_and_not_ours(void **state)
{
	static const char foreign[] =
		"<Tagging><TagSet><Tag><Key>cosi-driver</Key><Value>another.example.org</Value>"
		"</Tag><Tag><Key>cosi-name</Key><Value>tagged</Value></Tag></TagSet></Tagging>";
	struct rgw_test *t = *state;
	struct cosi_bucket out;

	assert_int_equal(ask(t, .method = "PUT", .path = "/tagged"), 200);
	assert_int_equal(
		ask(t, .method = "PUT", .path = "/tagged", .query = "tagging", .body = foreign),
		200);
	assert_int_equal(rgw_create(t, "tagged", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_ok(t, rgw_get(t, "tagged", &out));
	assert_false(out.ours);
	assert_int_equal(rgw_delete(t, "tagged", true), COSI_PRECONDITION);
	assert_int_equal(ask(t, .method = "GET", .path = "/tagged"), 200);

	assert_int_equal(ask(t, .method = "PUT", .path = "/own-hand"), 200);
	assert_int_equal(ask(t, .method = "PUT", .path = "/own-hand/object", .body = "x"), 200);
	assert_int_equal(rgw_create(t, "own-hand", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(rgw_delete(t, "own-hand", true), COSI_PRECONDITION);
	assert_int_equal(ask(t, .method = "GET", .path = "/own-hand/object"), 200);
}

/* The request that made it may have been cut off before its first marks. */
static void
test_create__takes_over_an_untouched_one(void **state)
{
	struct rgw_test *t = *state;

	assert_int_equal(ask(t, .method = "PUT", .path = "/untouched"), 200);
	assert_ok(t, rgw_create(t, "untouched", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_create(t, "untouched", RGW_PARAMS_A, NULL));
	assert_int_equal(t->host.nrequests, 1);
	assert_ok(t, rgw_delete(t, "untouched", false));
}

static void
test_delete__not_empty(void **state)
{
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "not-empty", RGW_PARAMS_A, NULL));
	assert_int_equal(ask(t, .method = "PUT", .path = "/not-empty/object", .body = "x"), 200);
	assert_int_equal(rgw_delete(t, "not-empty", false), COSI_PRECONDITION);
	assert_int_equal(ask(t, .method = "GET", .path = "/not-empty/object"), 200);
	assert_ok(t, rgw_delete(t, "not-empty", true));
	assert_int_equal(ask(t, .method = "GET", .path = "/not-empty"), 404);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__new_repeated_other_params),
		cmocka_unit_test(test_create__what_is_there_and_not_ours),
		cmocka_unit_test(test_create__takes_over_an_untouched_one),
		cmocka_unit_test(test_delete__not_empty),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
