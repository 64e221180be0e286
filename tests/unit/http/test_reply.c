/* SPDX-License-Identifier: Apache-2.0
 * test_reply.c - answers: how a module sees them, and the limits on each side. */
#include "http/reply.h"

#include "rig.h"

#include "banned.h"

static const struct cosi_http_reply *
answer(struct rig *rig, const char *bytes, size_t len)
{
	const struct httpd_step step = { .bytes = bytes, .len = len };

	httpd_script(rig->httpd, &step, 1);
	return rig_send(rig, .method = "GET", .path = "/b", .query = "s=3cret");
}

static int
open_rig(void **state)
{
	static const struct httpd_step ok[] = { { .bytes = OK } };
	static struct rig rig;

	rig_open(&rig, NULL, ok, 1);
	*state = &rig;
	return 0;
}

static int
close_rig(void **state)
{
	rig_close(*state);
	return 0;
}

static void
assert_header(const struct cosi_http_reply *reply, size_t n, const char *key, const char *value)
{
	assert_true(n < reply->nheaders);
	assert_string_equal(reply->headers[n].key, key);
	assert_string_equal(reply->headers[n].value, value);
}

static void
test_reply__status_headers_body(void **state)
{
	static const char bytes[] = "HTTP/1.1 409 Conflict\r\nETag:\t \"a b\" \t\r\nX-Amz-Id:\r\n"
				    "CONTENT-LENGTH: 5\r\nx-utf8: \xc3\xa4\r\n\r\na\0b\xff\n";
	const struct cosi_http_reply *reply = answer(*state, bytes, sizeof bytes - 1);

	assert_non_null(reply);
	assert_int_equal(reply->status, 409);
	assert_int_equal(reply->nheaders, 4);
	assert_header(reply, 0, "etag", "\"a b\"");
	assert_header(reply, 1, "x-amz-id", "");
	assert_header(reply, 2, "content-length", "5");
	assert_header(reply, 3, "x-utf8", "\xc3\xa4");
	assert_int_equal(reply->body.len, 5);
	assert_memory_equal(reply->body.data, "a\0b\xff\n", 6);
}

static void
test_reply__chunked_with_trailers(void **state)
{
	const struct cosi_http_reply *reply =
		answer(*state,
		       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		       "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n",
		       0);

	assert_non_null(reply);
	assert_string_equal(reply->body.data, "abcde");
	assert_int_equal(reply->nheaders, 1);
	assert_header(reply, 0, "transfer-encoding", "chunked");
}

static void
test_reply__interim_answers_are_passed_over(void **state)
{
	const struct cosi_http_reply *reply = answer(
		*state,
		"HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
		"HTTP/1.1 204 No Content\r\nX-Final: 1\r\n\r\n",
		0);

	assert_non_null(reply);
	assert_int_equal(reply->status, 204);
	assert_int_equal(reply->nheaders, 1);
	assert_header(reply, 0, "x-final", "1");
	assert_int_equal(reply->body.len, 0);
	assert_string_equal(reply->body.data, "");
}

/* RGW answers HEAD of an absent bucket with a length and no body. */
static void
test_reply__head_with_a_length(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step steps[] = {
		{ .bytes = "HTTP/1.1 404 Not Found\r\nContent-Length: 224\r\n\r\n" },
		{ .bytes = OK },
	};
	const struct cosi_http_reply *reply;

	httpd_script(rig->httpd, steps, 2);
	reply = rig_send(rig, .method = "HEAD", .path = "/b");
	assert_non_null(reply);
	assert_int_equal(reply->status, 404);
	assert_int_equal(reply->body.len, 0);
	assert_non_null(rig_send(rig, .method = "GET", .path = "/b"));
	assert_int_equal(rig->call.nrequests, 1);
}

/* Azure's ETag and Last-Modified, for two, are sent back. */
static void
test_reply__values_without_control_characters(void **state)
{
	const struct cosi_http_reply *reply =
		answer(*state,
		       "HTTP/1.1 200 OK\r\netag: \"\x01\x7f\"\r\nx: a\tb\x1b[0m\xc3\xbc\r\n"
		       "Content-Length: 0\r\n\r\n",
		       0);

	assert_non_null(reply);
	assert_header(reply, 0, "etag", "\"  \"");
	assert_header(reply, 1, "x", "a b [0m\xc3\xbc");
}

