/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - what a request sent and what its reply held is gone when the call is over.
 *
 * The server is a child: its memory is not searched.
 */
#include "fakes/wipe.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/reply.h"
#include "rig.h"

#include "banned.h"

/* A body that libcurl's handle does not keep a buffer for. */
enum { LARGE = 200 * 1024 };

/* Answers each request with the secret in a header, and in a body of the length in its path; in
 * the answers to "/plain", which are large, are dots instead. */
static void
serve_child(int listener)
{
	static char request[8192], reply[LARGE + 1024], dots[WIPE_LEN + 1];

	memset(dots, '.', WIPE_LEN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		size_t len = 0;
		ssize_t n;

		while (fd >= 0 && (n = recv(fd, request + len, sizeof request - 1 - len, 0)) > 0) {
			bool plain;
			size_t size;
			int head;

			len += (size_t)n;
			request[len] = '\0';
			if (strstr(request, "end") == NULL)
				continue;
			len = 0;
			plain = strstr(request, "/plain") != NULL;
			size = plain || strstr(request, "/large") != NULL ? LARGE : WIPE_LEN;
			head = snprintf(
				reply, sizeof reply,
				"HTTP/1.1 200 OK\r\nX-Key: %s\r\nContent-Length: %zu\r\n\r\n",
				plain ? dots : wipe_secret(), size);
			memset(reply + head, '.', size);
			memcpy(reply + head + size - WIPE_LEN, plain ? dots : wipe_secret(),
			       WIPE_LEN);
			(void)!write(fd, reply, (size_t)head + size);
		}
		(void)close(fd);
	}
}

static pid_t
start_server(char *url, size_t size)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof address;
	pid_t child;

	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, 8), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	(void)snprintf(url, size, "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_child(listener);
	}
	(void)close(listener);
	return child;
}

/* Sends it in a header and in the body; both parts end with what the server waits for. */
static void
send_secret(struct rig *rig, const char *path)
{
	const struct cosi_http_reply *reply;
	char *value, *body;

	rig_begin(rig);
	value = arena_printf(&rig->arena, "Bearer %s", wipe_secret());
	body = arena_printf(&rig->arena, "%s end", wipe_secret());
	reply = http_send(rig->client, &rig->call, rig->base,
			  COSI_HTTP(.method = "PUT", .path = path, .nheaders = 1,
				    .headers = &(struct cosi_kv){ "Authorization", value },
				    .body = { body, strlen(body) }));
	assert_non_null(reply);
	assert_int_equal(reply->status, 200);
	assert_memory_equal((const char *)reply->body.data + reply->body.len - WIPE_LEN,
			    wipe_secret(), WIPE_LEN);
	assert_true(wipe_count() >= 4);
	arena_done(&rig->arena);
}

static void
send_plain(struct rig *rig)
{
	rig_begin(rig);
	assert_non_null(
		http_send(rig->client, &rig->call, rig->base,
			  COSI_HTTP(.method = "PUT", .path = "/plain", .body = { "end", 3 })));
	arena_done(&rig->arena);
}

static void
test_send__nothing_is_left(void **state)
{
	const struct http_config config = rig_config();
	struct rig rig = { .cancelled = false };
	struct status status = { 0 };
	char url[64];
	pid_t child;

	(void)state;
	(void)wipe_secret();
	child = start_server(url, sizeof url);
	arena_init(&rig.arena, (size_t)64 << 20);
	rig.base = url;
	rig.client = http_client_new(&config, &status);
	assert_non_null(rig.client);
	/* It starts the thread that closes idle connections, whose stack begins with the registers
	 * of this one. */
	send_plain(&rig);
	for (int i = 0; i < 2; i++) {
		send_secret(&rig, i == 0 ? "/small" : "/large");
		/* The handle waits for the next request, and libcurl's buffers in it keep what came
		 * last: the one for a header line, and the receive buffer, until it is filled in
		 * one piece. */
		for (int tries = 0; tries < 100 && wipe_count() > 0; tries++)
			send_plain(&rig);
		assert_int_equal(wipe_count(), 0);
	}
	http_client_free(rig.client);
	assert_int_equal(wipe_count(), 0);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

/* What libcurl would pass on: the secret in a header, and in a body that moves as it grows. */
static void
collect(struct reply *reply, struct arena *arena)
{
	static char filler[8192];
	char line[WIPE_LEN + 32];
	void *behind = NULL;
	int len = snprintf(line, sizeof line, "X-Key: %s\r\n", wipe_secret());

	reply_reset(reply, 1 << 20, arena);
	assert_int_equal(reply_header_cb((char[]){ "HTTP/1.1 200 OK\r\n" }, 1, 17, reply), 17);
	assert_int_equal(reply_header_cb(line, 1, (size_t)len, reply), len);
	explicit_bzero(line, sizeof line);
	assert_int_equal(reply_header_cb((char[]){ "\r\n" }, 1, 2, reply), 2);
	memset(filler, '.', sizeof filler);
	assert_int_equal(reply_body_cb(filler, 1, 512, reply), 512);
	memcpy(line, wipe_secret(), WIPE_LEN);
	assert_int_equal(reply_body_cb(line, 1, WIPE_LEN, reply), WIPE_LEN);
	explicit_bzero(line, sizeof line);
	for (int i = 0; i < 16; i++) {
		free(behind);
		behind = malloc(64);
		assert_non_null(behind);
		assert_int_equal(reply_body_cb(filler, 1, sizeof filler, reply), sizeof filler);
	}
	free(behind);
}

/* The reply of a failed call is not taken. */
static void
test_reply__not_taken(void **state)
{
	size_t before = wipe_count();
	struct reply reply = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	collect(&reply, &arena);
	assert_int_equal(wipe_count(), before + 2);
	reply_reset(&reply, 0, NULL);
	assert_int_equal(wipe_count(), before);
	collect(&reply, &arena);
	assert_int_equal(wipe_count(), before + 2);
	reply_done(&reply);
	assert_int_equal(wipe_count(), before);
	arena_done(&arena);
}

static int
setup(void **state)
{
	(void)state;
	/* Large blocks would go back to the system, where the test cannot see what they hold. */
	(void)mallopt(M_MMAP_THRESHOLD, 64 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	return http_global_init();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send__nothing_is_left),
		cmocka_unit_test(test_reply__not_taken),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
