/* SPDX-License-Identifier: Apache-2.0
 * test_schema.c - limits of what a module may say of its keys; broken.c has the other mistakes. */
#include "module/schema.h"

#include <stdio.h>
#include <string.h>

#include "rig.h"

#include "banned.h"

struct sample {
	const char *text;
	int64_t number;
	bool flag;
};

static const char *
check(const struct cosi_key *keys, size_t nkeys, size_t size)
{
	static struct status status;
	const struct cosi_schema schema = { size, nkeys, keys };
	int result;

	status = (struct status){ 0 };
	result = schema_check_config(&schema, &status);
	assert_true(result == (status_ok(&status) ? 0 : -1));
	return status.text;
}

static const char *
check_one(struct cosi_key key)
{
	return check(&key, 1, sizeof(struct sample));
}

static const struct cosi_key plain = { "text", COSI_T_STRING, 0, 0, NULL, NULL, "help" };

static void
test_schema__empty(void **state)
{
	(void)state;
	assert_string_equal(check(NULL, 0, 0), "");
	assert_string_equal(check(NULL, 1, 8), "the module has a malformed schema");
}

static void
test_schema__number_of_keys(void **state)
{
	struct cosi_key keys[SCHEMA_KEYS_MAX + 1];
	char names[SCHEMA_KEYS_MAX + 1][8];

	(void)state;
	for (size_t i = 0; i <= SCHEMA_KEYS_MAX; i++) {
		(void)snprintf(names[i], sizeof names[i], "k%zu", i);
		keys[i] = plain;
		keys[i].name = names[i];
	}
	assert_string_equal(check(keys, SCHEMA_KEYS_MAX, 8), "");
	assert_string_equal(check(keys, SCHEMA_KEYS_MAX + 1, 8),
			    "the module has a malformed schema");
	assert_string_equal(check(keys, 1, SCHEMA_SIZE_MAX), "");
	assert_string_equal(check(keys, 1, SCHEMA_SIZE_MAX + 1),
			    "the module has a malformed schema");
}

static void
test_schema__lengths(void **state)
{
	char text[SCHEMA_TEXT_MAX + 2] = { 0 };
	struct cosi_key key = plain;

	(void)state;
	memset(text, 'x', SCHEMA_TEXT_MAX);
	key.help = key.fallback = text;
	assert_string_equal(check_one(key), "");
	text[SCHEMA_TEXT_MAX] = 'x';
	assert_string_equal(check_one(key), "key 'text' has no help");
	key.help = "help";
	assert_string_equal(check_one(key), "key 'text' has a malformed default");
	key = plain;
	key.name = text;
	text[64] = '\0';
	assert_string_equal(check_one(key), "");
	text[64] = 'x';
	assert_string_equal(check_one(key), "a key has a malformed name");
}

static void
test_schema__member_at_the_end(void **state)
{
	struct cosi_key key = plain;

	(void)state;
	assert_string_equal(check(&key, 1, sizeof(char *)), "");
	assert_string_equal(check(&key, 1, sizeof(char *) - 1),
			    "key 'text' lies outside of its struct");
	key.offset = SIZE_MAX - 7;
	assert_string_equal(check_one(key), "key 'text' lies outside of its struct");
	key = (struct cosi_key){ "flag", COSI_T_BOOL, 0,     sizeof(struct sample) - 1,
				 NULL,   NULL,        "help" };
	assert_string_equal(check_one(key), "");
	key.offset++;
	assert_string_equal(check_one(key), "key 'flag' lies outside of its struct");
}

static void
test_schema__defaults(void **state)
{
	static const struct {
		uint32_t type;
		const char *choices, *good, *bad;
	} cases[] = {
		{ COSI_T_BOOL, NULL, "true", "yes" },
		{ COSI_T_INT, NULL, "42", "4.2" },
		{ COSI_T_SIZE, NULL, "10Gi", "10 Gi" },
		{ COSI_T_MSEC, NULL, "250ms", "250" },
		{ COSI_T_URL, NULL, "https://a.example.org", "a.example.org" },
		{ COSI_T_ENUM, "one two", "two", "tw" },
		{ COSI_T_PATH, NULL, "/etc", "etc" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct cosi_key key = { "key",         cases[i].type,    0,     0,
					cases[i].good, cases[i].choices, "help" };

		assert_string_equal(check_one(key), "");
		key.fallback = cases[i].bad;
		assert_non_null(strstr(check_one(key), "key 'key' cannot take its default '"));
		key.fallback = NULL;
		assert_string_equal(check_one(key), "");
		key.fallback = "";
		assert_string_equal(check_one(key), "key 'key' has a malformed default");
	}
	assert_string_equal(
		check_one((struct cosi_key){ "key", COSI_T_SECRET, 0, 0, "x", NULL, "help" }),
		"key 'key' cannot take its default 'x': cannot be given as a text");
}

static void
test_schema__choices(void **state)
{
	struct cosi_key key = plain;

	(void)state;
	key.choices = "a b";
	assert_string_equal(check_one(key), "key 'text' has bad choices");
	key.type = COSI_T_ENUM;
	assert_string_equal(check_one(key), "");
	key.choices = NULL;
	assert_string_equal(check_one(key), "key 'text' has bad choices");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema__empty),
		cmocka_unit_test(test_schema__number_of_keys),
		cmocka_unit_test(test_schema__lengths),
		cmocka_unit_test(test_schema__member_at_the_end),
		cmocka_unit_test(test_schema__defaults),
		cmocka_unit_test(test_schema__choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
