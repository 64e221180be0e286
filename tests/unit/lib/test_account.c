/* SPDX-License-Identifier: Apache-2.0
 * test_account.c - keys of accounts: what they must never change into. */
#include "s3/name.h"

#include "unit.h"

#include "banned.h"

#define OWNER "a.example.org"
#define KEY   "planted-credential-key-0123456789abcdef"

/* Computed with another program.  Keys have to be the same in every version of a module. */
static const struct {
	const char *module, *key, *secret;
} known[] = {
	{ "ceph-rgw", "COSIVSR4TOHGOAIFRQJI",
	  "XQT2WOCBBWOLJVY5KIKI7S2YIP2NFUBB67SBW6O26OBERXXEEBZA" },
	{ "minio", "COSIUHANMNK4KXEIZJ3N", "MJ7ZLNSTJKFDFWVSSZZPBD2YKH7XDRWCYJW62XSQ4VJZAKTDU7NQ" },
};

static void
test_keys__for_ever_the_same(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const char *module = known[i].module;

		assert_string_equal(s3_account_key(&host.call, module, OWNER, "cosi-ba-1"),
				    known[i].key);
		assert_string_equal(s3_account_secret(&host.call, module, KEY, OWNER, "cosi-ba-1"),
				    known[i].secret);
	}
	host_done(&host);
}

static void
test_keys__differ_by_owner_and_account(void **state)
{
	static const char *const others[][2] = { { "b.example.org", "cosi-ba-1" },
						 { OWNER, "cosi-ba-2" } };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		assert_string_not_equal(
			s3_account_key(&host.call, "minio", others[i][0], others[i][1]),
			known[1].key);
		assert_string_not_equal(
			s3_account_secret(&host.call, "minio", KEY, others[i][0], others[i][1]),
			known[1].secret);
	}
	assert_string_not_equal(s3_account_secret(&host.call, "minio", KEY "x", OWNER, "cosi-ba-1"),
				known[1].secret);
	host_done(&host);
}

static void
test_credential_key__of_32_bytes_at_least(void **state)
{
	const char *enough = "0123456789abcdef0123456789abcdef";
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(s3_account_check_key(&host.call, "credential_key", enough), 0);
	assert_true(s3_account_check_key(&host.call, "credential_key", enough + 1) < 0);
	assert_int_equal(host.code, COSI_INVALID);
	assert_string_equal(host.text, "key 'credential_key' has a value of less than 32 bytes");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys__for_ever_the_same),
		cmocka_unit_test(test_keys__differ_by_owner_and_account),
		cmocka_unit_test(test_credential_key__of_32_bytes_at_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
