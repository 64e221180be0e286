/* SPDX-License-Identifier: Apache-2.0
 * test_left_out.c - requests beside a backend that is left out: none gets a final answer or a
 * second bucket that an open backend would have prevented. */
#include "config/config.h"
#include "plan_rig.h"

#include "banned.h"

static int
never_asked(void *instance, struct cosi_call *call, const struct cosi_bucket_req *asked,
	    struct cosi_bucket *out)
{
	(void)instance, (void)call, (void)asked, (void)out;
	return -1;
}

static const struct cosi_module module = {
	.name = "fake", .protocols = COSI_S3, .auth = COSI_AUTH_KEY, .get_bucket = never_asked
};
static const char *const all[] = { "*", NULL };
static const struct config_backend any = { .accept_new = true, .existing_buckets = all };
static struct backend backends[] = {
	{ .name = "east", .config = &any, .module = &module },
	{ .name = "west", .config = &any, .module = &module },
	{ .name = "north", .config = &any, .module = &module },
};
static struct config config = { .owner = "us.example.org" };
static struct generation generation = { .config = &config,
					.nbackends = COUNT(backends),
					.backends = backends };

static int
setup(void **state)
{
	config.default_backend = "west";
	for (size_t i = 0; i < COUNT(backends); i++) {
		backends[i].config = &any;
		backends[i].left_out = NULL;
	}
	backends[1].left_out = "its key is gone";
	return plan_setup(state);
}

/* No other backend than west is left to be asked. */
static void
answer_all(enum candidate_answer answer)
{
	struct candidate *next;

	while ((next = lookup_next(plan.lookup)) != NULL) {
		assert_string_not_equal(next->backend->name, "west");
		next->answer = answer;
	}
}

static void
test_id__is_unavailable(void **state)
{
	const struct cosi_kv param = { "backend", "west" };
	struct request_bucket granted = { .id = "west.photos", .mode = COSI_READ_WRITE };
	const struct request asked[] = {
		{ .op = REQUEST_CREATE, .name = "photos", .nparams = 1, .params = &param },
		{ .op = REQUEST_GET, .id = "west.photos" },
		{ .op = REQUEST_DELETE, .id = "west.photos" },
		{ .op = REQUEST_REVOKE, .id = "west.cosi-ba-1" },
		{ .op = REQUEST_GRANT, .name = "ba-1", .nbuckets = 1, .buckets = &granted },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(asked); i++)
		expect_refused(&generation, &asked[i], COSI_UNAVAILABLE,
			       "backend 'west' is left out: its key is gone");
}

static void
test_lookup__waits_for_it(void **state)
{
	static const char *const defaults[] = { "west", "east", NULL };
	struct request_bucket granted = { .id = "photos", .mode = COSI_READ_WRITE };
	const struct request asked[] = {
		{ .op = REQUEST_CREATE, .name = "photos" },
		{ .op = REQUEST_GET, .id = "photos" },
		{ .op = REQUEST_DELETE, .id = "photos" },
		{ .op = REQUEST_GRANT, .name = "ba-1", .nbuckets = 1, .buckets = &granted },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(asked) * COUNT(defaults); i++) {
		config.default_backend = defaults[i % COUNT(defaults)];
		assert_int_equal(make_plan(&generation, &asked[i / COUNT(defaults)]), 0);
		assert_null(plan.backend);
		assert_int_equal(plan.lookup->ncandidates, 3);
		answer_all(CANDIDATE_LACKS);
		assert_null(lookup_decide(plan.lookup, &status));
		assert_int_equal(status.code, COSI_UNAVAILABLE);
		assert_non_null(strstr(status.text, "backend 'west' is left out: its key is gone"));
	}
}

/* Nothing is open that could be asked: the plan itself says so. */
static void
test_lookup__of_none_that_is_open(void **state)
{
	struct request_bucket granted = { .id = "photos", .mode = COSI_READ_WRITE };
	const struct request asked[] = {
		{ .op = REQUEST_CREATE, .name = "photos" },
		{ .op = REQUEST_GET, .id = "photos" },
		{ .op = REQUEST_DELETE, .id = "photos" },
		{ .op = REQUEST_GRANT, .name = "ba-1", .nbuckets = 1, .buckets = &granted },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(backends); i++)
		backends[i].left_out = "its key is gone";
	for (size_t i = 0; i < COUNT(asked); i++) {
		expect_refused(&generation, &asked[i], COSI_UNAVAILABLE,
			       "is left out: its key is gone");
	}
}

/* A Create that finds its bucket elsewhere needs no more. */
static void
test_create__bucket_is_elsewhere(void **state)
{
	const struct request create = { .op = REQUEST_CREATE, .name = "photos" };

	(void)state;
	assert_int_equal(make_plan(&generation, &create), 0);
	lookup_next(plan.lookup)->answer = CANDIDATE_HAS;
	answer_all(CANDIDATE_LACKS);
	assert_string_equal(lookup_decide(plan.lookup, &status)->name, "east");
}

/* What it serves may not be known, so it may be the one that the class means. */
static void
test_create__nothing_else_takes_buckets(void **state)
{
	static const struct config_backend shut = { .existing_buckets = all };
	const struct request create = { .op = REQUEST_CREATE, .name = "photos" };

	(void)state;
	config.default_backend = NULL;
	for (size_t i = 0; i < COUNT(backends); i++)
		backends[i].config = &shut;
	assert_int_equal(make_plan(&generation, &create), 0);
	answer_all(CANDIDATE_LACKS);
	assert_null(lookup_decide(plan.lookup, &status));
	assert_int_equal(status.code, COSI_UNAVAILABLE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_id__is_unavailable, setup, plan_teardown),
		cmocka_unit_test_setup_teardown(test_lookup__waits_for_it, setup, plan_teardown),
		cmocka_unit_test_setup_teardown(test_lookup__of_none_that_is_open, setup,
						plan_teardown),
		cmocka_unit_test_setup_teardown(test_create__bucket_is_elsewhere, setup,
						plan_teardown),
		cmocka_unit_test_setup_teardown(test_create__nothing_else_takes_buckets, setup,
						plan_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
