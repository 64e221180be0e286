/* SPDX-License-Identifier: Apache-2.0
 * test_account.c - names, secrets and policies of accounts: what they must never change into. */
#include "minio.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#include "banned.h"

#define KEY    "planted-credential-key-0123456789abcdef"
#define PARAMS "1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
test_names__of_an_account(void **state)
{
	struct minio_account account;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(minio_account_names(&host.call, "a.example.org", "cosi-ba-1", &account),
			 0);
	assert_string_equal(account.key, "COSIUHANMNK4KXEIZJ3N");
	assert_string_equal(account.policy, "cosi-ba-1.COSIUHANMNK4KXEIZJ3N");
	assert_string_equal(minio_account_secret(&host.call, KEY, "a.example.org", "cosi-ba-1"),
			    "MJ7ZLNSTJKFDFWVSSZZPBD2YKH7XDRWCYJW62XSQ4VJZAKTDU7NQ");
	host_done(&host);
}

static struct s3_access
many(size_t n, int width, bool mixed)
{
	static struct cosi_bucket_ref refs[130];
	static char names[130][64];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(names[i], sizeof names[i], "b%0*zu", width - 1, i);
		refs[i] = (struct cosi_bucket_ref){ names[i], mixed ? (uint32_t)(i % 3 + 1)
								    : COSI_READ_WRITE };
	}
	return (struct s3_access){ n, refs };
}

static void
expect_fit(size_t n, int width, bool mixed, bool fits)
{
	const struct s3_access access = many(n, width, mixed);
	const char *document;
	struct host host;

	host_init(&host, NULL);
	document = minio_account_policy(&host.call, &access, PARAMS);
	assert_int_equal(document != NULL, fits);
	assert_int_equal(host.code, fits ? 0 : COSI_OUT_OF_RANGE);
	host_done(&host);
}

static void
test_policy__as_many_buckets_as_fit(void **state)
{
	(void)state;
	expect_fit(MINIO_ACCOUNT_BUCKETS, 63, false, true);
	expect_fit(MINIO_ACCOUNT_BUCKETS + 1, 63, false, false);
	expect_fit(MINIO_ACCOUNT_BUCKETS, 39, true, true);
	expect_fit(MINIO_ACCOUNT_BUCKETS + 1, 5, false, false);
	expect_fit(MINIO_ACCOUNT_BUCKETS, 63, true, false);
}

static void
test_policy__denies_what_would_outgrow_it(void **state)
{
	const struct s3_access access = many(1, 5, false);
	const char *document;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	document = minio_account_policy(&host.call, &access, PARAMS);
	assert_non_null(strstr(document, "{\"Sid\":\"CosiParams10123456789abcdef0123456789abcdef\","
					 "\"Effect\":\"Deny\",\"Action\":[\"admin:*\"]}"));
	assert_non_null(strstr(document, "\"aws:principaltype\":[\"AssumedRole\"]"));
	assert_null(strstr(document, "DeleteObjectVersion"));
	host_done(&host);
}

static void
test_same__buckets_modes_and_parameters(void **state)
{
	struct cosi_bucket_ref refs[] = { { "one", COSI_READ_ONLY }, { "two", COSI_READ_WRITE } };
	const struct s3_access both = { 2, refs }, one = { 1, refs };
	const char *document, *without;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	document = minio_account_policy(&host.call, &both, PARAMS);
	without = minio_account_policy(&host.call, &both, NULL);
	assert_true(minio_account_same(&host.call, document, &both, PARAMS));
	assert_false(minio_account_same(&host.call, document, &both, "1:fedc"));
	assert_false(minio_account_same(&host.call, document, &one, PARAMS));
	assert_true(minio_account_same(&host.call, without, &both, PARAMS));
	assert_false(minio_account_same(&host.call, without, &one, PARAMS));
	refs[0].mode = COSI_WRITE_ONLY;
	assert_false(minio_account_same(&host.call, document, &both, PARAMS));
	assert_false(minio_account_same(&host.call, "{\"Statement\":[]}", &both, PARAMS));
	assert_false(minio_account_same(&host.call, "{", &both, PARAMS));
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names__of_an_account),
		cmocka_unit_test(test_policy__as_many_buckets_as_fit),
		cmocka_unit_test(test_policy__denies_what_would_outgrow_it),
		cmocka_unit_test(test_same__buckets_modes_and_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
