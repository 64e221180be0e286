/* SPDX-License-Identifier: Apache-2.0
 * test_join.c - what stands between the parts, and after the last. */
#include "text/join.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join__parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
