/* SPDX-License-Identifier: Apache-2.0
 * test_load.c - modules built against every header that was released, loaded by this daemon. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

#include "banned.h"

static struct image *
load(const char *modules, const char *name)
{
	struct status status;
	struct image *image = rig_load(modules, name, &status);

	assert_string_equal(status.text, "");
	assert_string_equal(image->loaded.module.name, name);
	return image;
}

static void
test_load__example_of_each_header(void **state)
{
	static const char *const dirs[] = { EXAMPLE, MODULES "/1.0", MODULES "/1.1" };

	(void)state;
	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		struct image *image = load(dirs[i], "example");
		const struct cosi_module *example = &image->loaded.module;

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
	struct image *gcs = load(MODULES, "gcs-grant");
	struct image *azure = load(MODULES, "azure-grant");

	(void)state;
	assert_non_null(gcs->loaded.module.grant);
	assert_non_null(azure->loaded.module.grant);
	image_unref(gcs);
	image_unref(azure);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load__example_of_each_header),
		cmocka_unit_test(test_load__grants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
