/* SPDX-License-Identifier: Apache-2.0
 * test_reply.c - headers, the form of a code, and two clocks. */
#include "text/reply.h"

#include "unit.h"

#include "banned.h"

#define C64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ab"

static void
test_code__form(void **state)
{
	static const char *const bad[] = { "", C64 "c", "a b", "a\n", "a-b", "\xc3\xa4", "<b>" };
	char code[REPLY_CODE_MAX] = "before";

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(reply_take_code(code, bad[i]));
		assert_string_equal(code, "before");
	}
	assert_true(reply_take_code(code, C64));
	assert_string_equal(code, C64);
}

static void
test_header__by_name(void **state)
{
	static const struct cosi_kv headers[] = { { "etag", "1" },
						  { "date", "2" },
						  { "etag", "3" } };
	const struct cosi_http_reply reply = { .nheaders = 3, .headers = headers };

	(void)state;
	assert_string_equal(reply_header(&reply, "etag"), "1");
	assert_string_equal(reply_header(&reply, "date"), "2");
	assert_null(reply_header(&reply, "eta"));
}

static void
test_meaning__of_a_bare_status(void **state)
{
	static const struct {
		int status;
		uint32_t means;
	} known[] = {
		{ 200, COSI_UNAVAILABLE }, { 307, COSI_UNAVAILABLE },     { 400, COSI_INTERNAL },
		{ 405, COSI_INTERNAL },    { 401, COSI_UNAUTHENTICATED }, { 403, COSI_DENIED },
		{ 404, COSI_UNAVAILABLE }, { 408, COSI_UNAVAILABLE },     { 409, COSI_BUSY },
		{ 412, COSI_BUSY },        { 429, COSI_UNAVAILABLE },     { 499, COSI_UNAVAILABLE },
		{ 500, COSI_UNAVAILABLE }, { 503, COSI_UNAVAILABLE },     { 507, COSI_EXHAUSTED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		assert_int_equal(reply_meaning(known[i].status), known[i].means);
}

static void
test_skew__of_the_stores_clock(void **state)
{
	struct cosi_kv date = { "date", "Fri, 20 Nov 2026 12:00:10 GMT" };
	const struct cosi_http_reply reply = { .nheaders = 1, .headers = &date }, none = { 0 };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	host.now = 1795176000; /* 12:00:00 */
	assert_int_equal(reply_skew(&host.call, &reply), 10);
	host.now += 20;
	assert_int_equal(reply_skew(&host.call, &reply), -10);
	assert_int_equal(reply_skew(&host.call, &none), 0);
	reply_fail_skewed(&host.call, &reply);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	assert_string_equal(host.text, "the clocks differ: here it is Fri, 20 Nov 2026 12:00:20 "
				       "GMT, at the store Fri, 20 Nov 2026 12:00:10 GMT");
	host_reset(&host);
	date.value = "yesterday";
	assert_int_equal(reply_skew(&host.call, &reply), 0);
	reply_fail_skewed(&host.call, &none);
	assert_non_null(strstr(host.text, "at the store ?"));
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code__form),
		cmocka_unit_test(test_header__by_name),
		cmocka_unit_test(test_meaning__of_a_bare_status),
		cmocka_unit_test(test_skew__of_the_stores_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
