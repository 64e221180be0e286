/* SPDX-License-Identifier: Apache-2.0
 * test_name.c - names of containers and accounts. */
#include <stdlib.h>

#include "azure.h"
#include "unit.h"

#include "banned.h"

#define A63 "a23456789-123456789-123456789-123456789-123456789-123456789-123"

static void
test_container__rules(void **state)
{
	static const char *const good[] = { "abc", "a-b", "1-2", "000", A63 };
	static const char *const bad[] = { "",    "ab",    "-ab",   "ab-",  "a--b", "a.b",
					   "aBc", "a_b",   "$root", "$web", "a/b",  "$logs",
					   "a b", A63 "4", "--",    "---",  "a%2",  "..." };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(azure_name_is_container(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(azure_name_is_container(bad[i]));
}

static void
expect_map(struct host *host, const char *asked, const char *expected)
{
	const char *name;

	host_reset(host);
	name = azure_map_name(NULL, &host->call, COSI_BUCKET, asked, false);
	assert_string_equal(name, expected);
	assert_true(azure_name_is_container(name));
	assert_string_equal(azure_map_name(NULL, &host->call, COSI_BUCKET, name, true), name);
}

/* For ever the same: ids are made of them. */
static void
test_map__to_a_legal_name(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	expect_map(&host, "photos", "photos");
	expect_map(&host, A63, A63);
	expect_map(&host, A63 "4",
		   "a23456789-123456789-123456789-123456789-123456789-51a51e38c052");
	expect_map(&host, "my.photos.2026", "my-photos-2026-11401af27f39");
	expect_map(&host, "Photos--", "photos-95ae61c73e6d");
	expect_map(&host, "--a..B--", "a-b-e1f41cc0c815");
	expect_map(&host, "$root", "root-ddcb2dfa42d8");
	expect_map(&host, "ab", "ab-fb8e20fc2e4c");
	expect_map(&host, "---", "bucket-cb3f91d54eee");
	expect_map(&host, "\xc3\xa4", "bucket-33e6d73fee82");
	host_done(&host);
}

static void
test_map__or_the_very_word(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(azure_map_name(NULL, &host.call, COSI_BUCKET, "photos", true),
			    "photos");
	assert_null(azure_map_name(NULL, &host.call, COSI_BUCKET, "$web", true));
	assert_int_equal(host.code, COSI_INVALID);
	assert_non_null(
		strstr(host.text, "'$web' cannot be the name of a container: a name has only a-z"));
	host_done(&host);
}

static void
test_account__as_long_as_a_policy_can_name(void **state)
{
	static const char longest[] = "cosi-6789-123456789-123456789-123456789-1234";
	static const char longer[] = "cosi-6789-123456789-123456789-123456789-12345";
	const char *mapped;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_ptr_equal(azure_map_name(NULL, &host.call, COSI_ACCOUNT, longest, false), longest);
	assert_true(azure_name_is_account(longest));
	assert_false(azure_name_is_account(longer));
	mapped = azure_map_name(NULL, &host.call, COSI_ACCOUNT, longer, false);
	assert_string_equal(mapped, "cosi-6789-123456789-123456789-1-7e1e60b2e9a7");
	assert_true(azure_name_is_account(mapped));
	assert_false(azure_name_is_account("cosi-"));
	assert_false(azure_name_is_account("ba-1"));
	assert_false(azure_name_is_account("cosi-a.b"));
	assert_false(azure_name_is_account("cosi-A"));
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_container__rules),
		cmocka_unit_test(test_map__to_a_legal_name),
		cmocka_unit_test(test_map__or_the_very_word),
		cmocka_unit_test(test_account__as_long_as_a_policy_can_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
