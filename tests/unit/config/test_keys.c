/* SPDX-License-Identifier: Apache-2.0
 * test_keys.c - the table of the daemon's own keys, as --describe prints it. */
#include "config/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

static const struct config_key *
find(const char *section, const char *name)
{
	size_t n;
	const struct config_key *keys = config_keys(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

static void
test_keys__every_one_is_documented(void **state)
{
	size_t n;
	const struct config_key *keys = config_keys(&n);

	(void)state;
	assert_int_equal(n, 17 + 2 + 2 + 2 + 12);
	for (size_t i = 0; i < n; i++) {
		assert_true(keys[i].help[0] != '\0');
		assert_string_not_equal(keys[i].type, "unknown");
		assert_ptr_equal(find(keys[i].section, keys[i].name), &keys[i]);
	}
}

static void
test_keys__sections_and_network(void **state)
{
	(void)state;
	assert_string_equal(find("", "workers")->type, "int");
	assert_string_equal(find("", "workers")->fallback, "64");
	assert_string_equal(find("", "call_timeout")->type, "duration");
	assert_string_equal(find("allowed_peers", "uids")->type, "int-list");
	assert_string_equal(find("log", "format")->fallback, "text");
	assert_string_equal(find("log", "format")->type, "enum(text|json)");
	assert_string_equal(find("log", "level")->type, "enum(error|warning|notice|info|debug)");
	assert_string_equal(find("", "driver_name")->fallback, "required");
	assert_null(find("", "owner")->fallback);
	assert_string_equal(find("routes", "match")->type, "string");
	assert_true(find("backends", "endpoint")->network);
	assert_true(find("backends", "retries")->network);
	assert_false(find("backends", "name")->network);
	assert_false(find("backends", "max_calls")->network);
	assert_null(find("", "metrics"));
}

static void
test_paths__of_the_installation(void **state)
{
	(void)state;
	assert_int_equal(config_default_path()[0], '/');
	assert_string_equal(find("", "module_dir")->fallback, config_default_module_dir());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys__every_one_is_documented),
		cmocka_unit_test(test_keys__sections_and_network),
		cmocka_unit_test(test_paths__of_the_installation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