static void
test_reply__redirects_are_answers(void **state)
{
	const struct cosi_http_reply *reply = answer(
		*state,
		"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
		0);

	assert_non_null(reply);
	assert_int_equal(reply->status, 307);
	assert_header(reply, 0, "location", "http://127.0.0.1:1/");
}

static void
test_reply__cookies_are_not_kept(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step step = {
		.bytes = "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
	};

	httpd_script(rig->httpd, &step, 1);
	assert_non_null(rig_send(rig, .method = "GET", .path = "/b"));
	assert_non_null(rig_send(rig, .method = "GET", .path = "/b"));
	assert_null(strstr(httpd_request(rig->httpd, 1), "ookie"));
}

/* What a lying store sends beyond its answer never becomes the answer of the next request. */
static void
test_reply__bytes_beyond_the_answer(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step steps[] = {
		{ .bytes = OK ANSWER("599 Forged") },
		{ .bytes = OK },
	};
	const struct cosi_http_reply *reply;

	for (int i = 0; i < 20; i++) {
		httpd_script(rig->httpd, steps, 2);
		reply = rig_send(rig, .method = "HEAD", .path = "/b");
		assert_non_null(reply);
		assert_int_equal(reply->status, 200);
		reply = rig_send(rig, .method = "GET", .path = "/b");
		assert_non_null(reply);
		assert_int_equal(reply->status, 200);
	}
}

static void
test_limit__body(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step exact = {
		.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n12345678"
	};
	const struct httpd_step more = {
		.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"
	};

	httpd_script(rig->httpd, &exact, 1);
	assert_non_null(rig_send(rig, .method = "GET", .path = "/b", .max_reply = 8));
	httpd_script(rig->httpd, &more, 1);
	assert_null(
		rig_send(rig, .method = "GET", .path = "/b", .query = "s=3cret", .max_reply = 8));
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the answer of %B to 'GET /b' is larger than 8 bytes"));
	/* the same would come again */
	assert_int_equal(rig->call.nrequests, 1);
}

