/* SPDX-License-Identifier: Apache-2.0
 * test_params.c - request parameters by a schema, and their canonical spelling. */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/value.h"

#include "banned.h"

struct params {
	const char *region, *mode, *site, *path, *needed, *secret;
	bool versioning;
	int64_t objects, size, time;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct params, region, 0, NULL, ""),
	COSI_ENUM(struct params, mode, "readWrite", "readWrite readOnly", ""),
	COSI_URL(struct params, site, 0, NULL, ""),
	COSI_PATH(struct params, path, 0, NULL, ""),
	COSI_BOOL(struct params, versioning, NULL, ""),
	COSI_INT(struct params, objects, 0, NULL, ""),
	COSI_SIZE(struct params, size, 0, "1Ki", ""),
	COSI_MSEC(struct params, time, 0, NULL, ""),
};
static const struct cosi_schema schema = COSI_SCHEMA(struct params, keys);

static void
test_params__every_type_canonical(void **state)
{
	static const struct cosi_kv given[] = {
		{ "region", "eu" }, { "mode", "readOnly" },   { "site", "http://h/x/" },
		{ "path", "/a/" },  { "versioning", "true" }, { "objects", "010" },
		{ "size", "10Gi" }, { "time", "5m" },
	};
	static const char *const want[] = { "eu",   "readOnly", "http://h/x",  "/a/",
					    "true", "10",       "10737418240", "300000" };
	const char *canonical[8], *error = NULL;
	struct params params = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena, 65536);
	assert_int_equal(config_params(&schema, given, 8, true, &params, &arena, canonical, &error),
			 0);
	assert_null(error);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(canonical[i], want[i]);
	assert_true(params.versioning);
	assert_int_equal(params.size, INT64_C(10737418240));
	assert_string_equal(params.site, "http://h/x");
	arena_done(&arena);
}

static void
test_params__absent(void **state)
{
	const char *error = NULL;
	struct params params = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena, 65536);
	assert_int_equal(config_params(&schema, NULL, 0, true, &params, &arena, NULL, &error), 0);
	assert_null(params.region);
	assert_string_equal(params.mode, "readWrite");
	assert_false(params.versioning);
	assert_int_equal(params.objects, 0);
	assert_int_equal(params.size, 1024);
	arena_done(&arena);
}

static void
check_error(const struct cosi_schema *by, const char *key, const char *value, const char *want)
{
	struct cosi_kv given = { key, value };
	const char *canonical[1], *error = NULL;
	struct params params = { 0 };
	struct arena arena;

	arena_init(&arena, 65536);
	assert_int_equal(config_params(by, &given, 1, true, &params, &arena, canonical, &error),
			 -1);
	assert_string_equal(error, want);
	arena_done(&arena);
}

static void
test_params__refused(void **state)
{
	(void)state;
	check_error(&schema, "Region", "x", "unknown parameter 'Region'");
	check_error(&schema, "region", "",
		    "parameter 'region': expected a text, found an empty one");
	check_error(&schema, "region", "a\nb",
		    "parameter 'region': the text holds a control character");
	check_error(&schema, "region", "\xff", "parameter 'region': the text is not UTF-8");
	check_error(&schema, "mode", "write",
		    "parameter 'mode': expected one of: readWrite readOnly");
	check_error(&schema, "mode", "read",
		    "parameter 'mode': expected one of: readWrite readOnly");
	check_error(&schema, "mode", "readWrite readOnly",
		    "parameter 'mode': expected one of: readWrite readOnly");
	check_error(&schema, "site", "h",
		    "parameter 'site': expected a URL with http:// or https://");
	check_error(&schema, "path", "a", "parameter 'path': expected an absolute path");
	check_error(&schema, "versioning", "yes", "parameter 'versioning': expected true or false");
	check_error(&schema, "objects", "-1",
		    "parameter 'objects': expected a whole number of at least 0");
	check_error(&schema, "size", "1GB",
		    "parameter 'size': expected a size in bytes such as 1024, 5M or 10Gi");
	check_error(&schema, "time", "10",
		    "parameter 'time': expected a duration such as 250ms, 10s, 5m or 24h");
}

