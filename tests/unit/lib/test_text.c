/* SPDX-License-Identifier: Apache-2.0
 * test_text.c - what stands between joined parts; percent-encoding. */
#include "text/text.h"

#include "unit.h"

#include "banned.h"

static void
test_join__parts(void **state)
{
	static const struct cosi_kv parts[] = { { "a", "1" }, { "bc", "" }, { "", "2" } };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(text_join(&host.call, parts, 3, "=", "&", ""), "a=1&bc=&=2");
	assert_string_equal(text_join(&host.call, parts, 3, ":", "\n", "\n"), "a:1\nbc:\n:2\n");
	assert_string_equal(text_join(&host.call, parts, 2, NULL, "; ", "."), "a; bc.");
	assert_string_equal(text_join(&host.call, parts, 1, "=", "&", ""), "a=1");
	assert_string_equal(text_join(&host.call, parts, 0, "=", "&", "."), "");
	host_done(&host);
}

static void
test_encode__every_byte(void **state)
{
	struct host host;
	char all[256];

	(void)state;
	host_init(&host, NULL);
	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	assert_string_equal(uri_encode(&host.call, "a-b._~/Z0"), "a-b._~%2FZ0");
	assert_string_equal(uri_encode_path(&host.call, "/a b/$+%"), "/a%20b/%24%2B%25");
	assert_string_equal(uri_encode(&host.call, "\xc3\xbc"), "%C3%BC");
	assert_int_equal(strlen(uri_encode(&host.call, all)), 66 + 3 * (255 - 66));
	host_done(&host);
}

static void
test_decode__forms(void **state)
{
	char plain[] = "a%2fB%2F+%00x", cut[] = "ab%2", bad[] = "a%zz";

	(void)state;
	assert_int_equal(uri_decode(plain, strlen(plain)), 7);
	assert_memory_equal(plain, "a/B/+\0x", 8);
	assert_int_equal(uri_decode(cut, strlen(cut)), -1);
	assert_int_equal(uri_decode(bad, strlen(bad)), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join__parts),
		cmocka_unit_test(test_encode__every_byte),
		cmocka_unit_test(test_decode__forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
