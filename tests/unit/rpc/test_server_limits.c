/* SPDX-License-Identifier: Apache-2.0
 * test_server_limits.c - the server at its limits and past them, and peers that speak no gRPC. */
#include <poll.h>
#include <sys/stat.h>

#include "server_rig.h"

#include "h2.h"

#include "banned.h"

enum { MANY = LIMIT_CALLS + LIMIT_STREAMS };

/* A create request of that many bytes in all, most of them in a field that is not known. */
static char *
padded(size_t len)
{
	char *bytes = malloc(len);
	size_t pad = len - 7; /* name, and the field's key and length */

	assert_non_null(bytes);
	memset(bytes, 'x', len);
	memcpy(bytes, "\x0a\x01n\x3a", 4);
	bytes[4] = (char)(0x80 | (pad & 0x7f));
	bytes[5] = (char)(0x80 | (pad >> 7 & 0x7f));
	bytes[6] = (char)(pad >> 14);
	return bytes;
}

static void
test_message__at_the_limit(void **state)
{
	struct fixture *f = *state;
	char *bytes = padded(LIMIT_MESSAGE);

	expect(client_call(f->channel, V1 "DriverCreateBucket", bytes, LIMIT_MESSAGE),
	       GRPC_STATUS_OK, "");
	free(bytes);
	bytes = padded(LIMIT_MESSAGE + 1);
	expect(client_call(f->channel, V1 "DriverCreateBucket", bytes, LIMIT_MESSAGE + 1),
	       GRPC_STATUS_RESOURCE_EXHAUSTED, "larger than max");
	free(bytes);
	assert_int_equal(f->sched.nsubmitted, 1);
}

/* 4 MiB of empty map entries are refused by size, 256 KiB of them by number: cheaply. */
static void
test_message__empty_map_entries(void **state)
{
	enum { HUGE = 4 << 20 };
	struct fixture *f = *state;
	char *bytes = malloc(HUGE);

	assert_non_null(bytes);
	for (int i = 0; i < HUGE; i += 2)
		memcpy(bytes + i, "\x12\x00", 2);
	expect(client_call(f->channel, V1 "DriverCreateBucket", bytes, HUGE),
	       GRPC_STATUS_RESOURCE_EXHAUSTED, "larger than max");
	expect(client_call(f->channel, V1 "DriverCreateBucket", bytes, LIMIT_MESSAGE),
	       GRPC_STATUS_INVALID_ARGUMENT, "more than 8192 fields");
	expect(client_call(f->channel, INFO1, bytes, LIMIT_MESSAGE), GRPC_STATUS_INVALID_ARGUMENT,
	       "more than 8192 fields");
	free(bytes);
	assert_int_equal(f->sched.nsubmitted, 0);
}

/* The code says that it is several, though none is taken in. */
static void
test_message__too_many_buckets(void **state)
{
	/* account_name "n", protocol S3, authentication_type KEY */
	static const char head[] = "\x0a\x01n\x12\x02\x08\x01\x1a\x02\x08\x01";
	/* a bucket with bucket_id "b", access_mode READ_WRITE */
	static const char bucket[] = "\x32\x07\x0a\x01"
				     "b\x12\x02\x08\x01";
	enum { HEAD = sizeof head - 1, BUCKET = sizeof bucket - 1 };
	struct fixture *f = *state;
	char bytes[HEAD + (LIMIT_BUCKETS + 1) * BUCKET];

	memcpy(bytes, head, HEAD);
	for (size_t i = 0; i <= LIMIT_BUCKETS; i++)
		memcpy(bytes + HEAD + i * BUCKET, bucket, BUCKET);
	expect(client_call(f->channel, V2 "DriverGrantBucketAccess", bytes, sizeof bytes),
	       GRPC_STATUS_OUT_OF_RANGE, "names 129 buckets, at most 128");
	expect(client_call(f->channel, V2 "DriverRevokeBucketAccess", bytes, sizeof bytes),
	       GRPC_STATUS_INVALID_ARGUMENT, "names 129 buckets, at most 128");
	assert_int_equal(f->sched.nsubmitted, 0);
	expect(client_call(f->channel, V2 "DriverGrantBucketAccess", bytes, HEAD + BUCKET),
	       GRPC_STATUS_OK, "");
	assert_int_equal(f->sched.nsubmitted, 1);
}

/* One connection has that many calls in flight; the next waits in the client. */
static void
test_streams__at_the_limit(void **state)
{
	struct fixture *f = *state;
	struct client_call *calls[LIMIT_STREAMS + 1];

	f->sched.hold = true;
	for (int i = 0; i <= LIMIT_STREAMS; i++)
		calls[i] = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, LIMIT_STREAMS);
	/* What comes on another connection overtakes the one that waits. */
	{
		grpc_channel *other = client_connect(f->path);

		expect(client_call(other, INFO1, "", 0), GRPC_STATUS_OK, "");
		grpc_channel_destroy(other);
	}
	assert_int_equal(f->sched.nsubmitted, LIMIT_STREAMS);
	fake_release(&f->sched);
	for (int i = 0; i <= LIMIT_STREAMS; i++) {
		(void)client_wait(calls[i]);
		expect(calls[i], GRPC_STATUS_OK, "");
	}
	assert_int_equal(f->sched.nsubmitted, LIMIT_STREAMS + 1);
}

