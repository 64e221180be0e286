/* SPDX-License-Identifier: Apache-2.0
 * test_request.c - the exact bytes on the wire, and what HTTP cannot carry. */
#include "http/request.h"

#include "rig.h"

#include "banned.h"

static const struct httpd_step always_ok[] = { { .bytes = OK } };

/* The n-th request is "FIRST\r\nHost: 127.0.0.1:PORT\r\n" + rest. */
static void
assert_wire(struct rig *rig, size_t n, const char *first, const char *rest)
{
	char expected[8192];

	(void)snprintf(expected, sizeof expected, "%s\r\nHost: %s\r\n%s", first,
		       httpd_url(rig->httpd) + strlen("http://"), rest);
	assert_string_equal(httpd_request(rig->httpd, n), expected);
}

static void
test_wire__methods_and_bodies(void **state)
{
	struct rig rig;
	const struct cosi_bytes body = { "{\"a\":1}", 7 };

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b", .body = body));
	assert_non_null(rig_send(&rig, .method = "HEAD", .path = "/b"));
	assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	assert_non_null(rig_send(&rig, .method = "DELETE", .path = "/b"));
	assert_non_null(rig_send(&rig, .method = "POST", .path = "/b"));
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_non_null(rig_send(&rig, .method = "DELETE", .path = "/b", .body = body));
	assert_non_null(rig_send(&rig, .method = "PATCH", .path = "/b", .body = body));
	assert_wire(&rig, 0, "PUT /b HTTP/1.1", AGENT "Content-Length: 7\r\n\r\n{\"a\":1}");
	assert_wire(&rig, 1, "HEAD /b HTTP/1.1", AGENT "\r\n");
	assert_wire(&rig, 2, "PUT /b HTTP/1.1", AGENT "Content-Length: 0\r\n\r\n");
	assert_wire(&rig, 3, "DELETE /b HTTP/1.1", AGENT "\r\n");
	assert_wire(&rig, 4, "POST /b HTTP/1.1", AGENT "Content-Length: 0\r\n\r\n");
	assert_wire(&rig, 5, "GET /b HTTP/1.1", AGENT "\r\n");
	assert_wire(&rig, 6, "DELETE /b HTTP/1.1", AGENT "Content-Length: 7\r\n\r\n{\"a\":1}");
	assert_wire(&rig, 7, "PATCH /b HTTP/1.1", AGENT "Content-Length: 7\r\n\r\n{\"a\":1}");
	assert_int_equal(httpd_nconnections(rig.httpd), 1);
	rig_close(&rig);
}

/* As the signature saw it: nothing is normalised, encoded or decoded. */
static void
test_wire__target_byte_for_byte(void **state)
{
	static const char *const paths[] = { "/",
					     "//a//b/",
					     "/a/../b/./c/..",
					     "/%2F%2f%41%zz%",
					     "/a;b=c,d:e@f!$&'()*+~_-.",
					     "/\"<>\\^`{|}[]" };
	static const char query[] = "policy=&a=%20+b&&x==y?z/../[]{}|\"";
	char first[256];
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_non_null(rig_send(&rig, .method = "GET", .path = paths[i], .query = query));
		(void)snprintf(first, sizeof first, "GET %s?%s HTTP/1.1", paths[i], query);
		assert_wire(&rig, i, first, AGENT "\r\n");
	}
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/a", .query = ""));
	assert_wire(&rig, COUNT(paths), "GET /a HTTP/1.1", AGENT "\r\n");
	rig_close(&rig);
}

static void
test_wire__prefix_of_the_base(void **state)
{
	char base[128];
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	(void)snprintf(base, sizeof base, "%s/storage/v1/", rig.base);
	rig.base = base;
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/b/x", .query = "q"));
	assert_wire(&rig, 0, "GET /storage/v1/b/x?q HTTP/1.1", AGENT "\r\n");
	rig_close(&rig);
}

