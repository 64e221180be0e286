/* SPDX-License-Identifier: Apache-2.0
 * test_chars.c - each control at both of its borders, and what counts as clean. */
#include "base/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

static void
test_is_control__every_range_at_its_borders(void **state)
{
	static const uint32_t controls[] = { 0,      0x1f,   0x7f,   0x80,   0x9f,
					     0x61c,  0x200e, 0x200f, 0x2028, 0x2029,
					     0x202a, 0x202e, 0x2066, 0x2069, 0xfeff };
	static const uint32_t others[] = {
		0x20,   0x7e,   0xa0,   0x61b,  0x61d,  0x200d,  0x2010,
		0x2027, 0x202f, 0x2065, 0x206a, 0xfefe, 0x1f600, 0xff00
	};

	(void)state;
	for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++)
		assert_true(chars_is_control(controls[i]));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_false(chars_is_control(others[i]));
}

static void
test_clean_len__stops_at_what_may_not_be_shown(void **state)
{
	static const struct {
		const char *text;
		size_t clean;
	} cases[] = {
		{ "", 0 },
		{ "photos", 6 },
		{ "caf\xc3\xa9", 5 },
		{ "a\nb", 1 },
		{ "ab\x7f", 2 },
		{ "a\xc2\x85", 1 },       /* NEL, a C1 control */
		{ "abc\xe2\x80\xae", 3 }, /* right-to-left override */
		{ "ab\xff", 2 },
		{ "ab\xc3", 2 }, /* a character that is cut off */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(chars_clean_len(cases[i].text, strlen(cases[i].text)),
				 cases[i].clean);
	assert_int_equal(chars_clean_len("a\0b", 3), 1);
}

static void
test_only__not_empty_and_of_the_set(void **state)
{
	(void)state;
	assert_true(chars_only("a-1", CHARS_LOWER CHARS_DIGIT "-"));
	assert_false(chars_only("a_1", CHARS_LOWER CHARS_DIGIT "-"));
	assert_false(chars_only("", CHARS_LOWER));
	assert_true(chars_only("aZ9", CHARS_ALNUM));
}

static void
test_near__one_slip_and_no_more(void **state)
{
	static const struct {
		const char *a, *b;
		bool near;
	} cases[] = {
		{ "grant", "grnt", true },      { "list", "lst", true },
		{ "grant", "rant", true },      { "list", "LIST", true },
		{ "list", "lists", true },      { "list", "last", true },
		{ "list", "lost1", false },     { "list", "tsil", false },
		{ "ab", "ac", false },          { "", "", false },
		{ "workers", "workerz", true }, { "workers", "wokrres", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(chars_is_near(cases[i].a, cases[i].b), cases[i].near);
		assert_int_equal(chars_is_near(cases[i].b, cases[i].a), cases[i].near);
	}
}

static void
test_classes__ascii_only(void **state)
{
	size_t ndigits = 0, nlower = 0, nalnum = 0;

	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		ndigits += chars_is_digit(c);
		nlower += chars_is_lower(c);
		nalnum += chars_is_alnum(c);
		assert_true(chars_is_alnum(c) == (c != 0 && strchr(CHARS_ALNUM, (int)c) != NULL));
	}
	assert_int_equal(ndigits, 10);
	assert_int_equal(nlower, 26);
	assert_int_equal(nalnum, 62);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_control__every_range_at_its_borders),
		cmocka_unit_test(test_clean_len__stops_at_what_may_not_be_shown),
		cmocka_unit_test(test_only__not_empty_and_of_the_set),
		cmocka_unit_test(test_near__one_slip_and_no_more),
		cmocka_unit_test(test_classes__ascii_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
