/* SPDX-License-Identifier: Apache-2.0
 * test_diag.c - messages as file:line: text, counted, escaped and cut. */
#include "config/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../base/capture.h"
#include "base/log.h"
#include "base/secret.h"
#include "config/load.h"

#include "banned.h"

static void
test_lines__where_and_what(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	diag_error(&diag, "a.conf", 3, "unknown key '%s'", "x");
	diag_warning(&diag, "a.conf", 0, "empty");
	diag_error(&diag, NULL, 0, "nowhere");
	assert_int_equal(diag.nerrors, 2);
	assert_int_equal(diag.nwarnings, 1);
	assert_int_equal(diag.nlines, 3);
	assert_string_equal(diag.lines[0], "a.conf:3: unknown key 'x'");
	assert_string_equal(diag.lines[1], "a.conf: warning: empty");
	assert_string_equal(diag.lines[2], "nowhere");
	diag_done(&diag);
	assert_int_equal(diag.nlines, 0);
	assert_int_equal(diag.nerrors, 0);
}

static void
test_lines__limit(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	for (int i = 0; i < DIAG_MAX + 5; i++)
		diag_error(&diag, "f", i + 1, "e");
	assert_int_equal(diag.nlines, DIAG_MAX);
	assert_int_equal(diag.nerrors, DIAG_MAX + 5);
	assert_string_equal(diag.lines[DIAG_MAX - 1], "f:64: e");
	diag_done(&diag);
}

/* Each error takes the place of the last warning; what stays keeps its order. */
static void
test_lines__errors_before_warnings(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	diag_error(&diag, "f", 1, "first");
	for (int i = 1; i < DIAG_MAX + 3; i++)
		diag_warning(&diag, "f", i + 1, "w");
	diag_error(&diag, "f", 100, "e");
	diag_error(&diag, "f", 101, "e");
	diag_warning(&diag, "f", 102, "w");
	assert_int_equal(diag.nlines, DIAG_MAX);
	assert_int_equal(diag.nerrors, 3);
	assert_int_equal(diag.nwarnings, DIAG_MAX + 3);
	assert_string_equal(diag.lines[0], "f:1: first");
	assert_string_equal(diag.lines[1], "f:2: warning: w");
	assert_string_equal(diag.lines[DIAG_MAX - 3], "f:62: warning: w");
	assert_string_equal(diag.lines[DIAG_MAX - 2], "f:100: e");
	assert_string_equal(diag.lines[DIAG_MAX - 1], "f:101: e");
	for (int i = 0; i < DIAG_MAX; i++)
		diag_error(&diag, "g", i + 1, "e");
	assert_int_equal(diag.nlines, DIAG_MAX);
	assert_string_equal(diag.lines[1], "f:100: e");
	assert_string_equal(diag.lines[DIAG_MAX - 1], "g:61: e");
	diag_done(&diag);
}

static void
test_lines__one_line_each(void **state)
{
	struct diag diag = { 0 };
	char *text = test_malloc(5001);

	(void)state;
	diag_error(&diag, "a\nb\\c.conf", 1, "x\x1b[0m\r\xff");
	assert_string_equal(diag.lines[0], "a\\nb\\c.conf:1: x\\u001b[0m\\r\\xff");
	memset(text, 't', 5000);
	text[5000] = '\0';
	diag_error(&diag, "f", 1, "%s", text);
	assert_int_equal(strlen(diag.lines[1]), 2048);
	assert_string_equal(diag.lines[1] + 2044, "t...");
	text[2048 - strlen("f:1: ")] = '\0';
	diag_error(&diag, "f", 1, "%s", text);
	assert_int_equal(strlen(diag.lines[2]), 2048);
	assert_null(strstr(diag.lines[2], "..."));
	test_free(text);
	diag_done(&diag);
}

