/* SPDX-License-Identifier: Apache-2.0
 * test_route.c - which backend a new bucket goes to. */
#include "routing/route.h"

#include "rig.h"

#include "banned.h"

static const char *const all[] = { "*", NULL };
static const char *const shared_only[] = { "shared-*", "old", NULL };

static const struct cosi_module s3 = { .name = "s3", .protocols = COSI_S3 };
static const struct cosi_module azure = { .name = "azure", .protocols = COSI_AZURE };
static const struct cosi_module both = { .name = "both", .protocols = COSI_S3 | COSI_GCS };

static struct config_backend configs[] = {
	{ .name = "east", .accept_new = true, .existing_buckets = all },
	{ .name = "west", .accept_new = true, .existing_buckets = shared_only },
	{ .name = "blob", .accept_new = true, .existing_buckets = all },
};
static struct backend backends[] = {
	{ .name = "east", .config = &configs[0], .module = &s3 },
	{ .name = "west", .config = &configs[1], .module = &both },
	{ .name = "blob", .config = &configs[2], .module = &azure },
};
static const struct config_route routes[] = {
	{ "photos-*", "west" },
	{ "photos-2?", "east" },
	{ "logs-*", "east" },
};
static struct config config;
static struct generation generation;
static struct status status;

static int
setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(configs); i++)
		configs[i].accept_new = true;
	config = (struct config){ .nroutes = COUNT(routes), .routes = routes };
	generation = (struct generation){ .config = &config,
					  .nbackends = COUNT(backends),
					  .backends = backends };
	return 0;
}

/* The backend's name, "" when there is none. */
static const char *
route(const char *name, const char *explicit, uint32_t protocols)
{
	const struct cosi_kv param = { "backend", explicit };
	const struct request req = { .op = REQUEST_CREATE,
				     .name = name,
				     .protocols = protocols,
				     .nparams = explicit != NULL,
				     .params = &param };
	const struct backend *backend;

	status = (struct status){ 0 };
	backend = route_new_bucket(&generation, &req, &status);
	assert_int_equal(backend != NULL, status_ok(&status));
	return backend != NULL ? backend->name : "";
}

static void
assert_refused(uint32_t code, const char *part)
{
	assert_int_equal(status.code, code);
	if (strstr(status.text, part) == NULL)
		fail_msg("no '%s' in '%s'", part, status.text);
}

static void
test_explicit__comes_first(void **state)
{
	(void)state;
	config.default_backend = "west";
	assert_string_equal(route("photos-1", "east", COSI_S3), "east");
	assert_string_equal(route("photos-1", "blob", 0), "blob");
}

static void
test_explicit__unknown(void **state)
{
	(void)state;
	assert_string_equal(route("photos-1", "north", COSI_S3), "");
	assert_refused(COSI_INVALID, "no backend is named 'north'; choices: 'east', 'west'");
}

static void
test_explicit__other_protocol(void **state)
{
	(void)state;
	assert_string_equal(route("photos-1", "blob", COSI_S3), "");
	assert_refused(COSI_INVALID, "'blob' supports azure, requested: s3");
}

static void
test_explicit__takes_no_new_ones(void **state)
{
	(void)state;
	configs[0].accept_new = false;
	assert_string_equal(route("x", "east", COSI_S3), "");
	assert_refused(COSI_PRECONDITION, "'east' takes no new buckets");
}

static void
test_routes__first_that_can_take_it(void **state)
{
	(void)state;
	config.default_backend = "blob";
	assert_string_equal(route("photos-20", NULL, COSI_S3), "west");
	assert_string_equal(route("photos-20", NULL, COSI_GCS), "west");
	assert_string_equal(route("logs-1", NULL, 0), "east");
	/* The first does not speak it, the second does not match: the default. */
	assert_string_equal(route("photos-1", NULL, COSI_AZURE), "blob");
	configs[1].accept_new = false;
	assert_string_equal(route("photos-20", NULL, COSI_S3), "east");
	assert_string_equal(route("photos-1", NULL, 0), "blob");
}

