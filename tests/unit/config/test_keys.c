/* SPDX-License-Identifier: Apache-2.0
 * test_keys.c - the table of the daemon's own keys, as --describe prints it. */
#include "config/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

static const struct cosi_key *
find(const char *section, const char *name)
{
	size_t n;
	const struct config_section *sections = config_sections(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sections[i].name, section) == 0)
			return value_key(sections[i].schema, name);
	return NULL;
}

static const char *
type_of(const char *section, const char *name)
{
	static char type[64];

	value_describe_type(find(section, name), type, sizeof type);
	return type;
}

static bool
is_network(const char *name)
{
	return value_key(&keys_network, name) != NULL;
}

static void
test_keys__every_one_is_documented(void **state)
{
	size_t n, nkeys = 0;
	const struct config_section *sections = config_sections(&n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sections[i].schema->nkeys; k++, nkeys++) {
			const struct cosi_key *key = &sections[i].schema->keys[k];

			assert_true(key->help[0] != '\0');
			assert_non_null(value_type(key->type));
			assert_ptr_equal(find(sections[i].name, key->name), key);
		}
	assert_int_equal(nkeys, 17 + 2 + 2 + 2 + 12);
}

static void
test_keys__sections_and_network(void **state)
{
	(void)state;
	assert_string_equal(type_of("", "workers"), "int");
	assert_string_equal(find("", "workers")->fallback, "64");
	assert_string_equal(type_of("", "call_timeout"), "duration");
	assert_string_equal(type_of("allowed_peers", "uids"), "int-list");
	assert_string_equal(find("log", "format")->fallback, "text");
	assert_string_equal(type_of("log", "format"), "enum(text|json)");
	assert_string_equal(type_of("log", "level"), "enum(error|warning|notice|info|debug)");
	assert_int_equal(find("", "driver_name")->flags, COSI_REQUIRED);
	assert_null(find("", "owner")->fallback);
	assert_string_equal(type_of("routes", "match"), "string");
	assert_true(is_network("endpoint"));
	assert_true(is_network("retries"));
	assert_false(is_network("name"));
	assert_false(is_network("max_calls"));
	assert_null(find("", "metrics"));
}

static void
test_paths__of_the_installation(void **state)
{
	(void)state;
	assert_int_equal(config_default_path()[0], '/');
	assert_int_equal(config_default_module_dir()[0], '/');
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