/* The daemon's own types: positions of words, and limits of numbers. */
static void
test_params__words_and_limits(void **state)
{
	struct words {
		uint32_t choice;
		bool either;
		int64_t number;
	} out = { 0 };
	static const struct cosi_key wordy[] = {
		{ "choice", VALUE_CHOICE, 0, offsetof(struct words, choice), NULL, "a bc d", "" },
		{ "either", VALUE_EITHER, 0, offsetof(struct words, either), "no", "no yes", "" },
		{ "number", COSI_T_SIZE, 0, offsetof(struct words, number), NULL, "1k..", "" },
	};
	static const struct cosi_schema by = COSI_SCHEMA(struct words, wordy);
	static const struct cosi_kv given[] = { { "choice", "d" },
						{ "either", "yes" },
						{ "number", "1000" } };
	const char *canonical[3], *error = NULL;
	struct arena arena;

	(void)state;
	arena_init(&arena, 65536);
	assert_int_equal(config_params(&by, given, 3, true, &out, &arena, canonical, &error), 0);
	assert_int_equal(out.choice, 2);
	assert_true(out.either);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(canonical[i], given[i].value);
	arena_done(&arena);
	check_error(&by, "choice", "b", "parameter 'choice': expected one of: a bc d");
	check_error(&by, "either", "a", "parameter 'either': expected one of: no yes");
	check_error(&by, "number", "999", "parameter 'number': expected at least 1k");
}

static void
test_params__required(void **state)
{
	static const struct cosi_key needed[] = {
		COSI_STRING(struct params, needed, COSI_REQUIRED, NULL, ""),
		COSI_STRING(struct params, region, 0, NULL, ""),
	};
	static const struct cosi_schema by = COSI_SCHEMA(struct params, needed);
	struct params params = { 0 };
	const char *error = NULL;
	struct arena arena;

	(void)state;
	check_error(&by, "region", "x", "parameter 'needed' is required");
	arena_init(&arena, 65536);
	assert_int_equal(config_params(&by, NULL, 0, false, &params, &arena, NULL, &error), 0);
	assert_null(params.needed);
	arena_done(&arena);
}

static void
test_params__secrets_are_not_parameters(void **state)
{
	static const struct cosi_key secret[] = { COSI_SECRET(struct params, secret, 0, "") };
	static const struct cosi_schema by = COSI_SCHEMA(struct params, secret);

	(void)state;
	check_error(&by, "secret", "plain:x", "parameter 'secret': cannot be given as a text");
}

/* Every limit below what is needed ends in an error, none in a crash or a wrong success. */
static void
test_params__any_memory_failure(void **state)
{
	static const struct cosi_kv given[] = {
		{ "region", "eu" }, { "site", "http://h/x/" }, { "size", "10Gi" }, { "nope", "x" }
	};
	const char *canonical[4], *error;
	struct params params;
	struct arena arena;
	size_t cap;
	int rc = -1;

	(void)state;
	for (cap = 0; rc != 0 && cap < 4096; cap += 8) {
		params = (struct params){ 0 };
		error = NULL;
		arena_init(&arena, cap);
		rc = config_params(&schema, given, 3, true, &params, &arena, canonical, &error);
		assert_true((rc == 0) == (error == NULL));
		assert_true(rc == 0 || arena_failed(&arena));
		arena_done(&arena);
		arena_init(&arena, cap);
		assert_int_equal(
			config_params(&schema, given, 4, true, &params, &arena, canonical, &error),
			-1);
		assert_non_null(error);
		arena_done(&arena);
	}
	assert_int_equal(rc, 0);
	assert_true(cap > 64);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_params__every_type_canonical),
		cmocka_unit_test(test_params__absent),
		cmocka_unit_test(test_params__refused),
		cmocka_unit_test(test_params__words_and_limits),
		cmocka_unit_test(test_params__required),
		cmocka_unit_test(test_params__secrets_are_not_parameters),
		cmocka_unit_test(test_params__any_memory_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
