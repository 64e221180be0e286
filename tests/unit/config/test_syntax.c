/* SPDX-License-Identifier: Apache-2.0
 * test_syntax.c - the syntax of names and addresses, on both sides of each limit. */
#include "config/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

#define LABEL63 "a23456789-123456789-123456789-123456789-123456789-123456789-12x"

struct name {
	const char *text;
	bool good;
};

static void
check(const char *(*fn)(const char *), const struct name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *reason = fn(names[i].text);

		if ((reason == NULL) != names[i].good)
			fail_msg("'%s': %s", names[i].text, reason != NULL ? reason : "taken");
	}
}

static void
test_driver_name__rfc1035_in_lower_case(void **state)
{
	static const struct name names[] = {
		{ "cosid.example.org", true },
		{ "c", true },
		{ "a-b.c1", true },
		{ LABEL63, true },
		{ LABEL63 "x", false },
		{ "b." LABEL63, false },
		{ "", false },
		{ ".", false },
		{ "a.", false },
		{ ".a", false },
		{ "a..b", false },
		{ "1a", false },
		{ "a.1b", false },
		{ "-a", false },
		{ "a-", false },
		{ "a-.b", false },
		{ "A.b", false },
		{ "a_b", false },
		{ "a b", false },
		{ "\xc3\xa4", false },
	};

	(void)state;
	assert_int_equal(strlen(LABEL63), 63);
	check(syntax_driver_name, names, sizeof names / sizeof names[0]);
}

static void
test_owner__what_all_stores_keep(void **state)
{
	static const struct name names[] = {
		{ "cosid.example.org", true },
		{ "Team_A/1@x+y=z-", true },
		{ LABEL63, true },
		{ LABEL63 "x", false },
		{ "", false },
		{ "a:b", false },
		{ "a b", false },
		{ "a\"b", false },
		{ "\xc3\xa4", false },
	};

	(void)state;
	check(syntax_owner, names, sizeof names / sizeof names[0]);
}

static void
test_text__limits(void **state)
{
	char *text = test_malloc(SYNTAX_TEXT_MAX + 2);

	(void)state;
	memset(text, 't', SYNTAX_TEXT_MAX + 1);
	text[SYNTAX_TEXT_MAX] = '\0';
	assert_null(syntax_text(text));
	text[SYNTAX_TEXT_MAX] = 't';
	text[SYNTAX_TEXT_MAX + 1] = '\0';
	assert_string_equal(syntax_text(text), "the text is longer than 4096 bytes");
	text[5] = '\0';
	text[2] = '\n';
	assert_string_equal(syntax_text(text), "the text holds a control character");
	text[2] = (char)0xff;
	assert_string_equal(syntax_text(text), "the text is not UTF-8");
	test_free(text);
}

static void
test_path__absolute(void **state)
{
	char *path = test_malloc(4097);

	(void)state;
	memset(path, '/', 4096);
	path[4095] = '\0';
	assert_null(syntax_path(path));
	path[4095] = '/';
	path[4096] = '\0';
	assert_non_null(syntax_path(path));
	assert_non_null(syntax_path("a/b"));
	assert_non_null(syntax_path(""));
	test_free(path);
}

static void
test_endpoint__unix_sockets_alone(void **state)
{
	static const char *const bad[] = {
		"",
		"/run/cosi.sock",
		"unix:/run/cosi.sock",
		"unix://run/cosi.sock",
		"UNIX:///run/cosi.sock",
		"tcp://127.0.0.1:9000",
		"dns:///x.sock",
		"unix:///run/cosi",
		"unix:///run/cosi.socket",
		"unix:///run/.sock",
		"unix:///.sock",
		"unix:///",
		"unix:///run/a b.sock",
		"unix:///run/%41.sock",
	};
	char text[128] = "unix:///";
	const char *path = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (syntax_endpoint(bad[i], &path) == NULL || path != NULL)
			fail_msg("'%s' was taken", bad[i]);
	assert_null(syntax_endpoint("unix:///a.sock", &path));
	assert_string_equal(path, "/a.sock");
	memset(text + 8, 'p', 101);
	memcpy(text + 109, ".sock", 6);
	assert_int_equal(strlen(text + 7), 107);
	assert_null(syntax_endpoint(text, &path));
	memcpy(text + 109, "p.sock", 7);
	assert_string_equal(syntax_endpoint(text, &path),
			    "the path of a UNIX socket has 107 bytes at most");
}