static void
test_lines__path_that_fills_them(void **state)
{
	struct diag diag = { 0 };
	char path[DIAG_TEXT_MAX + 100];

	(void)state;
	memset(path, 'p', sizeof path);
	for (size_t len = DIAG_TEXT_MAX - 20; len < sizeof path; len++) {
		path[len] = '\0';
		diag_warning(&diag, path, 0, "a text that is cut");
		diag_error(&diag, path, 0, "a text that is cut");
		path[len] = 'p';
		assert_in_range(strlen(diag.lines[0]), DIAG_TEXT_MAX - 10, DIAG_TEXT_MAX);
		assert_memory_equal(diag.lines[0] + diag.marks[0], "warning: ", 9);
		assert_in_range(strlen(diag.lines[1]), DIAG_TEXT_MAX - 10, DIAG_TEXT_MAX);
		diag_done(&diag);
	}
}

/* The log has a word for it already. */
static void
test_log__says_warning_once(void **state)
{
	struct diag diag = { 0 };
	char long_name[3000];

	(void)state;
	memset(long_name, 'l', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	diag_warning(&diag, "a.conf", 3, "'x' is warning: set");
	diag_error(&diag, "a.conf", 4, "warning: no key");
	diag_warning(&diag, NULL, 0, "nowhere");
	diag_warning(&diag, long_name, 1, "y");
	capture_start();
	diag_log(&diag);
	capture_end();
	assert_non_null(strstr(got, " warning a.conf:3: 'x' is warning: set\n"));
	assert_non_null(strstr(got, " error a.conf:4: warning: no key\n"));
	assert_non_null(strstr(got, " warning nowhere\n"));
	diag_done(&diag);
}

/* What is escaped already is not escaped again. */
static void
test_log__controls_are_shown_once(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	diag_error(&diag, "a\nb\\c.conf", 1, "x\x1b[0m");
	diag_warning(&diag, "a\nb.conf", 2, "y");
	capture_start();
	diag_log(&diag);
	capture_end();
	assert_non_null(strstr(got, " error a\\nb\\c.conf:1: x\\u001b[0m\n"));
	assert_non_null(strstr(got, " warning a\\nb.conf:2: y\n"));
	log_setup(COSI_INFO, true);
	capture_start();
	diag_log(&diag);
	capture_end();
	log_setup(COSI_INFO, false);
	assert_non_null(strstr(got, ",\"msg\":\"a\\\\nb\\\\c.conf:1: x\\\\u001b[0m\"}\n"));
	diag_done(&diag);
}

static void
test_log__counts_the_rest(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	for (int i = 0; i < DIAG_MAX + 2; i++)
		diag_error(&diag, "f", i + 1, "e");
	capture_start();
	diag_log(&diag);
	capture_end();
	assert_non_null(strstr(got, " warning ... and 2 more\n"));
	diag_done(&diag);
}

/* What is quoted from a file is cut before it is masked. */
static void
test_group__cut_leaves_no_part_of_a_secret(void **state)
{
	static const char text[] =
		"a secret that is sixty-four letters long, and cut within itself.";
	struct secret *secret = secret_new(text, sizeof text - 1);
	struct diag diag = { 0 };
	const struct reader reader = { .diag = &diag, .file = "f" };
	char quoted[DIAG_TEXT_MAX + sizeof text];

	(void)state;
	assert_non_null(secret);
	memset(quoted, '.', sizeof quoted);
	memcpy(quoted + DIAG_TEXT_MAX - sizeof text + 8, text, sizeof text);
	group_error(&reader, NULL, "%s", quoted);
	assert_int_equal(diag.nerrors, 1);
	assert_null(strstr(diag.lines[0], "a secret"));
	diag_done(&diag);
	secret_free(secret);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines__where_and_what),
		cmocka_unit_test(test_lines__limit),
		cmocka_unit_test(test_lines__errors_before_warnings),
		cmocka_unit_test(test_lines__one_line_each),
		cmocka_unit_test(test_lines__path_that_fills_them),
		cmocka_unit_test(test_log__says_warning_once),
		cmocka_unit_test(test_log__controls_are_shown_once),
		cmocka_unit_test(test_log__counts_the_rest),
		cmocka_unit_test(test_group__cut_leaves_no_part_of_a_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