static void
test_wire__headers(void **state)
{
	const struct cosi_kv headers[] = { { "Authorization",
					     "AWS4-HMAC-SHA256 Credential=a/b, c" },
					   { "x-amz-meta-Empty", "" },
					   { "x-blank", " \t" },
					   { "x-utf8", "\xc3\xa4\xff" },
					   { "content-type", "application/xml" },
					   { "Accept", "text/plain" },
					   { "user-agent", "other" },
					   { "x-twice", "1" },
					   { "x-twice", "2" } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b", .headers = headers,
				 .nheaders = COUNT(headers), .body = { "xy", 2 }));
	assert_wire(&rig, 0, "PUT /b HTTP/1.1",
		    "Authorization: AWS4-HMAC-SHA256 Credential=a/b, c\r\nx-amz-meta-Empty:\r\n"
		    "x-blank:\r\nx-utf8: \xc3\xa4\xff\r\ncontent-type: application/xml\r\n"
		    "Accept: text/plain\r\nuser-agent: other\r\nx-twice: 1\r\nx-twice: 2\r\n"
		    "Content-Length: 2\r\n\r\nxy");
	/* the next request on the same handle has none of them */
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_wire(&rig, 1, "GET /b HTTP/1.1", AGENT "\r\n");
	rig_close(&rig);
}

static void
test_wire__large_body_without_expect(void **state)
{
	const size_t len = (size_t)2 << 20;
	char *body = malloc(len);
	const char *sent;
	struct rig rig;

	(void)state;
	assert_non_null(body);
	memset(body, 'x', len);
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b", .body = { body, len }));
	sent = httpd_request(rig.httpd, 0);
	assert_null(strstr(sent, "Expect"));
	assert_non_null(strstr(sent, "\r\nContent-Length: 2097152\r\n\r\nx"));
	assert_int_equal(strlen(strstr(sent, "\r\n\r\n") + 4), len);
	rig_close(&rig);
	free(body);
}

static void
test_wire__no_proxy_of_the_environment(void **state)
{
	struct rig rig;

	(void)state;
	assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
	assert_int_equal(setenv("ALL_PROXY", "http://127.0.0.1:1", 1), 0);
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
	rig_close(&rig);
	assert_int_equal(unsetenv("http_proxy"), 0);
	assert_int_equal(unsetenv("ALL_PROXY"), 0);
}

/* Refused before anything is sent. */
#define assert_refused(rig, text, ...)                                                             \
	do {                                                                                       \
		assert_null(rig_send((rig), __VA_ARGS__));                                         \
		assert_failed((rig), COSI_INTERNAL, (text));                                       \
		assert_int_equal((rig)->call.nrequests, 0);                                        \
	} while (0)

static void
test_refused__method_and_path(void **state)
{
	static const char *const paths[] = { "b",    "",      "/a b",      "/a\r\nX: y", "/a\tb",
					     "/a#b", "/\x7f", "/\xc3\xa4", "http://x/" };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	assert_refused(&rig, "a request has no usable method", .path = "/");
	assert_refused(&rig, "a request has no usable method", .method = "", .path = "/");
	assert_refused(&rig, "a request has no usable method", .method = "GET /x", .path = "/");
	assert_refused(&rig, "a request has no usable method", .method = "AAAAAAAAAAAAAAAAA",
		       .path = "/");
	assert_non_null(rig_send(&rig, .method = "AAAAAAAAAAAAAAAA", .path = "/"));
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_refused(&rig, "the path of a GET request is not encoded", .method = "GET",
			       .path = paths[i]);
	assert_refused(&rig, "the path of a GET request is not encoded", .method = "GET");
	assert_refused(&rig, "the path of a GET request is not encoded", .method = "GET",
		       .path = "/", .query = "a=b c");
	assert_int_equal(httpd_nrequests(rig.httpd), 1);
	rig_close(&rig);
}

static void
refuse_header(struct rig *rig, const char *key, const char *value, const char *text)
{
	const struct cosi_kv header = { key, value };

	assert_refused(rig, text, .method = "GET", .path = "/b", .query = "s=3cret",
		       .headers = &header, .nheaders = 1);
}