static void
check_good_url(const char *text, const char *want)
{
	struct arena arena;
	const char *url = NULL, *reason;

	arena_init(&arena, 65536);
	reason = syntax_url(&arena, text, &url);
	if (reason != NULL)
		fail_msg("'%s': %s", text, reason);
	assert_string_equal(url, want);
	arena_done(&arena);
}

static void
test_url__slashes_at_the_end_go(void **state)
{
	(void)state;
	check_good_url("http://h", "http://h");
	check_good_url("http://h/", "http://h");
	check_good_url("https://h.example.org:443//", "https://h.example.org:443");
	check_good_url("http://h/a/b/", "http://h/a/b");
	check_good_url("http://10.0.0.1:8000/storage/v1", "http://10.0.0.1:8000/storage/v1");
	check_good_url("http://[::1]", "http://[::1]");
	check_good_url("http://[fd00::1]:7480/x", "http://[fd00::1]:7480/x");
	check_good_url("http://under_score-1.:1", "http://under_score-1.:1");
	check_good_url("http://h:65535/%7Ea@b:c", "http://h:65535/%7Ea@b:c");
}

static void
test_url__refused(void **state)
{
	static const char *const bad[] = {
		"",
		"h",
		"ftp://h",
		"HTTP://h",
		"http:/h",
		"http://",
		"http:///path",
		"http://:80",
		"http://h:",
		"http://h:0",
		"http://h:65536",
		"http://h:80x",
		"http://h:000080",
		"http://h:80:80",
		"http://user@h",
		"http://user:pass@h/",
		"http://h?x",
		"http://h/?x",
		"http://h/#x",
		"http://h#x",
		"http://h/a//b",
		"http://h/../b",
		"http://h/a/..",
		"http://h/./b",
		"http://h/a b",
		"http://h/\xc3\xa4",
		"http://h\\x",
		"http://-h",
		"http://h ost",
		"http://[::1",
		"http://[]",
		"http://[::g]",
		"http://[::1]x",
		"http://[::1]80",
	};
	struct arena arena;
	const char *url;

	(void)state;
	arena_init(&arena, 65536);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (syntax_url(&arena, bad[i], &url) == NULL)
			fail_msg("'%s' was taken", bad[i]);
	arena_done(&arena);
}

static void
test_url__limits(void **state)
{
	char text[SYNTAX_URL_MAX + 2] = "http://h/";
	struct arena arena;
	const char *url;

	(void)state;
	arena_init(&arena, 65536);
	memset(text + 9, 'p', sizeof text - 9);
	text[SYNTAX_URL_MAX] = '\0';
	assert_null(syntax_url(&arena, text, &url));
	text[SYNTAX_URL_MAX] = 'p';
	text[SYNTAX_URL_MAX + 1] = '\0';
	assert_string_equal(syntax_url(&arena, text, &url), "the URL is longer than 1024 bytes");
	arena_done(&arena);
	arena_init(&arena, 0);
	assert_string_equal(syntax_url(&arena, "http://h/a", &url), "out of memory");
	arena_done(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_driver_name__rfc1035_in_lower_case),
		cmocka_unit_test(test_owner__what_all_stores_keep),
		cmocka_unit_test(test_text__limits),
		cmocka_unit_test(test_path__absolute),
		cmocka_unit_test(test_endpoint__unix_sockets_alone),
		cmocka_unit_test(test_url__slashes_at_the_end_go),
		cmocka_unit_test(test_url__refused),
		cmocka_unit_test(test_url__limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