/* All that may be in flight is; what comes then is refused, DriverGetInfo is not. */
static void
test_calls__at_the_limit(void **state)
{
	enum { CONNECTIONS = MANY / LIMIT_STREAMS };
	struct fixture *f = *state;
	grpc_channel *channels[CONNECTIONS];
	struct client_call **calls = calloc(MANY, sizeof *calls);
	int refused = 0;

	assert_non_null(calls);
	f->sched.hold = true;
	for (int i = 0; i < CONNECTIONS; i++)
		channels[i] = client_connect(f->path);
	for (int i = 0; i < LIMIT_CALLS; i++)
		calls[i] = client_start(channels[i / LIMIT_STREAMS], V1 "DriverCreateBucket",
					CREATE_N, -1);
	fake_wait_held(&f->sched, LIMIT_CALLS);
	for (int i = LIMIT_CALLS; i < MANY; i++)
		calls[i] = client_start(channels[i / LIMIT_STREAMS], V1 "DriverCreateBucket",
					CREATE_N, -1);
	for (int i = LIMIT_CALLS; i < MANY; i++) {
		refused += client_wait(calls[i]) == GRPC_STATUS_RESOURCE_EXHAUSTED;
		expect(calls[i], GRPC_STATUS_RESOURCE_EXHAUSTED, "too many calls are in flight");
	}
	assert_int_equal(refused, LIMIT_STREAMS);
	expect(client_call(f->channel, INFO2, "", 0), GRPC_STATUS_OK, "");
	fake_release(&f->sched);
	for (int i = 0; i < LIMIT_CALLS; i++) {
		(void)client_wait(calls[i]);
		expect(calls[i], GRPC_STATUS_OK, "");
	}
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
	for (int i = 0; i < CONNECTIONS; i++)
		grpc_channel_destroy(channels[i]);
	free(calls);
}

static void
test_calls__bytes_at_the_limit(void **state)
{
	enum { FIT = LIMIT_CALL_BYTES / LIMIT_MESSAGE };
	struct fixture *f = *state;
	struct client_call *calls[FIT];
	char *bytes = padded(LIMIT_MESSAGE);

	f->sched.hold = true;
	for (int i = 0; i < FIT; i++)
		calls[i] =
			client_start(f->channel, V1 "DriverCreateBucket", bytes, LIMIT_MESSAGE, -1);
	fake_wait_held(&f->sched, FIT);
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N),
	       GRPC_STATUS_RESOURCE_EXHAUSTED, "too many calls are in flight");
	fake_release(&f->sched);
	for (int i = 0; i < FIT; i++) {
		(void)client_wait(calls[i]);
		expect(calls[i], GRPC_STATUS_OK, "");
	}
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
	free(bytes);
}

/* A connection that has spoken; -1: it was closed. */
static int
greeted(const struct fixture *f)
{
	static const char hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
				    "\x00\x00\x00\x04\x00\x00\x00\x00\x00";
	int fd = raw_connect(f);
	char byte;

	(void)send(fd, hello, sizeof hello - 1, MSG_NOSIGNAL);
	if (recv(fd, &byte, 1, 0) == 1) /* the server's own hello */
		return fd;
	(void)close(fd);
	return -1;
}

static bool
is_open(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLRDHUP };

	assert_true(poll(&pollfd, 1, 0) >= 0);
	return pollfd.revents == 0;
}

/* One connection of a user above the limit is closed at once; no other user loses a connection or
 * is kept out.  Needs root, as the whole suite does. */
static void
test_connections__at_the_limit(void **state)
{
	const uid_t us = geteuid(), other = 12345;
	struct fixture *f = *state;
	int fds[LIMIT_CONNECTIONS_USER - 1], theirs;
	struct client_call *call;

	assert_int_equal(chmod(f->dir, 0711), 0);
	assert_int_equal(chmod(f->path, 0666), 0);
	f->sched.hold = true;
	call = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	for (int i = 0; i < LIMIT_CONNECTIONS_USER - 1; i++) {
		fds[i] = greeted(f);
		assert_true(fds[i] >= 0);
	}
	assert_int_equal(greeted(f), -1);
	assert_int_equal(seteuid(other), 0);
	theirs = greeted(f);
	assert_int_equal(seteuid(us), 0);
	assert_true(theirs >= 0);
	for (int i = 0; i < LIMIT_CONNECTIONS_USER - 1; i++)
		assert_true(is_open(fds[i]));
	(void)close(fds[0]); /* there is room again */
	while ((fds[0] = greeted(f)) < 0)
		;
	fake_release(&f->sched);
	(void)client_wait(call);
	expect(call, GRPC_STATUS_OK, "");
	(void)close(theirs);
	for (int i = 0; i < LIMIT_CONNECTIONS_USER - 1; i++)
		(void)close(fds[i]);
}

