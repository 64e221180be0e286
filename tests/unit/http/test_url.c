/* SPDX-License-Identifier: Apache-2.0
 * test_url.c - base URLs and labels: what goes over the wire, what is refused. */
#include "http/request.h"

#include "rig.h"

#include "banned.h"

static void
check(const char *base, const char *label, const char *scheme, const char *host, const char *path)
{
	struct arena arena;
	const struct cosi_url *url;

	arena_init(&arena, 65536);
	url = http_url(NULL, &arena, base, label);
	assert_string_equal(url->scheme, scheme);
	assert_string_equal(url->host, host);
	assert_string_equal(url->path, path);
	arena_done(&arena);
}

static void
test_url__pieces(void **state)
{
	(void)state;
	check("http://127.0.0.1:8000", NULL, "http", "127.0.0.1:8000", "");
	check("https://s3.example.org", NULL, "https", "s3.example.org", "");
	check("https://s3.example.org/", NULL, "https", "s3.example.org", "");
	check("https://example.org/s3/v1/", NULL, "https", "example.org", "/s3/v1");
	check("http://[::1]:8000/x", NULL, "http", "[::1]:8000", "/x");
	check("http://[fe80::1]", NULL, "http", "[fe80::1]", "");
}

static void
test_url__own_port_is_left_out(void **state)
{
	(void)state;
	check("http://a:80", NULL, "http", "a", "");
	check("https://a:443/p", NULL, "https", "a", "/p");
	check("http://a:443", NULL, "http", "a:443", "");
	check("https://a:80", NULL, "https", "a:80", "");
	check("http://a:08000", NULL, "http", "a:8000", "");
}

static void
test_url__label_before_the_host(void **state)
{
	(void)state;
	check("http://s3.example.org:8000", "photos", "http", "photos.s3.example.org:8000", "");
	check("https://s3.example.org/x", "a.b-c", "https", "a.b-c.s3.example.org", "/x");
}

static void
test_url__refused_is_empty(void **state)
{
	static const char *const bad[] = {
		"",
		"a",
		"ftp://a",
		"HTTP://a",
		"http://",
		"http:///x",
		"http://a b",
		"http://a/b c",
		"http://a?x",
		"http://a/b?x",
		"http://a#b",
		"http://u@a",
		"http://u:p@a",
		"http://a:",
		"http://a:0",
		"http://a:65536",
		"http://a:8x",
		"http://a:1:2",
		"http://[::1",
		"http://[]",
		"http://[::1]x",
		"http://[::g]",
		"http://a/\x7f",
		"http://a/\xc3\xa4",
		"http://\xc3\xa4",
		"http://.a",
		"http://a/x\r\ny",
		"http://:80",
		"https:/a",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		check(bad[i], NULL, "", "", "");
	check("http://a", "", "", "", "");
	check("http://a", ".b", "", "", "");
	check("http://a", "b/c", "", "", "");
	check("http://a", "b c", "", "", "");
	check("http://[::1]", "b", "", "", "");
}

static void
test_url__host_length(void **state)
{
	char base[7 + 256 + 1] = "http://", host[257];

	(void)state;
	memset(host, 'a', 256);
	host[255] = '\0';
	memcpy(base + 7, host, 256);
	check(base, NULL, "http", host, "");
	base[7 + 255] = 'a';
	check(base, NULL, "", "", "");
}

static void
test_url__full_arena(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 8);
	assert_string_equal(http_url(NULL, &arena, "http://a", NULL)->host, "");
	assert_true(arena_failed(&arena));
	arena_done(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_url__pieces),
		cmocka_unit_test(test_url__own_port_is_left_out),
		cmocka_unit_test(test_url__label_before_the_host),
		cmocka_unit_test(test_url__refused_is_empty),
		cmocka_unit_test(test_url__host_length),
		cmocka_unit_test(test_url__full_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
