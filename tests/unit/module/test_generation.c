/* SPDX-License-Identifier: Apache-2.0
 * test_generation.c - whole configurations: all backends open, or none and every reason told. */
#include "backends.h"
#include "base/clock.h"

#include "banned.h"

static int
create(struct backend *backend, struct arena *arena, struct cosi_bucket *out)
{
	const struct cosi_bucket_req req = { .native = "photos", .protocols = COSI_S3 };
	struct status status = { 0 };
	struct module_call call = {
		.arena = arena, .status = &status, .backend = backend, .deadline_ms = CLOCK_NEVER
	};

	module_call_init(&call);
	return backend_create_bucket(&call, &req, out);
}

static void
test_open__two_backends_of_one_module(void **state)
{
	struct world *world = *state;
	const char *east = entry(world, "east", "endpoint = \"http://127.0.0.1:2\";");
	struct generation *generation;
	struct backend *west;
	struct cosi_bucket bucket;
	struct arena arena;
	char text[4096];

	(void)snprintf(text, sizeof text, "%s,\n%s", east,
		       entry(world, "west",
			     "region = \"west\"; public_endpoint = \"https://west.example.org\";"));
	generation = open_backends(world, text, false);
	west = generation_find(generation, "west");
	assert_int_equal(generation->nbackends, 2);
	assert_int_equal(generation->protocols, COSI_S3);
	assert_null(generation_find(generation, "north"));
	assert_string_equal(generation->backends[0].name, "east");
	assert_string_equal(generation->backends[0].public_url, "http://127.0.0.1:2");
	assert_string_equal(west->public_url, "https://west.example.org");
	assert_string_equal(west->module->name, "good");
	arena_init(&arena, 1 << 20);
	assert_int_equal(create(west, &arena, &bucket), 0);
	generation_unref(generation);
	counted(world, "oocc");
	/* The answer outlives the generation. */
	assert_string_equal(bucket.region, "west");
	assert_string_equal(bucket.endpoint, "https://west.example.org");
	arena_done(&arena);
}

static void
test_open__module_endpoint_is_the_default(void **state)
{
	struct world *world = *state;
	struct generation *generation = open_backends(world, entry(world, "b", ""), false);

	assert_string_equal(generation->backends[0].public_url, "http://127.0.0.1:1");
	assert_string_equal(instance_of(&generation->backends[0])->endpoint, "http://127.0.0.1:1");
	generation_unref(generation);
}

static void
test_open__no_backend(void **state)
{
	struct generation *generation = open_backends(*state, "", false);

	assert_int_equal(generation->nbackends, 0);
	assert_int_equal(generation->protocols, 0);
	generation_unref(generation);
}

static void
test_open__all_reasons_are_told(void **state)
{
	struct world *world = *state;
	const char *good = entry(world, "b1", "");
	const char *bad_key = entry(world, "b2", "colour = 1;");
	const char *fails = entry(world, "b3", "fail_open = true;");
	struct generation *generation;
	char text[8192];

	(void)snprintf(
		text, sizeof text,
		"%s,\n%s,\n%s,\n{ name = \"b4\"; module = \"absent\"; },\n"
		"{ name = \"b5\"; module = \"crash\"; },\n{ name = \"b6\"; module = \"absent\"; }",
		good, bad_key, fails);
	assert_null(open_backends(world, text, false));
	assert_int_equal(world->diag.nlines, 5);
	rig_assert_has(world->diag.lines[0], "cosid.conf:5: ");
	rig_assert_has(world->diag.lines[0], "colour");
	rig_assert_has(world->diag.lines[1],
		       "cosid.conf:6: backend 'b3': cannot open 'here': told to fail");
	rig_assert_has(world->diag.lines[2],
		       "cosid.conf:7: backend 'b4': cannot load module 'absent' from ");
	rig_assert_has(world->diag.lines[3],
		       "cosid.conf:8: backend 'b5': cannot load module 'crash'");
	rig_assert_has(world->diag.lines[3], "loading crashed (SIGABRT)");
	rig_assert_has(world->diag.lines[4],
		       "cosid.conf:9: backend 'b6': cannot load module 'absent'");
	/* The one that was open is closed again; a check keeps it, to be asked. */
	counted(world, "oc");
	generation = open_backends(world, text, true);
	assert_int_equal(world->diag.nlines, 5);
	assert_int_equal(generation->nbackends, 1);
	assert_string_equal(generation->backends[0].name, "b1");
	counted(world, "oco");
	generation_unref(generation);
	counted(world, "ococ");
}

static void
test_ref__last_one_closes(void **state)
{
	struct world *world = *state;
	struct generation *one = open_backends(world, entry(world, "b", ""), false);
	struct generation *two =
		open_backends(world, entry(world, "b", "region = \"there\";"), false);

	assert_true(two->number > one->number);
	assert_ptr_equal(generation_ref(one), one);
	generation_unref(one);
	counted(world, "oo");
	generation_unref(one);
	counted(world, "ooc");
	/* Both shared the loaded file. */
	assert_string_equal(two->backends[0].module->name, "good");
	generation_unref(two);
	counted(world, "oocc");
}

static void
test_check__missing_credential_leaves_the_backend_unfit(void **state)
{
	struct world *world = *state;
	const char *with_secret = entry(world, "b", "password = \"credential:absent\";");
	struct generation *generation;
	struct cosi_bucket bucket;
	struct arena arena;

	assert_null(open_backends(world, with_secret, false));
	generation = open_backends(world, with_secret, true);
	assert_int_equal(world->diag.nwarnings, 1);
	arena_init(&arena, 1 << 20);
	assert_int_equal(create(&generation->backends[0], &arena, &bucket), -1);
	arena_done(&arena);
	generation_unref(generation);
	counted(world, "");
}

/* A warning that has nothing to do with secrets. */
static void
test_check__insecure_backend_is_opened(void **state)
{
	struct world *world = *state;
	struct generation *generation = open_backends(
		world, entry(world, "b", "endpoint = \"https://127.0.0.1:1\"; insecure = true;"),
		true);

	assert_int_equal(world->diag.nwarnings, 1);
	generation_unref(generation);
	counted(world, "oc");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open__two_backends_of_one_module, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_open__module_endpoint_is_the_default, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_open__no_backend, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__all_reasons_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ref__last_one_closes, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_check__missing_credential_leaves_the_backend_unfit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check__insecure_backend_is_opened, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
