/* SPDX-License-Identifier: Apache-2.0
 * test_s3.c - what is signed is what is sent. */
#include "s3/s3.h"

#include "unit.h"

#include "banned.h"

static const struct s3_client client = { "default", "AKID", "secret+/=", NULL };
enum { NOW = 1767323045 }; /* 2026-01-02 03:04:05 */

static const struct cosi_http *sent;

static const char *
sent_header(const char *name)
{
	for (size_t i = 0; i < sent->nheaders; i++)
		if (strcmp(sent->headers[i].key, name) == 0)
			return sent->headers[i].value;
	return NULL;
}

/* The query is out of order on purpose: "access" sorts before "access-key" although '-' sorts
 * before
 * '='.  An independent signer computed the signature. */
static const struct cosi_http_reply *
check_admin(struct host *host, const struct cosi_http *request)
{
	sent = request;
	assert_string_equal(request->method, "PUT");
	assert_string_equal(request->path, "/admin/user");
	assert_string_equal(request->query,
			    "access=&access-key=K%2F%24&display-name=cosid%3Aa%20b&uid=cosi-a");
	assert_int_equal(request->flags, COSI_HTTP_SAFE | COSI_HTTP_SECRET);
	assert_string_equal(sent_header("x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
	assert_string_equal(sent_header("x-amz-date"), "20260102T030405Z");
	assert_null(sent_header("host"));
	assert_non_null(strstr(
		sent_header("authorization"),
		"Signature=c84bd021ed672b00c9a1f688b50ec6c7e7121dc0dbadb663f117d28d072b7e4a"));
	return host_reply(host, 200, "{}");
}

static void
test_send__query_sorted_and_signed(void **state)
{
	struct host host;
	const struct cosi_http_reply *reply;

	(void)state;
	host_init(&host, NULL);
	host.now = NOW;
	host.script = check_admin;
	reply = s3_call(&host.call, &client, .method = "PUT", .path = "/admin/user",
			REST_QUERY({ "uid", "cosi-a" }, { "access-key", "K/$" },
				   { "display-name", "cosid:a b" }, { "access", NULL }),
			REST_HEADERS(S3_UNSIGNED), .flags = COSI_HTTP_SAFE | COSI_HTTP_SECRET);
	assert_non_null(reply);
	host_done(&host);
}

static const struct cosi_http_reply *
check_headers(struct host *host, const struct cosi_http *request)
{
	sent = request;
	assert_string_equal(sent_header("x-amz-bucket-object-lock-enabled"), "true");
	assert_string_equal(sent_header("content-type"), "application/xml");
	assert_string_equal(sent_header("x-amz-content-sha256"),
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_non_null(strstr(sent_header("authorization"),
			       "SignedHeaders=host;x-amz-bucket-object-lock-enabled;"
			       "x-amz-content-sha256;x-amz-date,"));
	assert_int_equal(request->body.len, 3);
	assert_int_equal(request->timeout_ms, 60000);
	return host_reply(host, 200, "");
}

static void
test_send__amz_headers_are_signed(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	host.script = check_headers;
	assert_non_null(s3_call(&host.call, &client, .method = "PUT", .path = "/b",
				REST_HEADERS({ "content-type", "application/xml" },
					     { "x-amz-bucket-object-lock-enabled", "true" }),
				.body = bytes("abc"), .timeout_ms = 60000));
	host_done(&host);
}

static void
expect_error(int status, const char *body, const char *code, uint32_t means, const char *words)
{
	struct host host;
	const struct cosi_http_reply *reply;

	host_init(&host, NULL);
	host.now = NOW;
	reply = host_reply(&host, status, body);
	assert_string_equal(rest_error_code(&host.call, &s3_api, reply), code);
	assert_int_equal(s3_fail(&host.call, reply), -1);
	assert_int_equal(host.code, means);
	assert_string_equal(host.text, words);
	host_done(&host);
}

#define XML_ERROR(code) "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message/></Error>"

static void
test_error__codes(void **state)
{
	(void)state;
	expect_error(403, XML_ERROR("AccessDenied"), "AccessDenied", COSI_DENIED,
		     "the store answered 403 AccessDenied");
	expect_error(403, "{\"Code\":\"InvalidAccessKeyId\",\"Message\":\"\"}",
		     "InvalidAccessKeyId", COSI_UNAUTHENTICATED,
		     "the store answered 403 InvalidAccessKeyId: is the key 'access_key' right?");
	expect_error(
		403, XML_ERROR("SignatureDoesNotMatch"), "SignatureDoesNotMatch",
		COSI_UNAUTHENTICATED,
		"the store answered 403 SignatureDoesNotMatch: is the key 'secret_key' right?");
	expect_error(400, XML_ERROR("TooManyBuckets"), "TooManyBuckets", COSI_EXHAUSTED,
		     "the store answered 400 TooManyBuckets");
	expect_error(408, XML_ERROR("RequestTimeout"), "RequestTimeout", COSI_UNAVAILABLE,
		     "the store answered 408 RequestTimeout");
	expect_error(400, XML_ERROR("IncompleteBody"), "IncompleteBody", COSI_UNAVAILABLE,
		     "the store answered 400 IncompleteBody");
	expect_error(409, XML_ERROR("BucketAlreadyOwnedByYou"), "BucketAlreadyOwnedByYou",
		     COSI_UNAVAILABLE, "the store answered 409 BucketAlreadyOwnedByYou");
	expect_error(503, XML_ERROR("SlowDown"), "SlowDown", COSI_BUSY,
		     "the store answered 503 SlowDown");
	expect_error(500, XML_ERROR("UnknownError"), "UnknownError", COSI_UNAVAILABLE,
		     "the store answered 500 UnknownError");
	expect_error(418, XML_ERROR("Teapot"), "Teapot", COSI_INTERNAL,
		     "the store answered 418 Teapot");
	expect_error(404, "<ErrorResponse><Error><Code>NoSuchEntity</Code></Error></ErrorResponse>",
		     "NoSuchEntity", COSI_BUSY, "the store answered 404 NoSuchEntity");
}

/* RADOS Gateway 16.2 begins the answer of GetUserPolicy before it knows that there is none. */
static void
test_error__after_a_begun_answer(void **state)
{
	(void)state;
	expect_error(404,
		     "<GetUserPolicyResponse><ResponseMetadata/><GetUserPolicyResult>" XML_ERROR(
			     "NoSuchEntity"),
		     "NoSuchEntity", COSI_BUSY, "the store answered 404 NoSuchEntity");
}

static void
test_error__not_a_store(void **state)
{
	(void)state;
	expect_error(404, "<html><body>nginx</body></html>", "", COSI_UNAVAILABLE,
		     "http://store.example answered 404 without a valid S3 error");
	expect_error(403, "<Error><Code>two words</Code></Error>", "", COSI_UNAVAILABLE,
		     "http://store.example answered 403 without a valid S3 error");
	expect_error(403, "{\"Code\":", "", COSI_UNAVAILABLE,
		     "http://store.example answered 403 without a valid S3 error");
	expect_error(403, "<Error><Code/></Error>", "", COSI_UNAVAILABLE,
		     "http://store.example answered 403 without a valid S3 error");
	expect_error(403, "", "", COSI_DENIED,
		     "http://store.example answered 403 without a reason");
	expect_error(404, "", "", COSI_UNAVAILABLE,
		     "http://store.example answered 404 without a reason");
	expect_error(502, "", "", COSI_UNAVAILABLE,
		     "http://store.example answered 502 without a reason");
	expect_error(301, "", "", COSI_UNAVAILABLE,
		     "http://store.example answered 301 without a reason");
	expect_error(
		200, "<html/>", "", COSI_UNAVAILABLE,
		"the 200 reply of http://store.example cannot be understood: does it serve S3?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send__query_sorted_and_signed),
		cmocka_unit_test(test_send__amz_headers_are_signed),
		cmocka_unit_test(test_error__codes),
		cmocka_unit_test(test_error__after_a_begun_answer),
		cmocka_unit_test(test_error__not_a_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
