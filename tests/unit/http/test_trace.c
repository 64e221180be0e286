/* SPDX-License-Identifier: Apache-2.0
 * test_trace.c - what the debug lines tell, and what they must not. */
#include "http/handle.h"

#include <unistd.h>

#include "base/log.h"
#include "rig.h"

#include "banned.h"

static char got[8192];

/* What one exchange writes to stderr at that level. */
static void
traced(const struct httpd_step *step, uint32_t level, const struct cosi_http *request,
       const struct log_fields *fields)
{
	struct rig rig;
	FILE *sink = tmpfile();
	int old = dup(STDERR_FILENO);
	size_t len;

	assert_non_null(sink);
	rig_open(&rig, NULL, step, 1);
	log_setup(level, false);
	rig.call.fields = fields;
	(void)dup2(fileno(sink), STDERR_FILENO);
	(void)http_send(rig.client, &rig.call, rig.base, request);
	(void)dup2(old, STDERR_FILENO);
	(void)close(old);
	rewind(sink);
	len = fread(got, 1, sizeof got - 1, sink);
	got[len] = '\0';
	(void)fclose(sink);
	rig_close(&rig);
	log_setup(COSI_INFO, false);
}

#define assert_told(text)     assert_non_null(strstr(got, (text)))
#define assert_not_told(text) assert_null(strstr(got, (text)))

static const struct httpd_step answer = {
	.bytes = "HTTP/1.1 404 Not Found\r\nX-Amz-Request-Id: tx0042\r\nX-Other: h3ader\r\n"
		 "Content-Length: 6\r\n\r\nb0dy!!"
};
static const struct cosi_kv headers[] = { { "authorization", "s3cret" } };

static void
test_trace__one_line(void **state)
{
	const struct log_fields fields = { .method = "DriverCreateBucket", .ms = -1 };

	(void)state;
	traced(&answer, COSI_DEBUG,
	       COSI_HTTP(.method = "PUT", .path = "/photos",
			 .query = "tagging&uid=s3cret&k=a=s3cret", .headers = headers,
			 .nheaders = 1, .body = { "s3cret", 6 }),
	       &fields);
	assert_told(" debug http PUT /photos?tagging&uid&k at http://127.0.0.1:");
	assert_told(": 404, ");
	assert_told(" ms, 6 bytes, request id tx0042 method=DriverCreateBucket\n");
	assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
	assert_not_told("s3cret");
	assert_not_told("h3ader");
	assert_not_told("b0dy");
	assert_not_told("authorization");
}

static void
test_trace__secret_path(void **state)
{
	(void)state;
	traced(&answer, COSI_DEBUG,
	       COSI_HTTP(.method = "GET", .path = "/s3cret", .query = "s3cret&a=b",
			 .flags = COSI_HTTP_SECRET),
	       NULL);
	assert_told("http GET at http://127.0.0.1:");
	assert_told(" backend=shop\n");
	assert_not_told("s3cret");
}

static void
test_trace__failure(void **state)
{
	const struct httpd_step cut = { .then = HTTPD_CLOSE };

	(void)state;
	traced(&cut, COSI_DEBUG, COSI_HTTP(.method = "PUT", .path = "/photos", .query = "a=s3cret"),
	       NULL);
	assert_told("http PUT /photos?a at ");
	assert_told("closed the connection instead of answering 'PUT /photos' (");
	assert_told(" ms, sent 1)");
	assert_not_told("s3cret");
}

/* The store's words cannot make a line of their own, nor grow one. */
static void
test_trace__hostile_request_id(void **state)
{
	static char bytes[2048] =
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nx-ms-request-id: a\x1b[31m";
	const struct httpd_step step = { .bytes = bytes };
	size_t len = strlen(bytes);

	(void)state;
	memset(bytes + len, 'z', 1000);
	(void)snprintf(bytes + len + 1000, 8, "\r\n\r\n");
	traced(&step, COSI_DEBUG, COSI_HTTP(.method = "GET", .path = "/photos"), NULL);
	assert_not_told("\x1b");
	assert_told("request id a");
	assert_true(strlen(got) < 600);
}

static void
test_trace__long_query(void **state)
{
	char query[4096];

	(void)state;
	memset(query, 'q', sizeof query - 1);
	query[sizeof query - 1] = '\0';
	traced(&answer, COSI_DEBUG, COSI_HTTP(.method = "GET", .path = "/b", .query = query), NULL);
	assert_true(strlen(got) < 600);
}

static void
test_trace__only_at_debug(void **state)
{
	(void)state;
	traced(&answer, COSI_INFO, COSI_HTTP(.method = "GET", .path = "/photos"), NULL);
	assert_string_equal(got, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace__one_line),
		cmocka_unit_test(test_trace__secret_path),
		cmocka_unit_test(test_trace__failure),
		cmocka_unit_test(test_trace__hostile_request_id),
		cmocka_unit_test(test_trace__long_query),
		cmocka_unit_test(test_trace__only_at_debug),
	};

	return RIG_RUN(tests);
}