static void
test_refused__headers(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	refuse_header(&rig, "", "v", "'GET /b' cannot have a header named ''");
	refuse_header(&rig, "x y", "v", "'GET /b' cannot have a header named 'x y'");
	refuse_header(&rig, "x:", "v", "'GET /b' cannot have a header named 'x:'");
	refuse_header(&rig, "x\r\ny", "v", "'GET /b' cannot have a header named 'x\r\ny'");
	refuse_header(&rig, "hOST", "v", "'GET /b' cannot have a header named 'hOST'");
	refuse_header(&rig, "content-length", "1",
		      "'GET /b' cannot have a header named 'content-length'");
	refuse_header(&rig, "Transfer-Encoding", "chunked",
		      "'GET /b' cannot have a header named 'Transfer-Encoding'");
	refuse_header(&rig, "x", "a\r\nb: c", "'GET /b' has control bytes in its header 'x'");
	refuse_header(&rig, "x", "a\nb", "'GET /b' has control bytes in its header 'x'");
	refuse_header(&rig, "x", "a\x01", "'GET /b' has control bytes in its header 'x'");
	refuse_header(&rig, "x", "a\x7f", "'GET /b' has control bytes in its header 'x'");
	rig_close(&rig);
}

static void
test_limit__headers(void **state)
{
	struct cosi_kv headers[HTTP_REQUEST_HEADERS_MAX + 1];
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < COUNT(headers); i++)
		headers[i] = (struct cosi_kv){ "x-a", "b" };
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(rig_send(&rig, .method = "GET", .path = "/b", .headers = headers,
				 .nheaders = HTTP_REQUEST_HEADERS_MAX));
	assert_refused(&rig, "'GET /b' has more than 64 headers", .method = "GET", .path = "/b",
		       .headers = headers, .nheaders = HTTP_REQUEST_HEADERS_MAX + 1);
	rig_close(&rig);
}

static void
test_limit__head_bytes(void **state)
{
	char value[HTTP_REQUEST_HEAD_MAX];
	const struct cosi_kv header = { "x", value };
	struct rig rig;

	(void)state;
	memset(value, 'v', sizeof value);
	/* "/b" and "x" are three bytes */
	value[HTTP_REQUEST_HEAD_MAX - 3] = '\0';
	rig_open(&rig, NULL, always_ok, 1);
	assert_non_null(
		rig_send(&rig, .method = "GET", .path = "/b", .headers = &header, .nheaders = 1));
	assert_non_null(strstr(httpd_request(rig.httpd, 0), value));
	assert_refused(&rig, "'GET /bc' has a head above 65536 bytes", .method = "GET",
		       .path = "/bc", .headers = &header, .nheaders = 1);
	rig_close(&rig);
}

static void
test_refused__base_and_label(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, always_ok, 1);
	assert_refused(&rig, rig_text(&rig, "'b/c' cannot stand before the host of %B"),
		       .method = "GET", .path = "/", .host_label = "b/c");
	rig.base = "http://user:3cret@127.0.0.1";
	assert_refused(&rig, "the base URL cannot be used", .method = "GET", .path = "/");
	rig_close(&rig);
}

static void
test_refused__call_without_memory(void **state)
{
	static char answer[9000] = "HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n";
	const struct httpd_step large[] = { { .bytes = answer, .len = strlen(answer) + 8000 } };
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, large, 1);
	arena_init(&rig.arena, 4000);
	assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_int_equal(rig.status.code, COSI_EXHAUSTED);
	assert_non_null(
		strstr(rig.status.text, "out of memory for the answer of http://127.0.0.1"));
	assert_int_equal(httpd_nrequests(rig.httpd), 1);
	for (size_t size = 0; size <= 96; size += 8) {
		arena_done(&rig.arena);
		arena_init(&rig.arena, size);
		assert_null(rig_send(&rig, .method = "GET", .path = "/b"));
		assert_failed(&rig, COSI_EXHAUSTED, "out of memory for a GET request");
	}
	assert_int_equal(httpd_nrequests(rig.httpd), 1);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire__methods_and_bodies),
		cmocka_unit_test(test_wire__target_byte_for_byte),
		cmocka_unit_test(test_wire__prefix_of_the_base),
		cmocka_unit_test(test_wire__headers),
		cmocka_unit_test(test_wire__large_body_without_expect),
		cmocka_unit_test(test_wire__no_proxy_of_the_environment),
		cmocka_unit_test(test_refused__method_and_path),
		cmocka_unit_test(test_refused__headers),
		cmocka_unit_test(test_limit__headers),
		cmocka_unit_test(test_limit__head_bytes),
		cmocka_unit_test(test_refused__base_and_label),
		cmocka_unit_test(test_refused__call_without_memory),
	};

	return RIG_RUN(tests);
}