/* The default, on each side, with and without a length. */
static void
test_limit__body_of_1_mib(void **state)
{
	static const char with[] = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n";
	static const char without[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
	char *bytes = calloc(1, HTTP_REPLY_BODY_DEFAULT + 100);
	struct httpd_step step = { .bytes = bytes, .then = HTTPD_CLOSE };
	struct rig *rig = *state;

	assert_non_null(bytes);
	for (int i = 0; i < 4; i++) {
		const int len = HTTP_REPLY_BODY_DEFAULT + i % 2;
		const int head = i < 2 ? snprintf(bytes, 100, with, len)
				       : snprintf(bytes, 100, "%s", without);

		step.len = (size_t)(head + len);
		httpd_script(rig->httpd, &step, 1);
		if (i % 2 == 0)
			assert_int_equal(rig_send(rig, .method = "GET", .path = "/b")->body.len,
					 len);
		else
			assert_null(rig_send(rig, .method = "GET", .path = "/b"));
	}
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the answer of %B to 'GET /b' is larger than 1048576 bytes"));
	free(bytes);
}

static void
test_limit__endless_body(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step steps = { .bytes = "HTTP/1.1 200 OK\r\n\r\nxxxxxxxxxxxxxxxxxxx",
					  .then = HTTPD_REPEAT };

	httpd_script(rig->httpd, &steps, 1);
	assert_null(rig_send(rig, .method = "GET", .path = "/b"));
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the answer of %B to 'GET /b' is larger than 1048576 bytes"));
	httpd_wait_all_closed(rig->httpd);
}

static void
test_limit__headers(void **state)
{
	char bytes[8192];
	struct rig *rig = *state;

	for (int more = 0; more < 2; more++) {
		size_t len = (size_t)snprintf(bytes, sizeof bytes,
					      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");

		for (int i = 1; i < HTTP_REPLY_HEADERS_MAX + more; i++)
			len += (size_t)snprintf(bytes + len, sizeof bytes - len, "x%d: %d\r\n", i,
						i);
		(void)snprintf(bytes + len, sizeof bytes - len, "\r\n");
		if (more == 0)
			assert_int_equal(answer(rig, bytes, 0)->nheaders, HTTP_REPLY_HEADERS_MAX);
		else
			assert_null(answer(rig, bytes, 0));
	}
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the head of the answer of %B to 'GET /b' is too large"));
	assert_int_equal(rig->call.nrequests, 1);
}

static void
test_limit__head_bytes(void **state)
{
	static const char rest[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nx: \r\n\r\n";
	static char bytes[HTTP_REPLY_HEAD_MAX + 100], value[HTTP_REPLY_HEAD_MAX];
	struct rig *rig = *state;
	const struct cosi_http_reply *reply;
	int room = HTTP_REPLY_HEAD_MAX - (int)strlen(rest);

	memset(value, 'v', sizeof value);
	(void)snprintf(bytes, sizeof bytes,
		       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nx: %.*s\r\n\r\n", room, value);
	reply = answer(rig, bytes, 0);
	assert_non_null(reply);
	assert_int_equal(strlen(reply->headers[1].value), room);
	(void)snprintf(bytes, sizeof bytes,
		       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nx: %.*s\r\n\r\n", room + 1, value);
	assert_null(answer(rig, bytes, 0));
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the head of the answer of %B to 'GET /b' is too large"));
}

/* Interim answers and headers without end are cut off as well. */
static void
test_limit__endless_head(void **state)
{
	struct rig *rig = *state;
	const struct httpd_step steps[] = {
		{ .bytes = "HTTP/1.1 100 Continue\r\n\r\n", .then = HTTPD_REPEAT },
		{ .bytes = "HTTP/1.1 200 OK\r\n",
		  .then = HTTPD_REPEAT,
		  .again = "x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" },
		{ .bytes = "HTTP/1.1 200 OK\r\nx: ",
		  .then = HTTPD_REPEAT,
		  .again = "yyyyyyyyyyyyyyyy" },
	};

	for (size_t i = 0; i < COUNT(steps); i++) {
		httpd_script(rig->httpd, &steps[i], 1);
		assert_null(rig_send(rig, .method = "GET", .path = "/b"));
		assert_failed(
			rig, COSI_UNAVAILABLE,
			rig_text(rig, "the head of the answer of %B to 'GET /b' is too large"));
		httpd_wait_all_closed(rig->httpd);
	}
}

static void
test_malformed__headers(void **state)
{
	static const char nul[] = "HTTP/1.1 200 OK\r\nx: a\0b\r\nContent-Length: 0\r\n\r\n";
	static const char *const bad[] = {
		"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\n: v\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nx y: v\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nx: v\r\n folded\r\nContent-Length: 0\r\n\r\n",
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_null(answer(rig, bad[i], 0));
		assert_failed(rig, COSI_UNAVAILABLE,
			      rig_text(rig, "the answer of %B to 'GET /b' is not valid HTTP"));
		assert_int_equal(rig->call.nrequests, 1);
	}
	assert_null(answer(rig, nul, sizeof nul - 1));
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "the answer of %B to 'GET /b' is not valid HTTP"));
}

int
main(void)
{
#define UNIT(f) cmocka_unit_test_setup_teardown(f, open_rig, close_rig)
	const struct CMUnitTest tests[] = {
		UNIT(test_reply__status_headers_body),
		UNIT(test_reply__chunked_with_trailers),
		UNIT(test_reply__interim_answers_are_passed_over),
		UNIT(test_reply__head_with_a_length),
		UNIT(test_reply__values_without_control_characters),
		UNIT(test_reply__redirects_are_answers),
		UNIT(test_reply__cookies_are_not_kept),
		UNIT(test_reply__bytes_beyond_the_answer),
		UNIT(test_limit__body),
		UNIT(test_limit__body_of_1_mib),
		UNIT(test_limit__endless_body),
		UNIT(test_limit__headers),
		UNIT(test_limit__head_bytes),
		UNIT(test_limit__endless_head),
		UNIT(test_malformed__headers),
	};

	return RIG_RUN(tests);
}
