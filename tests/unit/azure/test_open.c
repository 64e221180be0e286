/* SPDX-License-Identifier: Apache-2.0
 * test_open.c - settings that are refused, and why; the probe. */
#include "azure_script.h"
#include "vectors.h"

#include "banned.h"

extern const struct cosi_module cosi_module;

/* 0 and closed again, or the code that it failed with. */
static uint32_t
try_open(struct host *host, const struct azure_config *config)
{
	void *instance = NULL;

	host_reset(host);
	if (cosi_module.open(&host->call, config, &instance) == 0)
		cosi_module.close(instance);
	return host->code;
}

static void
test_open__account_and_key(void **state)
{
	static const char *const accounts[] = { "ab",     "a2345678901234567890123456",
						"Photos", "a-b",
						"a.b",    "" };
	struct azure_config config = { .account = "cosiacct", .account_key = ACCOUNT_KEY };
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	assert_int_equal(try_open(&host, &config), COSI_OK);
	config.account_key = "plain";
	assert_int_equal(try_open(&host, &config), COSI_INVALID);
	assert_null(strstr(host.text, "plain"));
	config.account_key = NULL;
	assert_int_equal(try_open(&host, &config), COSI_INVALID);
	assert_non_null(strstr(host.text, "key 'account_key' is missing"));
	config.account_key = ACCOUNT_KEY;
	for (size_t i = 0; i < sizeof accounts / sizeof accounts[0]; i++) {
		config.account = accounts[i];
		assert_int_equal(try_open(&host, &config), COSI_INVALID);
		assert_non_null(strstr(host.text, "'account'"));
	}
	config.account = "abc";
	assert_int_equal(try_open(&host, &config), COSI_OK);
	config.account = "a23456789012345678901234";
	assert_int_equal(try_open(&host, &config), COSI_OK);
	host_done(&host);
}

static void
test_open__path_of_the_endpoint(void **state)
{
	struct azure_config config = { .account = "cosiacct", .account_key = ACCOUNT_KEY };
	struct host host;

	(void)state;
	host_init(&host, "http://127.0.0.1:10000/cosiacct");
	assert_int_equal(try_open(&host, &config), COSI_OK);
	config.account = "other";
	assert_int_equal(try_open(&host, &config), COSI_INVALID);
	assert_non_null(strstr(host.text, "can only be that of the account, '/other'"));
	host_done(&host);
}

/* Its style may be another one than that of the endpoint. */
static void
test_open__path_of_the_public_endpoint(void **state)
{
	const struct azure_config config = { .account = "cosiacct", .account_key = ACCOUNT_KEY };
	static const char *const wrong[] = { "https://blob.example.org/other",
					     "https://blob.example.org/cosiacct/photos",
					     "https://cosiacct.example.org/photos" };
	struct host host;

	(void)state;
	host_init(&host, "http://127.0.0.1:10000/cosiacct");
	host.public_endpoint = "https://cosiacct.blob.core.windows.net";
	assert_int_equal(try_open(&host, &config), COSI_OK);
	host.public_endpoint = "https://blob.example.org/cosiacct";
	assert_int_equal(try_open(&host, &config), COSI_OK);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		host.public_endpoint = wrong[i];
		assert_int_equal(try_open(&host, &config), COSI_INVALID);
		assert_non_null(strstr(host.text, "the path of 'public_endpoint' is '/"));
	}
	host_done(&host);
}

/* The reason comes first, whatever else is wrong: who gives these has no account_key. */
static void
test_open__no_entra(void **state)
{
	const struct azure_config configs[] = {
		{ .account = "cosiacct", .tenant_id = "t" },
		{ .account = "cosiacct", .client_id = "c" },
		{ .account = "cosiacct", .client_secret = "planted" },
		{ .account = "cosiacct", .account_key = ACCOUNT_KEY, .federated_token_file = "/t" },
	};
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
		assert_int_equal(try_open(&host, &configs[i]), COSI_INVALID);
		assert_non_null(strstr(host.text, "cannot sign the SAS of a stored access policy"));
		assert_null(strstr(host.text, "planted"));
	}
	host_done(&host);
}

static void
test_open__lifetime(void **state)
{
	struct azure_config config = { .account = "cosiacct", .account_key = ACCOUNT_KEY };
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	config.sas_lifetime = 60000;
	assert_int_equal(try_open(&host, &config), COSI_OK);
	config.sas_lifetime = 59999;
	assert_int_equal(try_open(&host, &config), COSI_INVALID);
	config.sas_lifetime = INT64_C(876000) * 3600000;
	assert_int_equal(try_open(&host, &config), COSI_OK);
	config.sas_lifetime++;
	assert_int_equal(try_open(&host, &config), COSI_INVALID);
	host_done(&host);
}

static void
test_probe__answers(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = "GET /?comp=list&maxresults=1",
			.status = 200,
			.body = "\xef\xbb\xbf<EnumerationResults/>" });
	assert_int_equal(cosi_module.probe(script.instance, &script.host.call), 0);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, { .expect = "GET /?comp=list&maxresults=1", .status = 200, .body = "hi" });
	assert_int_not_equal(cosi_module.probe(script.instance, &script.host.call), 0);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	PLAY(&script, { .expect = "GET /?comp=list&maxresults=1",
			.status = 403,
			.code = "AuthenticationFailed" });
	assert_int_not_equal(cosi_module.probe(script.instance, &script.host.call), 0);
	script_ended(&script, COSI_UNAUTHENTICATED, "cannot use the storage account: ");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open__account_and_key),
		cmocka_unit_test(test_open__path_of_the_endpoint),
		cmocka_unit_test(test_open__path_of_the_public_endpoint),
		cmocka_unit_test(test_open__no_entra),
		cmocka_unit_test(test_open__lifetime),
		cmocka_unit_test(test_probe__answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
