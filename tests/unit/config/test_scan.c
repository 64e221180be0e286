/* SPDX-License-Identifier: Apache-2.0
 * test_scan.c - what libconfig would take without a word. */
#include "config/load.h"

#include "files.h"

#include "banned.h"

static void
check_bytes(const char *text, size_t len, const char *lines)
{
	struct diag diag = { 0 };

	file_scan(text, len, "f", &diag);
	assert_string_equal(files_lines(&diag), lines);
}

static void
check(const char *text, const char *lines)
{
	check_bytes(text, strlen(text), lines);
}

static void
test_numbers__that_do_not_fit(void **state)
{
	static const char wide[] = "f:1: a number above 2147483647 needs an L at its end\n";

	(void)state;
	check("a = 2147483647;", "");
	check("a = 2147483648;", wide);
	check("a = -2147483648;", wide);
	check("a = 99999999999;", wide);
	check("a = 2147483648L; b = 9223372036854775807L;", "");
	check("a = 9223372036854775808L;", "f:1: the number is too large\n");
	check("a = [ 1,\n99999999999999999999999999999999999999 ];",
	      "f:2: the number is too large\n");
	check("a = 0x10;", "f:1: write numbers in decimal\n");
	check("a = 0X10;", "f:1: write numbers in decimal\n");
	check("a = 0;", "");
	check("a99999999999 = 1; b = \"99999999999\"; # 99999999999\n// 99999999999\n/* "
	      "99999999999 */",
	      "");
}

static void
test_comments_and_strings__without_end(void **state)
{
	(void)state;
	check("a = 1;\n/* b\n\n", "f:2: the comment that begins here has no end\n");
	check("/* a */ b = 1; /**/ c = \"/*\"; # /*\n// /*\n", "");
	check("a = 1;\nb = \"c\n\n", "f:2: the string has no closing quote on its line\n");
	/* A quote that is missing is reported where it is missing, and nothing after it. */
	check("a = \"b;\nc = \"d\"; e = \"f\n",
	      "f:1: the string has no closing quote on its line\n");
	check("a = \"b\\\"\n", "f:1: the string has no closing quote on its line\n");
	check("a = \"b\\\\\"; c = \"\\\"\";", "");
	check("a = \"\\", "f:1: the string has no closing quote on its line\n");
	check("/*/", "f:1: the comment that begins here has no end\n");
}

static void
test_strings__with_a_nul(void **state)
{
	(void)state;
	check("\na = \"bc\\x00d\";", "f:2: a NUL within a string\n");
	check("a = \"\\\\x00 \\x01\";", "");
}

static void
test_bytes__that_are_not_text(void **state)
{
	(void)state;
	check_bytes("a = 1;\n\0b", 9, "f:2: a control character\n");
	check("a = \"\x1b\";", "f:1: a control character\n");
	check("\n\n# \xff", "f:3: the text is not UTF-8\n");
	check("# \x7f", "f:1: a control character\n");
	check("\xef\xbb\xbf"
	      "a = 1;",
	      "f:1: a byte order mark: save the file as UTF-8 without one\n");
	check("# \xc3\xa4\t\r\n\f", "");
}

static void
test_include__is_refused(void **state)
{
	static const char one[] =
		"@include is not allowed here; files are added with include_dir\n";
	char want[256];

	(void)state;
	(void)snprintf(want, sizeof want, "f:1: %s", one);
	check("@include \"/etc/passwd\"", want);
	(void)snprintf(want, sizeof want, "f:2: %s", one);
	check("a = 1;\n \t@include \"x\"\n", want);
	check("# @include \"x\"\na = \" @include\"; /*\n@include \"x\"\n*/", "");
	check("a = 1;\n@incl", "");
}

static void
test_depth__limit(void **state)
{
	(void)state;
	check("a=((((((((((((((((1))))))))))))))));", "");
	check("a=((((((((((((((((\n(1)))))))))))))))));",
	      "f:2: more than 16 groups and lists within another\n");
	check("a = \"((((((((((((((((((((((\";", "");
}

/* Ten thousand levels would take libconfig's stack; they do not reach it. */
static void
test_depth__hostile(void **state)
{
	char *text = test_malloc(20001);
	struct diag diag = { 0 };

	(void)state;
	memset(text, '{', 20000);
	text[20000] = '\0';
	assert_null(config_load(files_put("deep.conf", text), &diag));
	assert_string_equal(files_lines(&diag),
			    "deep.conf:1: more than 16 groups and lists within another\n");
	test_free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers__that_do_not_fit),
		cmocka_unit_test(test_comments_and_strings__without_end),
		cmocka_unit_test(test_strings__with_a_nul),
		cmocka_unit_test(test_bytes__that_are_not_text),
		cmocka_unit_test(test_include__is_refused),
		cmocka_unit_test(test_depth__limit),
		cmocka_unit_test(test_depth__hostile),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
