/* SPDX-License-Identifier: Apache-2.0
 * test_policy.c - ids of policies: whose, of which account, with which parameters; dates. */
#include "policy.h"

#include "azure_script.h"

#include "banned.h"

static const struct policy_request wish = {
	.account = "cosi-ba-1",
	.owner = OWNER,
	.params = PARAMS,
	.mode = COSI_READ_WRITE,
};

static void
test_id__form(void **state)
{
	const char *one, *other;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	one = policy_new_id(&host.call, &wish);
	other = policy_new_id(&host.call, &wish);
	assert_int_equal(strlen(one), strlen("cosi-ba-1") + 20);
	assert_int_equal(strspn(one + 10, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), 8);
	/* SHA-256 of the owner, and of the mark */
	assert_string_equal(one + 18, ".6B37OHA46Y");
	assert_string_not_equal(one, other);
	host_done(&host);
}

/* The longest account's policy is as long as Azure allows. */
static void
test_id__fits(void **state)
{
	struct policy_request longest = wish;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	longest.account = "cosi-6789-123456789-123456789-123456789-1234";
	assert_int_equal(strlen(longest.account), POLICY_ACCOUNT_MAX);
	assert_int_equal(strlen(policy_new_id(&host.call, &longest)), POLICY_ID_MAX);
	host_done(&host);
}

static void
test_id__whose(void **state)
{
	struct policy_request other = wish;
	const char *id, *account;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	id = policy_new_id(&host.call, &wish);
	assert_true(policy_is_of(&host.call, id, &wish));
	assert_true(policy_has_params(&host.call, id, &wish));
	assert_true(policy_is_owned(&host.call, id, OWNER, &account));
	assert_string_equal(account, "cosi-ba-1");
	assert_false(policy_is_owned(&host.call, id, "other.example.org", &account));
	/* Its SHA-256 begins with the same 16 bits. */
	assert_false(policy_is_owned(&host.call, id, "cosid-512.example.org", &account));
	other.params = "1:other";
	assert_true(policy_is_of(&host.call, id, &other));
	assert_false(policy_has_params(&host.call, id, &other));
	other.account = "cosi-ba";
	assert_false(policy_is_of(&host.call, id, &other));
	other.account = "cosi-ba-11";
	assert_false(policy_is_of(&host.call, id, &other));
	host_done(&host);
}

/* What an administrator may call his own. */
static void
test_id__of_others(void **state)
{
	static const char *const foreign[] = {
		"",
		"cosi-ba-1",
		"cosi-ba-1.",
		"cosi-ba-1.5d0e93c1.f0773839ec",
		"cosi-ba-1.ABCDEF2",
		"cosi-ba-1.ABCDEF27",
		"cosi-ba-1.ABCDEF27.",
		"cosi-ba-1.ABCDEF27.AAAA",
		"cosi-ba-1.ABCDEF21.TAIL",
		"cosi-ba-1.ABCDEF27A.TAIL",
		"cosi-ba-1.ABCDEF27.TAILA",
		"cosi-ba-1.ABCDEF27.TAIL.",
		"cosi-ba-1.x.ABCDEF27.TAIL",
		"ba-1.ABCDEF27.TAIL",
		"cosi-.ABCDEF27.TAIL",
		"cosi-Ba.ABCDEF27.TAIL",
		".ABCDEF27.TAIL",
	};
	const char *tail, *account = NULL, *id;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	tail = policy_new_id(&host.call, &wish) + strlen("cosi-ba-1.ABCDEF27.");
	for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
		const char *mark = strstr(foreign[i], "TAIL");

		id = mark == NULL ? foreign[i]
				  : cosi_printf(&host.call, "%.*s%s%s", (int)(mark - foreign[i]),
						foreign[i], tail, mark + 4);
		assert_false(policy_is_owned(&host.call, id, OWNER, &account));
	}
	assert_null(account);
	host_done(&host);
}

static void
test_rights__in_azures_order(void **state)
{
	(void)state;
	assert_string_equal(policy_rights(COSI_READ_WRITE), "racwdl");
	assert_string_equal(policy_rights(COSI_READ_ONLY), "rl");
	assert_string_equal(policy_rights(COSI_WRITE_ONLY), "acw");
}

static void
test_time__every_form(void **state)
{
	static const char *const good[] = { "2026-11-20T00:00:00Z", "2026-11-20T00:00:00.0000000Z",
					    "2026-11-20T00:00Z", "2026-11-20", "2026-11-20Z" };
	static const char *const bad[] = { "",
					   "junk",
					   "2026-11-20T00:00:00",
					   "2026-11-20T00:00:00+01:00",
					   "2026-13-20",
					   "2026-11-20T00:00:00Zx",
					   "2026-11-20 00:00:00Z",
					   "1795132800" };
	struct host host;
	int64_t seconds;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(policy_read_time(good[i], &seconds), 0);
		assert_int_equal(seconds, 1795132800);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (policy_read_time(bad[i], &seconds) == 0)
			fail_msg("'%s' was read as a date", bad[i]);
	assert_string_equal(rest_write_date(&host.call, REST_RFC3339, 1795132801),
			    "2026-11-20T00:00:01Z");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id__form),
		cmocka_unit_test(test_id__fits),
		cmocka_unit_test(test_id__whose),
		cmocka_unit_test(test_id__of_others),
		cmocka_unit_test(test_rights__in_azures_order),
		cmocka_unit_test(test_time__every_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
