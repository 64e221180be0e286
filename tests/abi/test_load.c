/* SPDX-License-Identifier: Apache-2.0
 * test_load.c - modules built against every header that was released, loaded by this daemon. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

#include "banned.h"

static int
setup(void **state)
{
	*state = rig_dir();
	return 0;
}

static int
teardown(void **state)
{
	rig_remove(*state);
	return 0;
}

static struct image *
load(const char *state_dir, const char *modules, const char *name)
{
	struct status status;
	struct image *image = rig_load(modules, state_dir, name, &status);

	assert_string_equal(status.text, "");
	assert_string_equal(image_module(image)->name, name);
	return image;
}

static void
test_load__example_of_each_header(void **state)
{
	static const char *const dirs[] = { EXAMPLE, MODULES "/1.0" };

	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		struct image *image = load(*state, dirs[i], "example");
		const struct cosi_module *example = image_module(image);

		assert_int_equal(example->major, 1);
		assert_int_equal(example->config.nkeys, 2);
		assert_string_equal(example->config.keys[1].name, "admin_key");
		assert_int_equal(example->bucket_params.nkeys, 1);
		assert_int_equal(example->access_params.nkeys, 0);
		assert_non_null(example->create_bucket);
		assert_non_null(example->list);
		image_unref(image);
	}
}

static void
test_load__grants(void **state)
{
	struct image *gcs = load(*state, MODULES, "gcs-grant");
	struct image *azure = load(*state, MODULES, "azure-grant");

	assert_non_null(image_module(gcs)->grant);
	assert_non_null(image_module(azure)->grant);
	image_unref(gcs);
	image_unref(azure);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_load__example_of_each_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__grants, setup, teardown),
	};

	if (argc > 1)
		return rig_describe(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
