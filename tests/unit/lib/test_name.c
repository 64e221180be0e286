/* SPDX-License-Identifier: Apache-2.0
 * test_name.c - which names buckets can have, and what the others become. */
#include "s3/name.h"

#include "unit.h"

#include "banned.h"

static void
test_rule__names_on_each_side(void **state)
{
	static const char *const good[] = { "abc", "a-b", "0.1", "xn--abc", "1.2.3", "1.2.3.a" };
	static const char *const bad[] = { "",     "ab",   "Abc",  "a_b",         "-ab",
					   "ab-",  "a..b", "a.-b", "a-.b",        ".ab",
					   "ab.",  "a b",  "a/b",  "192.168.5.4", "192.168.1.1000",
					   "a%2fb" };
	char longest[65];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_null(s3_name_broken_rule(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_non_null(s3_name_broken_rule(bad[i]));
	memset(longest, 'n', sizeof longest);
	longest[63] = '\0';
	assert_null(s3_name_broken_rule(longest));
	longest[63] = 'n';
	longest[64] = '\0';
	assert_non_null(s3_name_broken_rule(longest));
}

static void
test_hashed__keeps_the_rules_and_itself(void **state)
{
	static const char *const asked[] = { "Photos_2024", "\xc3\xbc", "--", "192.168.5.4", "a" };
	struct host host;
	char longest[254];
	const char *name;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		name = s3_name_map(&host.call, asked[i], "a rule", false);
		assert_null(s3_name_broken_rule(name));
		assert_string_equal(name, s3_name_map(&host.call, asked[i], "a rule", false));
	}
	memset(longest, 'X', sizeof longest);
	longest[253] = '\0';
	name = s3_name_map(&host.call, longest, "a rule", false);
	assert_null(s3_name_broken_rule(name));
	longest[252] = 'Y';
	assert_string_not_equal(name, s3_name_map(&host.call, longest, "a rule", false));
	host_done(&host);
}

static void
test_map__the_word_or_another(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(s3_name_map(&host.call, "photos", NULL, true), "photos");
	assert_string_equal(s3_name_map(&host.call, "Photos_2024", "a rule", false),
			    "photos-2024-c6ba3fa7c8c8");
	assert_int_equal(host.code, 0);
	assert_null(s3_name_map(&host.call, "Photos", "a rule", true));
	assert_int_equal(host.code, COSI_INVALID);
	assert_string_equal(host.text, "'Photos' cannot be the name of a bucket: a rule");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule__names_on_each_side),
		cmocka_unit_test(test_hashed__keeps_the_rules_and_itself),
		cmocka_unit_test(test_map__the_word_or_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
