/* SPDX-License-Identifier: Apache-2.0
 * test_failure.c - a store that cannot be reached, hangs, resets, cuts or talks nonsense. */
#include "http/handle.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/secret.h"

#include "rig.h"

#include "banned.h"

enum { SHORT_MS = 150 };

/* What one failure is called, not what five of them lead to. */
static void
forget_failures(struct rig *rig)
{
	struct http_config config = rig_config();
	struct status status = { 0 };

	config.retries = 0;
	http_client_free(rig->client);
	rig->client = http_client_new(&config, &status);
	assert_non_null(rig->client);
}

/* No retries: one try shows one failure. */
static int
open_rig(void **state)
{
	static const struct httpd_step ok[] = { { .bytes = OK } };
	static struct rig rig;

	rig_open(&rig, NULL, ok, 1);
	forget_failures(&rig);
	*state = &rig;
	return 0;
}

static int
close_rig(void **state)
{
	rig_close(*state);
	return 0;
}

static struct rig *
scripted(void **state, struct httpd_step step)
{
	static struct httpd_step kept;
	struct rig *rig = *state;

	kept = step;
	httpd_script(rig->httpd, &kept, 1);
	return rig;
}

/* A changing request that was sent and failed so is of unknown outcome. */
static void
assert_lost(struct rig *rig, uint32_t code, const char *text)
{
	/* Short only where nothing will come: a busy machine fails no test. */
	int64_t timeout_ms = code == COSI_TIMEOUT ? SHORT_MS : RIG_PATIENCE_MS;

	assert_null(rig_send(rig, .method = "PUT", .path = "/b", .query = "s=3cret",
			     .timeout_ms = timeout_ms));
	assert_failed(rig, code, rig_text(rig, text));
	assert_int_equal(rig->call.nrequests, 1);
	assert_int_equal(rig->call.unknown_ms, timeout_ms);
}

/* A bound port, so that no other process takes it; without a backlog it does not listen. */
static int
bound_socket(char base[static 64], int backlog)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	if (backlog >= 0)
		assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	(void)snprintf(base, 64, "http://127.0.0.1:%d", ntohs(address.sin_port));
	return fd;
}

static void
test_connect__refused(void **state)
{
	struct rig *rig = *state;
	char base[64], text[128];
	int fd = bound_socket(base, -1);

	rig->base = base;
	assert_null(rig_send(rig, .method = "PUT", .path = "/b", .query = "s=3cret"));
	(void)snprintf(text, sizeof text, "cannot reach %s: connection refused", base);
	assert_failed(rig, COSI_UNAVAILABLE, text);
	assert_int_equal(rig->call.nrequests, 0);
	assert_int_equal(rig->call.unknown_ms, 0);
	(void)close(fd);
}

/* A full backlog drops what knocks: nothing answers. */
static void
test_connect__timeout(void **state)
{
	struct http_config config = rig_config();
	struct status status = { 0 };
	struct rig *rig = *state;
	struct http_client *usual = rig->client;
	char base[64], text[128];
	int fd = bound_socket(base, 0), filler[4];
	struct sockaddr_in address;
	socklen_t len = sizeof address;

	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	for (size_t i = 0; i < COUNT(filler); i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)connect(filler[i], (struct sockaddr *)&address, len);
	}
	config.connect_timeout_ms = 250;
	config.retries = 0;
	rig->client = http_client_new(&config, &status);
	rig->base = base;
	assert_null(rig_send(rig, .method = "PUT", .path = "/b"));
	(void)snprintf(text, sizeof text, "cannot reach %s: no connection within 250 ms", base);
	assert_failed(rig, COSI_UNAVAILABLE, text);
	assert_int_equal(rig->call.unknown_ms, 0);
	for (size_t i = 0; i < COUNT(filler); i++)
		(void)close(filler[i]);
	(void)close(fd);
	http_client_free(rig->client);
	rig->client = usual;
}

static void
test_connect__unknown_host(void **state)
{
	struct rig *rig = *state;

	rig->base = "http://nowhere.invalid:8000";
	assert_null(rig_send(rig, .method = "GET", .path = "/b"));
	assert_failed(rig, COSI_UNAVAILABLE,
		      "cannot reach http://nowhere.invalid:8000: unknown host");
}

static void
test_hang__timeout(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .then = HTTPD_HANG });

	assert_lost(rig, COSI_TIMEOUT, "no answer to 'PUT /b' from %B within 150 ms");
	httpd_release(rig->httpd);
}

static void
test_hang__in_the_body(void **state)
{
	struct rig *rig = scripted(
		state,
		(struct httpd_step){ .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
				     .then = HTTPD_HANG });

	assert_lost(rig, COSI_TIMEOUT, "no answer to 'PUT /b' from %B within 150 ms");
	httpd_release(rig->httpd);
}

/* Bytes that keep coming do not keep a request alive. */
static void
test_hang__slow_drip(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .bytes = "HTTP/1.1 200 OK\r\n\r\n",
							       .then = HTTPD_DRIP,
							       .again = "x" });

	assert_lost(rig, COSI_TIMEOUT, "no answer to 'PUT /b' from %B within 150 ms");
}

static void
test_closed__without_an_answer(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .then = HTTPD_CLOSE });

	assert_lost(rig, COSI_UNAVAILABLE,
		    "%B closed the connection instead of answering 'PUT /b'");
}

