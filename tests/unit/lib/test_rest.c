/* SPDX-License-Identifier: Apache-2.0
 * test_rest.c - requests put together, refusals in words, pages, names, JSON. */
#include "rest/rest.h"

#include "unit.h"

#include "banned.h"

#define C64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ab"

/* ---- a protocol of the test's own: a token, and codes in a header ---- */

static int
sign_shop(struct cosi_call *call, const void *who, struct rest_message *message)
{
	if (who == NULL)
		return cosi_fail(call, COSI_UNAUTHENTICATED, "nobody asks");
	assert_string_equal(message->host, "shop.example");
	assert_string_equal(message->path, "/v1/a%20b");
	assert_string_equal(message->query, "a=&a-b=1%2F2&c=d");
	assert_string_equal(rest_find(&message->params, "a-b"), "1/2");
	assert_null(rest_find(&message->params, "b"));
	rest_add(call, &message->headers, "authorization", who);
	return 0;
}

static bool
code_of_shop(const struct cosi_http_reply *reply, char out[REST_CODE_MAX])
{
	const char *code = rest_header(reply, "shop-code");

	return code != NULL && rest_take_code(out, code);
}

static const struct rest_error shop_errors[] = {
	{ "Closed", COSI_PRECONDITION, "it opens at nine" },
	{ "Full", COSI_EXHAUSTED, NULL },
};
static const struct rest_api shop = {
	"Shop", sign_shop, code_of_shop, 2, shop_errors, "Late", NULL
};

static const struct cosi_http_reply *
check_sent(struct host *host, const struct cosi_http *request)
{
	assert_string_equal(request->path, "/a%20b");
	assert_string_equal(request->query, "a=&a-b=1%2F2&c=d");
	assert_int_equal(request->nheaders, 2);
	assert_string_equal(request->headers[0].key, "x-shop");
	assert_string_equal(request->headers[1].value, "Bearer planted");
	assert_int_equal(request->flags, COSI_HTTP_SAFE);
	assert_int_equal(request->timeout_ms, 7);
	assert_int_equal(request->max_reply, 8);
	return host_reply(host, 200, "");
}

static const struct cosi_http_reply *
never_sent(struct host *host, const struct cosi_http *request)
{
	fail_msg("%s %s was sent to %s", request->method, request->path, host->endpoint);
	return NULL;
}

static void
test_send__sorted_signed_and_sent(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, "http://shop.example/v1");
	host.script = check_sent;
	assert_non_null(rest_call(&host.call, &shop, "Bearer planted", .method = "PUT",
				  .path = "/a%20b",
				  REST_QUERY({ "c", "d" }, { "a-b", "1/2" }, { "a", NULL }),
				  REST_HEADERS({ "x-shop", "1" }), .flags = COSI_HTTP_SAFE,
				  .timeout_ms = 7, .max_reply = 8));
	host.script = never_sent;
	assert_null(rest_call(&host.call, &shop, NULL, .method = "GET", .path = "/a%20b"));
	assert_int_equal(host.code, COSI_UNAUTHENTICATED);
	host_done(&host);
}

static const struct cosi_http_reply *
reply_nothing(struct host *host, const struct cosi_http *request)
{
	(void)request;
	return host_reply(host, 200, "");
}

static int
sign_nothing(struct cosi_call *call, const void *who, struct rest_message *message)
{
	(void)call, (void)who, (void)message;
	return 0;
}

