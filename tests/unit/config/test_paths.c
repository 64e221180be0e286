/* SPDX-License-Identifier: Apache-2.0
 * test_paths.c - what a program takes for its own, by the place where it lies. */
#include "config/load.h"

#include "files.h"

#include "banned.h"

static struct paths found, built;

static int
setup(void **state)
{
	paths_find(NULL, &built);
	return files_setup(state);
}

static void
assert_find(const char *program, const char *config, const char *modules_in)
{
	paths_find(program, &found);
	assert_string_equal(found.config, config);
	assert_memory_equal(found.modules, modules_in, strlen(modules_in));
	assert_non_null(strstr(found.modules, "/modules"));
}

static void
assert_as_built(const char *program)
{
	paths_find(program, &found);
	assert_string_equal(found.config, built.config);
	assert_string_equal(found.modules, built.modules);
}

static void
test_find__below_a_prefix(void **state)
{
	(void)state;
	assert_find("/usr/local/sbin/cosid", "/usr/local/etc/cosid/cosid.conf", "/usr/local/lib");
	assert_find("/opt/a/b/sbin/cosid", "/opt/a/b/etc/cosid/cosid.conf", "/opt/a/b/lib");
	assert_find("/opt/sbin/sbin/cosid.new", "/opt/sbin/etc/cosid/cosid.conf", "/opt/sbin/lib");
}

static void
test_find__of_the_system(void **state)
{
	(void)state;
	assert_find("/usr/sbin/cosid", "/etc/cosid/cosid.conf", "/usr/lib");
	assert_find("/sbin/cosid", "/etc/cosid/cosid.conf", "/lib");
	/* While a package manager puts another one in its place. */
	assert_find("/usr/sbin/cosid (deleted)", "/etc/cosid/cosid.conf", "/usr/lib");
}

static void
test_find__in_a_tree_of_a_build(void **state)
{
	(void)state;
	assert_as_built(files_path("bin/cosid"));
	assert_int_equal(mkdir(files_path("modules"), 0700), 0);
	assert_find(files_path("bin/cosid"), built.config, files_path("modules"));
	assert_as_built(files_path("tests/cosid"));
}

static void
test_find__anywhere_else(void **state)
{
	char deep[PATH_MAX + 64];

	(void)state;
	assert_as_built("/tmp/cosid");
	assert_as_built("/cosid");
	assert_as_built("cosid");
	assert_as_built("");
	assert_as_built("/xsbin/cosid");
	assert_as_built("sbin/cosid");
	(void)snprintf(deep, sizeof deep, "/%0*d/sbin/cosid", PATH_MAX, 0);
	assert_as_built(deep);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find__below_a_prefix),
		cmocka_unit_test(test_find__of_the_system),
		cmocka_unit_test(test_find__in_a_tree_of_a_build),
		cmocka_unit_test(test_find__anywhere_else),
	};

	return cmocka_run_group_tests(tests, setup, files_teardown);
}