static void
test_reset__without_an_answer(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .then = HTTPD_RESET });

	assert_lost(rig, COSI_UNAVAILABLE,
		    "no answer to 'PUT /b' from %B: connection reset by peer");
}

static void
test_cut__in_the_head(void **state)
{
	static const char *const heads[] = { "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le",
					     "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HT" };

	for (size_t i = 0; i < COUNT(heads); i++) {
		struct rig *rig = scripted(
			state, (struct httpd_step){ .bytes = heads[i], .then = HTTPD_CLOSE });

		assert_lost(rig, COSI_UNAVAILABLE,
			    "%B closed the connection instead of answering 'PUT /b'");
	}
}

static void
test_cut__in_the_body(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
	};

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct rig *rig = scripted(
			state, (struct httpd_step){ .bytes = answers[i], .then = HTTPD_CLOSE });

		assert_lost(rig, COSI_UNAVAILABLE, "%B cut its answer to 'PUT /b' short");
	}
}

static void
test_reset__in_the_body(void **state)
{
	struct rig *rig = scripted(
		state,
		(struct httpd_step){ .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
				     .then = HTTPD_RESET });

	assert_lost(rig, COSI_UNAVAILABLE,
		    "no answer to 'PUT /b' from %B: connection reset by peer");
}

static void
test_nonsense__is_not_http(void **state)
{
	static const char *const answers[] = {
		"<html><body>welcome</body></html>\n",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"\r\n\r\n",
		"HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 abc\r\n\r\n",
		"HTTP/3.0 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
	};

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct rig *rig = scripted(
			state, (struct httpd_step){ .bytes = answers[i], .then = HTTPD_CLOSE });

		forget_failures(rig);
		assert_lost(rig, COSI_UNAVAILABLE,
			    "the answer of %B to 'PUT /b' is not valid HTTP");
	}
}

/* A store that refuses a large body does not read it first. */
static void
test_early__answer_to_a_large_body(void **state)
{
	const size_t len = (size_t)16 << 20; /* more than the sockets hold */
	struct rig *rig = scripted(state, (struct httpd_step){ .bytes = ANSWER("413 Too Large"),
							       .then = HTTPD_HANG,
							       .early = 1 });
	const struct cosi_http_reply *reply;
	char *body = calloc(1, len);

	assert_non_null(body);
	memset(body, 'x', len);
	reply = rig_send(rig, .method = "PUT", .path = "/b", .body = { body, len });
	assert_non_null(reply);
	assert_int_equal(reply->status, 413);
	assert_int_equal(rig->call.unknown_ms, 0);
	httpd_release(rig->httpd);
	free(body);
}

/* Neither the path nor anything else of such a request is told. */
static void
test_secret__path_in_no_text(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .then = HTTPD_CLOSE });

	assert_null(
		rig_send(rig, .method = "POST", .path = "/t0ken/3cret", .flags = COSI_HTTP_SECRET));
	assert_failed(rig, COSI_UNAVAILABLE,
		      rig_text(rig, "%B closed the connection instead of answering 'POST'"));
}

/* A path may hold what the sinks mask, and the text is cut before it comes to them. */
static void
test_secret__across_the_cut(void **state)
{
	struct rig *rig = *state;
	struct secret *secret = secret_new("HUNTER2HUNTER2", 14);
	char path[1100];

	for (int lead = 1024 - 110; lead < 1024; lead += 7) {
		(void)scripted(state, (struct httpd_step){ .then = HTTPD_CLOSE });
		(void)snprintf(path, sizeof path, "/%0*d%s", lead, 0, "HUNTER2HUNTER2");
		forget_failures(rig);
		rig->status = (struct status){ 0 };
		assert_null(rig_send(rig, .method = "PUT", .path = path));
		rig->status.text[secret_mask(rig->status.text, strlen(rig->status.text))] = '\0';
		assert_null(strstr(rig->status.text, "00H"));
	}
	secret_free(secret);
}

static void
test_timeout__of_the_request_wins(void **state)
{
	struct rig *rig = scripted(state, (struct httpd_step){ .then = HTTPD_HANG });

	assert_null(rig_send(rig, .method = "DELETE", .path = "/b", .timeout_ms = 90,
			     .flags = COSI_HTTP_FINAL));
	assert_failed(rig, COSI_TIMEOUT,
		      rig_text(rig, "no answer to 'DELETE /b' from %B within 90 ms"));
	assert_int_equal(rig->call.unknown_ms, 90);
	httpd_release(rig->httpd);
}

int
main(void)
{
#define UNIT(f) cmocka_unit_test_setup_teardown(f, open_rig, close_rig)
	const struct CMUnitTest tests[] = {
		UNIT(test_connect__refused),
		UNIT(test_connect__timeout),
		UNIT(test_connect__unknown_host),
		UNIT(test_hang__timeout),
		UNIT(test_hang__in_the_body),
		UNIT(test_hang__slow_drip),
		UNIT(test_closed__without_an_answer),
		UNIT(test_reset__without_an_answer),
		UNIT(test_cut__in_the_head),
		UNIT(test_cut__in_the_body),
		UNIT(test_reset__in_the_body),
		UNIT(test_nonsense__is_not_http),
		UNIT(test_early__answer_to_a_large_body),
		UNIT(test_secret__path_in_no_text),
		UNIT(test_secret__across_the_cut),
		UNIT(test_timeout__of_the_request_wins),
	};

	return RIG_RUN(tests);
}