static void
test_send__too_much_is_a_bug(void **state)
{
	static const struct rest_api open = { .name = "Open", .sign = sign_nothing };
	struct cosi_kv many[REST_PAIRS_MAX + 1];
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i <= REST_PAIRS_MAX; i++)
		many[i] = (struct cosi_kv){ "k", "v" };
	host.script = reply_nothing;
	assert_non_null(rest_call(&host.call, &open, NULL, .method = "GET", .path = "/",
				  .nquery = REST_PAIRS_MAX, .query = many,
				  .nheaders = REST_PAIRS_MAX, .headers = many));
	host.script = never_sent;
	assert_null(rest_call(&host.call, &open, NULL, .method = "GET", .path = "/",
			      .nquery = REST_PAIRS_MAX + 1, .query = many));
	assert_int_equal(host.code, COSI_INTERNAL);
	host_reset(&host);
	assert_null(rest_call(&host.call, &open, NULL, .method = "GET", .path = "/",
			      .nheaders = REST_PAIRS_MAX + 1, .headers = many));
	assert_int_equal(host.code, COSI_INTERNAL);
	host_done(&host);
}

/* ---- replies ---- */

static void
test_header__by_name(void **state)
{
	static const struct cosi_kv headers[] = { { "etag", "1" },
						  { "date", "2" },
						  { "etag", "3" } };
	const struct cosi_http_reply reply = { .nheaders = 3, .headers = headers };

	(void)state;
	assert_string_equal(rest_header(&reply, "etag"), "1");
	assert_string_equal(rest_header(&reply, "date"), "2");
	assert_null(rest_header(&reply, "eta"));
}

static void
test_code__form(void **state)
{
	static const char *const bad[] = { "", C64 "c", "a b", "a\n", "a-b", "\xc3\xa4", "<b>" };
	char code[REST_CODE_MAX] = "before";

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(rest_take_code(code, bad[i]));
		assert_string_equal(code, "before");
	}
	assert_true(rest_take_code(code, C64));
	assert_string_equal(code, C64);
}

static void
expect_failure(int status, const char *code, const char *body, uint32_t means, const char *words)
{
	const struct cosi_kv header = { "shop-code", code };
	const struct cosi_http_reply reply = { .status = status,
					       .body = bytes(body),
					       .nheaders = code != NULL ? 1 : 0,
					       .headers = &header };
	struct host host;

	host_init(&host, "http://shop/v1");
	assert_string_equal(rest_error_code(&host.call, &shop, &reply), code != NULL ? code : "");
	assert_true(rest_fail(&host.call, &shop, &reply) < 0);
	assert_int_equal(host.code, means);
	assert_string_equal(host.text, words);
	host_done(&host);
}

static void
test_fail__by_code_hint_and_status(void **state)
{
	(void)state;
	expect_failure(503, "Closed", "", COSI_PRECONDITION,
		       "the store answered 503 Closed: it opens at nine");
	expect_failure(400, "Full", "junk", COSI_EXHAUSTED, "the store answered 400 Full");
	expect_failure(400, "Other", "", COSI_INTERNAL, "the store answered 400 Other");
	expect_failure(409, "Other", "", COSI_BUSY, "the store answered 409 Other");
	expect_failure(403, NULL, "", COSI_DENIED, "http://shop answered 403 without a reason");
	expect_failure(403, NULL, "<html>", COSI_UNAVAILABLE,
		       "http://shop answered 403 without a valid Shop error");
	expect_failure(200, NULL, "<html>", COSI_UNAVAILABLE,
		       "the 200 reply of http://shop cannot be understood: does it serve "
		       "Shop?");
}

static void
test_fail__of_a_bare_status(void **state)
{
	static const struct {
		int status;
		uint32_t means;
	} known[] = {
		{ 204, COSI_UNAVAILABLE }, { 307, COSI_UNAVAILABLE },     { 400, COSI_UNAVAILABLE },
		{ 405, COSI_UNAVAILABLE }, { 401, COSI_UNAUTHENTICATED }, { 403, COSI_DENIED },
		{ 404, COSI_UNAVAILABLE }, { 408, COSI_UNAVAILABLE },     { 409, COSI_BUSY },
		{ 412, COSI_BUSY },        { 429, COSI_UNAVAILABLE },     { 499, COSI_UNAVAILABLE },
		{ 500, COSI_UNAVAILABLE }, { 503, COSI_UNAVAILABLE },     { 507, COSI_EXHAUSTED },
	};
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const struct cosi_http_reply reply = { .status = known[i].status };

		(void)rest_fail(&host.call, &shop, &reply);
		assert_int_equal(host.code, known[i].means);
		host_reset(&host);
	}
	host_done(&host);
}