/* 256 calls in flight on 4 connections, answered by threads of their own. */
static void
test_calls__many_threads(void **state)
{
	enum { CONNECTIONS = 4, EACH = 64, ROUNDS = 4 };
	struct fixture *f = *state;
	grpc_channel *channels[CONNECTIONS];
	struct client_call *calls[CONNECTIONS * EACH];

	f->sched.elsewhere = true;
	for (int i = 0; i < CONNECTIONS; i++)
		channels[i] = client_connect(f->path);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CONNECTIONS * EACH; i++)
			calls[i] = client_start(channels[i % CONNECTIONS], V1 "DriverCreateBucket",
						CREATE_N, -1);
		for (int i = 0; i < CONNECTIONS * EACH; i++) {
			(void)client_wait(calls[i]);
			expect(calls[i], GRPC_STATUS_OK, "");
		}
	}
	for (int i = 0; i < CONNECTIONS; i++)
		grpc_channel_destroy(channels[i]);
}

/* Clients that cancel while replies are on their way: every call ends once. */
static void
test_calls__cancelled_meanwhile(void **state)
{
	enum { CALLS = 64, ROUNDS = 8 };
	struct fixture *f = *state;
	struct client_call *calls[CALLS];

	f->sched.elsewhere = true;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CALLS; i++)
			calls[i] = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
		for (int i = 0; i < CALLS; i++)
			(void)grpc_call_cancel(calls[i]->call, NULL);
		for (int i = 0; i < CALLS; i++) {
			grpc_status_code code = client_wait(calls[i]);

			assert_true(code == GRPC_STATUS_OK || code == GRPC_STATUS_CANCELLED);
			client_free(calls[i]);
		}
	}
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
}

/* Sends bytes and reads until the server closes; it must, and must go on serving. */
static void
closes(struct fixture *f, const char *bytes, size_t len)
{
	int fd = raw_connect(f);
	char sink[4096];

	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
	while (read(fd, sink, sizeof sink) > 0)
		;
	(void)close(fd);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
}

static void
test_peer__speaks_something_else(void **state)
{
	static const char http1[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
	static const char tls[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello";
	static const char cut[] = "PRI * HTTP/2.0\r\n\r\nXX";
	static const char frame[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
				    "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
				    "\xff\xff\xff\x00\x00\x00\x00\x00\x01";
	struct fixture *f = *state;

	closes(f, http1, sizeof http1 - 1);
	closes(f, tls, sizeof tls - 1);
	closes(f, cut, sizeof cut - 1);
	closes(f, frame, sizeof frame - 1);
}

/* Peers that begin messages of 256 KiB and never end them: when the core's memory is used up, calls
 * and connections that hold it are cut off (measured: 79 MiB resident at most, 534 MB without the
 * limit).  It may hit another's call, but not its every retry. */
static void
test_peer__never_ends_its_messages(void **state)
{
	enum { PEERS = 16, EACH = LIMIT_MESSAGE - 1024, RETRY_MS = 50 };
	struct fixture *f = *state;
	struct h2 *peers = calloc(PEERS, sizeof *peers);
	grpc_status_code code = GRPC_STATUS_UNKNOWN;
	size_t total = 0;

	assert_non_null(peers);
	for (int i = 0; i < PEERS; i++) {
		h2_begin(&peers[i], raw_connect(f), V1 "DriverCreateBucket");
		total += h2_pour(&peers[i], EACH);
	}
	assert_true(total > LIMIT_MEMORY / 2);
	assert_true(total < (size_t)PEERS * H2_STREAMS * EACH);
	for (int tries = 400; code != GRPC_STATUS_OK && tries > 0; tries--) {
		struct client_call *c = client_call(f->channel, V1 "DriverCreateBucket", CREATE_N);

		code = c->code;
		client_free(c);
		if (code != GRPC_STATUS_OK) /* the core cuts them off in its own time */
			(void)poll(NULL, 0, RETRY_MS);
	}
	assert_int_equal(code, GRPC_STATUS_OK);
	for (int i = 0; i < PEERS; i++)
		(void)close(peers[i].fd);
	free(peers);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_message__at_the_limit),         TEST(test_message__empty_map_entries),
		TEST(test_message__too_many_buckets),     TEST(test_streams__at_the_limit),
		TEST(test_calls__at_the_limit),           TEST(test_calls__bytes_at_the_limit),
		TEST(test_connections__at_the_limit),     TEST(test_calls__many_threads),
		TEST(test_calls__cancelled_meanwhile),    TEST(test_peer__speaks_something_else),
		TEST(test_peer__never_ends_its_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