static void
test_default__when_it_can_take_it(void **state)
{
	(void)state;
	config.default_backend = "west";
	assert_string_equal(route("x", NULL, COSI_S3), "west");
	assert_string_equal(route("x", NULL, 0), "west");
	/* It cannot: the only one that can. */
	assert_string_equal(route("x", NULL, COSI_AZURE), "blob");
	configs[1].accept_new = false;
	assert_string_equal(route("x", NULL, COSI_S3), "east");
}

static void
test_only_one__that_speaks_it(void **state)
{
	(void)state;
	assert_string_equal(route("x", NULL, COSI_AZURE), "blob");
	assert_string_equal(route("x", NULL, COSI_GCS), "west");
	assert_string_equal(route("x", NULL, COSI_S3 | COSI_GCS), "west");
	generation.nbackends = 1;
	assert_string_equal(route("x", NULL, 0), "east");
}

static void
warns(const char *text)
{
	struct diag diag = { 0 };

	route_warn(&generation, &diag);
	assert_int_equal(diag.nerrors, 0);
	assert_int_equal(diag.nlines, text != NULL ? 1 : 0);
	if (text != NULL)
		assert_string_equal(diag.lines[0], text);
	diag_done(&diag);
}

static void
test_warning__nothing_chooses(void **state)
{
	static const struct config_route any[] = { { "photos-*", "west" }, { "*", "east" } };

	(void)state;
	configs[2].file = "cosid.conf";
	configs[2].line = 7;
	warns("cosid.conf:7: warning: there is no 'default_backend' to choose between 'east', "
	      "'west', 'blob': bucket classes without the parameter 'backend' are refused");
	configs[0].accept_new = false;
	warns("cosid.conf:7: warning: there is no 'default_backend' to choose between 'west', "
	      "'blob': bucket classes of v1alpha1, which names no protocol, without the parameter "
	      "'backend' are refused");
	configs[1].accept_new = false;
	warns(NULL);
	configs[0].accept_new = configs[1].accept_new = true;
	config.routes = any;
	config.nroutes = COUNT(any);
	warns(NULL);
	config.nroutes = 1;
	config.default_backend = "west";
	warns(NULL);
}

static void
test_nobody__names_the_choices(void **state)
{
	(void)state;
	assert_string_equal(route("x", NULL, COSI_S3), "");
	assert_refused(COSI_INVALID, "choices: 'east', 'west'");
	assert_string_equal(route("x", NULL, 0), "");
	assert_refused(COSI_INVALID, "choices: 'east', 'west', 'blob'");
	assert_string_equal(route("x", NULL, COSI_AZURE | COSI_GCS), "");
	assert_refused(COSI_INVALID, "no backend supports azure, gcs");
	configs[2].accept_new = false;
	assert_string_equal(route("x", NULL, COSI_AZURE), "");
	assert_refused(COSI_PRECONDITION, "takes new buckets");
}

static void
test_native__route_that_lets_it_in(void **state)
{
	(void)state;
	assert_ptr_equal(route_native_bucket(&generation, "logs-1"), &backends[0]);
	/* west matches first, but does not let it in. */
	assert_ptr_equal(route_native_bucket(&generation, "photos-21"), &backends[0]);
	assert_null(route_native_bucket(&generation, "other"));
	assert_true(route_permits(&backends[1], "shared-1"));
	assert_true(route_permits(&backends[1], "old"));
	assert_false(route_permits(&backends[1], "older"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_explicit__comes_first, setup),
		cmocka_unit_test_setup(test_explicit__unknown, setup),
		cmocka_unit_test_setup(test_explicit__other_protocol, setup),
		cmocka_unit_test_setup(test_explicit__takes_no_new_ones, setup),
		cmocka_unit_test_setup(test_routes__first_that_can_take_it, setup),
		cmocka_unit_test_setup(test_default__when_it_can_take_it, setup),
		cmocka_unit_test_setup(test_only_one__that_speaks_it, setup),
		cmocka_unit_test_setup(test_warning__nothing_chooses, setup),
		cmocka_unit_test_setup(test_nobody__names_the_choices, setup),
		cmocka_unit_test_setup(test_native__route_that_lets_it_in, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