static void
test_error_is__status_and_code(void **state)
{
	const struct cosi_kv header = { "shop-code", "Gone" };
	const struct cosi_http_reply reply = { .status = 404, .nheaders = 1, .headers = &header };
	const struct cosi_http_reply bare = { .status = 404 };

	(void)state;
	assert_true(rest_error_is(&shop, &reply, 404, "Gone"));
	assert_false(rest_error_is(&shop, &reply, 410, "Gone"));
	assert_false(rest_error_is(&shop, &reply, 404, "Go"));
	assert_false(rest_error_is(&shop, &bare, 404, "Gone"));
	assert_false(rest_error_is(&shop, &bare, 404, ""));
}

/* 14 minutes: a date that stores still take. */
static void
test_fail__clocks_that_differ(void **state)
{
	const struct cosi_kv headers[] = { { "date", "Fri, 20 Nov 2026 12:00:00 GMT" },
					   { "shop-code", "Late" } };
	const struct cosi_kv date = headers[0];
	struct cosi_http_reply reply = { .status = 403, .nheaders = 1, .headers = headers };
	const int64_t noon = 1795176000, minutes[] = { -15, -14, 14, 15 };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(rest_write_date(&host.call, REST_HTTP, noon), date.value);
	assert_int_equal(rest_read_date(date.value, REST_DATE), noon);
	assert_int_equal(rest_read_date("2026-11-20T12:00:00.123Z", REST_ISO), noon);
	assert_int_equal(rest_read_date("yesterday", REST_DATE), 0);
	assert_int_equal(rest_read_date(NULL, REST_DATE), 0);
	for (size_t i = 0; i < 4; i++) {
		host.now = noon + 60 * minutes[i];
		(void)rest_fail(&host.call, &shop, &reply);
		assert_int_equal(host.code, i == 1 || i == 2 ? COSI_DENIED : COSI_UNAVAILABLE);
		host_reset(&host);
	}
	(void)rest_fail(&host.call, &shop, &reply);
	assert_string_equal(host.text, "the clocks differ: here it is Fri, 20 Nov 2026 12:15:00 "
				       "GMT, at the store Fri, 20 Nov 2026 12:00:00 GMT");
	host_reset(&host);
	/* The request was late on its way: the store says so itself. */
	host.now = noon;
	reply.nheaders = 2;
	(void)rest_fail(&host.call, &shop, &reply);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	assert_string_equal(host.text, "the clocks differ: here it is Fri, 20 Nov 2026 12:00:00 "
				       "GMT, at the store Fri, 20 Nov 2026 12:00:00 GMT");
	host_reset(&host);
	reply.nheaders = 1;
	reply.status = 404; /* not a matter of clocks */
	(void)rest_fail(&host.call, &shop, &reply);
	assert_string_equal(host.text, "http://store.example answered 404 without a reason");
	host_done(&host);
}

/* ---- pages ---- */

struct book {
	unsigned npages, stop_at, nread;
	bool stuck;
};

static int
read_page(struct cosi_call *call, void *arg, const char *marker, const char **out_next)
{
	struct book *book = arg;

	if (!book->stuck)
		assert_string_equal(marker,
				    book->nread > 0 ? cosi_printf(call, "p%u", book->nread) : "");
	book->nread++;
	if (book->nread == book->stop_at)
		return 1;
	if (book->nread < book->npages)
		*out_next = book->stuck ? "p1" : cosi_printf(call, "p%u", book->nread);
	return 0;
}

