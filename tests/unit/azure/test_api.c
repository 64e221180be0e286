/* SPDX-License-Identifier: Apache-2.0
 * test_api.c - what refusals mean, with a code and without. */
#include "azure_script.h"

#include "banned.h"

/* HEAD has no body, so the code stands in a header; a proxy that drops it leaves the document. */
static void
test_code__where_it_stands(void **state)
{
	static const struct cosi_kv header = { "x-ms-error-code", "ServerBusy" };
	static const struct cosi_kv bad = { "x-ms-error-code", "no code" };
	struct host host;
	struct cosi_http_reply reply = { .status = 503, .nheaders = 1, .headers = &header };

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	assert_string_equal(rest_error_code(&host.call, &azure_api, &reply), "ServerBusy");
	reply.headers = &bad;
	reply.body = bytes("\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?><Error>"
			   "<Code>OperationTimedOut</Code><Message>x</Message></Error>");
	assert_string_equal(rest_error_code(&host.call, &azure_api, &reply), "OperationTimedOut");
	reply.body = bytes("<html>");
	assert_string_equal(rest_error_code(&host.call, &azure_api, &reply), "");
	host_done(&host);
}

static uint32_t
meaning(struct host *host, int status, const char *code)
{
	const struct cosi_kv headers[] = { { "x-ms-request-id", "1" },
					   { "x-ms-error-code", code } };
	const struct cosi_http_reply reply = { .status = status,
					       .body = { "", 0 },
					       .nheaders = code != NULL ? 2 : 1,
					       .headers = headers };

	host_reset(host);
	assert_true(azure_fail(&host->call, &reply) < 0);
	return host->code;
}

static void
test_fail__every_code(void **state)
{
	static const struct {
		int status;
		const char *code;
		uint32_t means;
	} cases[] = {
		{ 403, "AccountIsDisabled", COSI_DENIED },
		{ 403, "AuthenticationFailed", COSI_UNAUTHENTICATED },
		{ 403, "AuthorizationFailure", COSI_DENIED },
		{ 409, "ContainerAlreadyExists", COSI_EXISTS },
		{ 409, "ContainerBeingDeleted", COSI_UNAVAILABLE },
		{ 404, "ContainerNotFound", COSI_BUSY },
		{ 403, "InsufficientAccountPermissions", COSI_DENIED },
		{ 500, "InternalError", COSI_UNAVAILABLE },
		{ 400, "InvalidAuthenticationInfo", COSI_UNAUTHENTICATED },
		{ 400, "InvalidMetadata", COSI_INVALID },
		{ 400, "InvalidResourceName", COSI_INVALID },
		{ 403, "KeyBasedAuthenticationNotPermitted", COSI_DENIED },
		{ 409, "LeaseAlreadyPresent", COSI_BUSY },
		{ 412, "LeaseIdMismatchWithContainerOperation", COSI_BUSY },
		{ 412, "LeaseIdMissing", COSI_BUSY },
		{ 409, "LeaseIsBreakingAndCannotBeAcquired", COSI_BUSY },
		{ 412, "LeaseLost", COSI_BUSY },
		{ 412, "LeaseNotPresentWithContainerOperation", COSI_BUSY },
		{ 500, "OperationTimedOut", COSI_UNAVAILABLE },
		{ 400, "OutOfRangeInput", COSI_INVALID },
		{ 409, "PublicAccessNotPermitted", COSI_PRECONDITION },
		{ 404, "ResourceNotFound", COSI_PRECONDITION },
		{ 503, "ServerBusy", COSI_UNAVAILABLE },
		{ 409, "SomethingNew", COSI_BUSY },
		{ 400, "SomethingNew", COSI_INTERNAL },
	};
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(meaning(&host, cases[i].status, cases[i].code), cases[i].means);
		assert_non_null(strstr(host.text, cases[i].code));
	}
	assert_int_equal(meaning(&host, 409, "PublicAccessNotPermitted"), COSI_PRECONDITION);
	assert_non_null(strstr(host.text, "allowBlobPublicAccess"));
	host_done(&host);
}

static void
test_fail__by_status_alone(void **state)
{
	static const struct {
		int status;
		uint32_t means;
	} cases[] = {
		{ 200, COSI_UNAVAILABLE }, { 204, COSI_UNAVAILABLE },     { 302, COSI_UNAVAILABLE },
		{ 400, COSI_UNAVAILABLE }, { 401, COSI_UNAUTHENTICATED }, { 403, COSI_DENIED },
		{ 404, COSI_UNAVAILABLE }, { 405, COSI_UNAVAILABLE },     { 408, COSI_UNAVAILABLE },
		{ 409, COSI_BUSY },        { 411, COSI_UNAVAILABLE },     { 412, COSI_BUSY },
		{ 429, COSI_UNAVAILABLE }, { 500, COSI_UNAVAILABLE },     { 503, COSI_UNAVAILABLE },
	};
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(meaning(&host, cases[i].status, NULL), cases[i].means);
	host_done(&host);
}

/* A proxy's page is no refusal of the store's, whatever its status. */
static void
test_fail__a_body_that_is_no_error(void **state)
{
	const struct cosi_http_reply reply = { .status = 400, .body = bytes("<html>") };
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	azure_fail(&host.call, &reply);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	assert_non_null(strstr(host.text, "answered 400 without a valid Azure Blob Storage error"));
	host_done(&host);
}

/* A clock that is 15 minutes wrong is refused as a bad key is. */
static void
test_fail__skewed_clock(void **state)
{
	struct cosi_kv headers[] = { { "x-ms-error-code", "AuthenticationFailed" },
				     { "date", "Fri, 20 Nov 2026 12:14:00 GMT" } };
	const struct cosi_http_reply reply = {
		.status = 403, .body = { "", 0 }, .nheaders = 2, .headers = headers
	};
	struct host host;

	(void)state;
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	host.now = 1795176000; /* 12:00:00 */
	azure_fail(&host.call, &reply);
	assert_int_equal(host.code, COSI_UNAUTHENTICATED);
	host_reset(&host);
	headers[1].value = "Fri, 20 Nov 2026 12:14:01 GMT";
	azure_fail(&host.call, &reply);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	assert_non_null(strstr(host.text, "here it is Fri, 20 Nov 2026 12:00:00 GMT, at the store "
					  "Fri, 20 Nov 2026 12:14:01 GMT"));
	host_reset(&host);
	headers[1].value = "Fri, 20 Nov 2026 11:45:59 GMT";
	azure_fail(&host.call, &reply);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code__where_it_stands),
		cmocka_unit_test(test_fail__every_code),
		cmocka_unit_test(test_fail__by_status_alone),
		cmocka_unit_test(test_fail__a_body_that_is_no_error),
		cmocka_unit_test(test_fail__skewed_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
