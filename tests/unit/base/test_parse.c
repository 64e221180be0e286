/* SPDX-License-Identifier: Apache-2.0
 * test_parse.c - what the strict readers take, and what they refuse without touching the result. */
#include "base/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

struct number {
	const char *word;
	int64_t value; /* -1: refused */
};

static void
check(int (*parse)(const char *, int64_t *), const struct number *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t value = -1;
		int result = parse(numbers[i].word, &value);

		if (value != numbers[i].value || (result == 0) != (value >= 0))
			fail_msg("'%s' gave %d, %lld", numbers[i].word, result, (long long)value);
	}
}

static void
test_bool__two_words(void **state)
{
	static const char *const bad[] = { "", "True", "yes", "1", "true ", " true", "truefalse" };
	bool value = false;

	(void)state;
	assert_int_equal(parse_bool("true", &value), 0);
	assert_true(value);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(parse_bool(bad[i], &value), -1);
		assert_true(value);
	}
	assert_int_equal(parse_bool("false", &value), 0);
	assert_false(value);
}

static void
test_int__limits(void **state)
{
	static const struct number numbers[] = {
		{ "0", 0 },    { "7", 7 },    { "9223372036854775807", INT64_MAX },
		{ "007", 7 },  { "", -1 },    { "9223372036854775808", -1 },
		{ "-1", -1 },  { "+1", -1 },  { "99999999999999999999999", -1 },
		{ " 1", -1 },  { "1 ", -1 },  { "0x10", -1 },
		{ "1.0", -1 }, { "1e3", -1 }, { "1k", -1 },
	};

	(void)state;
	check(parse_int, numbers, sizeof numbers / sizeof numbers[0]);
}

static void
test_size__units(void **state)
{
	static const struct number numbers[] = {
		{ "1024", 1024 },
		{ "5k", 5000 },
		{ "5M", 5000000 },
		{ "5G", 5000000000 },
		{ "5T", 5000000000000 },
		{ "5P", 5000000000000000 },
		{ "10Ki", 10240 },
		{ "10Mi", 10485760 },
		{ "10Gi", 10737418240 },
		{ "1Ti", INT64_C(1) << 40 },
		{ "8191Pi", INT64_C(8191) << 50 },
		{ "8192Pi", -1 },
		{ "9223P", INT64_C(9223000000000000000) },
		{ "9224P", -1 },
		{ "0", 0 },
		{ "", -1 },
		{ "Gi", -1 },
		{ "10GiB", -1 },
		{ "10gi", -1 },
		{ "10 Gi", -1 },
		{ "1.5Gi", -1 },
		{ "-5M", -1 },
		{ "5K", -1 },
		{ "5m", -1 },
	};

	(void)state;
	check(parse_size, numbers, sizeof numbers / sizeof numbers[0]);
}

static void
test_duration__unit_is_required(void **state)
{
	static const struct number numbers[] = {
		{ "250ms", 250 },
		{ "10s", 10000 },
		{ "5m", 300000 },
		{ "24h", 86400000 },
		{ "0s", 0 },
		{ "0", -1 },
		{ "10", -1 },
		{ "", -1 },
		{ "s", -1 },
		{ "1.5s", -1 },
		{ "10S", -1 },
		{ "10 s", -1 },
		{ "1h30m", -1 },
		{ "10sec", -1 },
		{ "-1s", -1 },
		{ "1d", -1 },
		{ "2562047788015h", INT64_C(2562047788015) * 3600000 },
		{ "2562047788016h", -1 },
	};

	(void)state;
	check(parse_duration, numbers, sizeof numbers / sizeof numbers[0]);
}

static void
test_mode__octal(void **state)
{
	static const char *const bad[] = { "",      "0778", "1000", "01000",
					   "00660", "rw",   "-660", "0660 " };
	unsigned mode = 1;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(parse_mode(bad[i], &mode), -1);
		assert_int_equal(mode, 1);
	}
	assert_int_equal(parse_mode("0660", &mode), 0);
	assert_int_equal(mode, 0660);
	assert_int_equal(parse_mode("777", &mode), 0);
	assert_int_equal(mode, 0777);
	assert_int_equal(parse_mode("0", &mode), 0);
	assert_int_equal(mode, 0);
}

static void
test_glob__stars_and_marks(void **state)
{
	static const struct {
		const char *glob, *text;
		bool match;
	} cases[] = {
		{ "*", "", true },
		{ "*", "photos", true },
		{ "", "", true },
		{ "", "a", false },
		{ "photos-*", "photos-", true },
		{ "photos-*", "photos", false },
		{ "*-raw", "a-raw-raw", true },
		{ "*-raw", "a-raws", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "?", "", false },
		{ "a*b*c", "a-b-b-c", true },
		{ "a*b*c", "a-c-b", false },
		{ "**", "x", true },
		{ "[ab]", "a", false },
		{ "[ab]", "[ab]", true },
		{ "Photos", "photos", false },
		{ "a\\*", "a*", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (parse_glob_match(cases[i].glob, cases[i].text) != cases[i].match)
			fail_msg("'%s' against '%s'", cases[i].glob, cases[i].text);
}

/* A matcher that tries all ways would need 2^60 steps here. */
static void
test_glob__hostile_pattern_ends(void **state)
{
	char text[4096], glob[128];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (size_t i = 0; i < 120; i += 2)
		memcpy(glob + i, "*a", 2);
	memcpy(glob + 120, "*b", 3);
	assert_false(parse_glob_match(glob, text));
}

static void
test_utf8__borders(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		bool valid;
	} cases[] = {
		{ "", 0, true },
		{ "plain", 5, true },
		{ "\x7f", 1, true },
		{ "a\0b", 3, false },
		{ "\xc2\x80", 2, true },
		{ "\xc1\xbf", 2, false }, /* overlong */
		{ "\xdf\xbf", 2, true },
		{ "\xe0\x9f\xbf", 3, false }, /* overlong */
		{ "\xe0\xa0\x80", 3, true },
		{ "\xed\x9f\xbf", 3, true },
		{ "\xed\xa0\x80", 3, false }, /* surrogate */
		{ "\xee\x80\x80", 3, true },
		{ "\xf0\x8f\xbf\xbf", 4, false }, /* overlong */
		{ "\xf0\x90\x80\x80", 4, true },
		{ "\xf4\x8f\xbf\xbf", 4, true },
		{ "\xf4\x90\x80\x80", 4, false }, /* above U+10FFFF */
		{ "\xf8\x88\x80\x80\x80", 5, false },
		{ "\x80", 1, false },
		{ "\xc3", 1, false },
		{ "\xe2\x82", 2, false },
		{ "\xc3(", 2, false },
		{ "\xff", 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (parse_utf8(cases[i].text, cases[i].len) != cases[i].valid)
			fail_msg("case %zu", i);
}

static void
test_hex__all_bytes(void **state)
{
	static const unsigned char bytes[] = { 0x00, 0x0f, 0xa5, 0xff };
	char out[9];

	(void)state;
	parse_hex(bytes, sizeof bytes, out);
	assert_string_equal(out, "000fa5ff");
	parse_hex(bytes, 0, out);
	assert_string_equal(out, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bool__two_words),
		cmocka_unit_test(test_int__limits),
		cmocka_unit_test(test_size__units),
		cmocka_unit_test(test_duration__unit_is_required),
		cmocka_unit_test(test_mode__octal),
		cmocka_unit_test(test_glob__stars_and_marks),
		cmocka_unit_test(test_glob__hostile_pattern_ends),
		cmocka_unit_test(test_utf8__borders),
		cmocka_unit_test(test_hex__all_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