static void
expect_pages(struct book book, int rc, unsigned nread, uint32_t code)
{
	struct host host;

	host_init(&host, NULL);
	assert_int_equal(rest_pages(&host.call, read_page, &book), rc);
	assert_int_equal(book.nread, nread);
	assert_int_equal(host.code, code);
	host_done(&host);
}

static void
test_pages__to_the_end_and_no_further(void **state)
{
	(void)state;
	expect_pages((struct book){ .npages = 1 }, 0, 1, COSI_OK);
	expect_pages((struct book){ .npages = 3 }, 0, 3, COSI_OK);
	expect_pages((struct book){ .npages = 3, .stop_at = 2 }, 1, 2, COSI_OK);
	expect_pages((struct book){ .npages = 9, .stuck = true }, -1, 2, COSI_UNAVAILABLE);
	expect_pages((struct book){ .npages = REST_PAGES_MAX }, 0, REST_PAGES_MAX, COSI_OK);
	expect_pages((struct book){ .npages = REST_PAGES_MAX + 1 }, -1, REST_PAGES_MAX,
		     COSI_UNAVAILABLE);
}

/* ---- names and JSON ---- */

static void
test_account__ours_and_others(void **state)
{
	static const char *const bad[] = { "",         "cosi-",   "cosi",
					   "ba-1",     "cosi-A",  "cosi-a.b",
					   "cosi-a,b", "Cosi-ba", "consoleAdmin" };

	(void)state;
	assert_true(rest_is_account("cosi-ba-1"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(rest_is_account(bad[i]));
}

static void
expect_name(const struct rest_names *names, const char *asked, const char *expected)
{
	struct host host;

	host_init(&host, NULL);
	assert_string_equal(rest_name_shorten(&host.call, names, asked), expected);
	host_done(&host);
}

static void
test_shorten__by_the_rules_of_the_store(void **state)
{
	static const struct rest_names wide = { "bucket", 63, false };
	static const struct rest_names narrow = { "container", 20, true };

	(void)state;
	expect_name(&wide, "My__Photos", "my--photos-218cf7f01445");
	expect_name(&wide, "Photos_", "photos--650f21d931fa");
	expect_name(&wide, "--", "bucket-d8156bae0c42");
	expect_name(&narrow, "My__Photos", "my-phot-218cf7f01445");
	expect_name(&narrow, "Photos_", "photos-650f21d931fa");
	expect_name(&narrow, "\xc3\xbc", "bucket-607474ca475a");
}

static void
test_json__compact_and_in_order(void **state)
{
	json_auto_t *object = json_pack("{s:s, s:i}", "text", "a", "number", 7);
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(rest_json(&host.call, json_pack("{s:s, s:[i,b], s:s}", "z", "a/\"\n",
							    "a", 5, 1, "u", "\xc3\xbc")),
			    "{\"z\":\"a/\\\"\\n\",\"a\":[5,true],\"u\":\"\xc3\xbc\"}");
	assert_string_equal(rest_json_text(&host.call, object, "text"), "a");
	assert_string_equal(rest_json_text(&host.call, object, "number"), "");
	assert_string_equal(rest_json_text(&host.call, object, "none"), "");
	assert_null(rest_json(&host.call, NULL));
	assert_int_equal(host.code, COSI_EXHAUSTED);
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send__sorted_signed_and_sent),
		cmocka_unit_test(test_send__too_much_is_a_bug),
		cmocka_unit_test(test_header__by_name),
		cmocka_unit_test(test_code__form),
		cmocka_unit_test(test_fail__by_code_hint_and_status),
		cmocka_unit_test(test_fail__of_a_bare_status),
		cmocka_unit_test(test_error_is__status_and_code),
		cmocka_unit_test(test_fail__clocks_that_differ),
		cmocka_unit_test(test_pages__to_the_end_and_no_further),
		cmocka_unit_test(test_account__ours_and_others),
		cmocka_unit_test(test_shorten__by_the_rules_of_the_store),
		cmocka_unit_test(test_json__compact_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
