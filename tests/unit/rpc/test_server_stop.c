/* SPDX-License-Identifier: Apache-2.0
 * test_server_stop.c - starts that fail, and stops: calls finish, or are cut off in time. */
#include "server_rig.h"

#include "h2.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "banned.h"

struct stopping {
	struct fixture *f;
	int64_t drain_ms;
	int rc;
	pthread_t thread;
};

static void *
stop_in_thread(void *arg)
{
	struct stopping *s = arg;

	s->rc = server_stop(s->f->server, s->drain_ms);
	server_done();
	return NULL;
}

static void
stop_begin(struct stopping *s, struct fixture *f, int64_t drain_ms)
{
	*s = (struct stopping){ .f = f, .drain_ms = drain_ms };
	assert_int_equal(pthread_create(&s->thread, NULL, stop_in_thread, s), 0);
}

static int
stop_end(struct stopping *s)
{
	assert_int_equal(pthread_join(s->thread, NULL), 0);
	s->f->server = NULL;
	rig_captured();
	return s->rc;
}

/* Calls are served until the client has been sent GOAWAY; the next one finds no socket. */
static void
wait_refused(struct fixture *f)
{
	struct client_call *c;

	while ((c = client_call(f->channel, INFO1, "", 0))->code == GRPC_STATUS_OK)
		client_free(c);
	expect(c, GRPC_STATUS_UNAVAILABLE, "No such file");
}

/* clause 57: calls in flight finish, new ones are UNAVAILABLE, the socket is gone at once. */
static void
test_stop__lets_calls_finish(void **state)
{
	struct fixture *f = *state;
	struct client_call *calls[3];
	struct stopping s;

	f->sched.hold = true;
	for (int i = 0; i < 3; i++)
		calls[i] = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 3);
	stop_begin(&s, f, 60000);
	wait_refused(f);
	assert_int_equal(access(f->path, F_OK), -1);
	fake_release(&f->sched);
	for (int i = 0; i < 3; i++) {
		(void)client_wait(calls[i]);
		expect(calls[i], GRPC_STATUS_OK, "");
	}
	assert_int_equal(stop_end(&s), 0);
	assert_int_equal(f->sched.ncancelled, 0);
}

/* Makes call number n and waits for its end; true: it was answered with a message. */
static bool
is_answered(struct h2 *peer, uint32_t n, const char *method, const char *bytes, uint8_t len)
{
	static const uint8_t room[4] = { 0, 0, 1, 0 };
	uint32_t nmessages = peer->nmessages;

	h2_call(peer, n, method, bytes, len);
	while (peer->nended <= n && !peer->dead)
		h2_read(peer, H2_PATIENCE_MS);
	assert_false(peer->dead);
	h2_frame(peer, H2_WINDOW, 0, 0, room, sizeof room); /* for the next answer */
	return peer->nmessages > nmessages;
}

/* A client that stays after GOAWAY is served for a moment more, and then refused. */
static void
test_stop__goaway_is_ignored(void **state)
{
	struct fixture *f = *state;
	struct h2 *peer = calloc(1, sizeof *peer);
	struct client_call *c;
	struct stopping s;
	uint32_t n = 0;

	assert_non_null(peer);
	h2_hello(peer, raw_connect(f));
	f->sched.hold = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	stop_begin(&s, f, 60000);
	while (!peer->unwelcome)
		h2_read(peer, H2_PATIENCE_MS);
	f->sched.hold = false;
	assert_true(is_answered(peer, n++, V1 "DriverCreateBucket", CREATE_N));
	while (is_answered(peer, n++, INFO1, "", 0))
		;
	assert_false(is_answered(peer, n++, V1 "DriverCreateBucket", CREATE_N));
	(void)close(peer->fd);
	free(peer);
	fake_release(&f->sched);
	(void)client_wait(c);
	expect(c, GRPC_STATUS_OK, "");
	assert_int_equal(stop_end(&s), 0);
	assert_int_equal(f->sched.nsubmitted, 2);
	assert_int_equal(rig_lines("cannot serve DriverGetInfo: the daemon is stopping"), 1);
	assert_int_equal(rig_lines("cannot serve DriverCreateBucket: the daemon is stopping"), 1);
}

static void
test_stop__cuts_off_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct client_call *c;
	struct stopping s;

	f->sched.hold = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	stop_begin(&s, f, 10);
	(void)client_wait(c);
	expect(c, GRPC_STATUS_UNAVAILABLE, "cannot create bucket 'n': cosid is stopping");
	assert_int_equal(stop_end(&s), -1);
	assert_int_equal(f->sched.ncancelled, 1);
	assert_int_equal(rig_lines("cosid is stopping"), 1);
	assert_int_equal(rig_lines("went away"), 0);
}

/* A stop waits for replies that the client does not read (its window is empty), but not as long as
 * for calls that work. */
static void
test_stop__answers_not_read(void **state)
{
	enum { CALLS = 3 };
	struct fixture *f = *state;
	struct h2 *peer = calloc(1, sizeof *peer);

	assert_non_null(peer);
	h2_hello(peer, raw_connect(f));
	h2_frame(peer, H2_SETTINGS, 0, 0, "\0\x04\0\0\0\0", 6);
	f->sched.hold = true;
	for (uint32_t i = 0; i < CALLS; i++)
		h2_call(peer, i, V1 "DriverCreateBucket", CREATE_N);
	fake_wait_held(&f->sched, CALLS);
	fake_release(&f->sched);
	stop(f);
	(void)close(peer->fd);
	free(peer);
}

/* The client is gone and its connection too, but the reply is still to come: the server waits for
 * it. */
static void
test_stop__waits_for_the_last_reply(void **state)
{
	const struct timespec soon = { .tv_nsec = 200000000 };
	struct fixture *f = *state;
	struct client_call *c;
	struct stopping s;
	struct timespec until;

	f->sched.hold = true;
	f->sched.deaf = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	assert_int_equal(grpc_call_cancel(c->call, NULL), GRPC_CALL_OK);
	(void)client_wait(c);
	client_free(c);
	grpc_channel_destroy(f->channel);
	fake_wait_cancelled(&f->sched, 1);
	stop_begin(&s, f, 60000);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
	until.tv_nsec += soon.tv_nsec;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert_int_not_equal(pthread_timedjoin_np(s.thread, NULL, &until), 0);
	fake_release(&f->sched);
	assert_int_equal(stop_end(&s), 0);
	f->channel = client_connect(f->path);
}

static void
test_stop__idle(void **state)
{
	struct fixture *f = *state;

	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	stop(f);
}

/* A peer that began to speak HTTP/2 and reads nothing, and one that says nothing at all. */
static void
test_stop__deaf_peers(void **state)
{
	struct fixture *f = *state;
	int deaf = raw_connect(f), silent = raw_connect(f);

	assert_int_equal(send(deaf, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, MSG_NOSIGNAL), 24);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	stop(f);
	(void)close(deaf);
	(void)close(silent);
}

/* One without a call, whose confirmations fill the socket: it would block the core's last words. */
static void
test_stop__confirmations_not_read(void **state)
{
	const struct timeval patience = { .tv_sec = H2_PATIENCE_MS / 1000 };
	struct fixture *f = *state;
	struct h2 *peer = calloc(1, sizeof *peer);

	assert_non_null(peer);
	h2_hello(peer, raw_connect(f));
	assert_int_equal(setsockopt(peer->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience),
			 0);
	while (!peer->dead) /* until it is not read any more */
		h2_frame(peer, H2_SETTINGS, 0, 0, NULL, 0);
	stop(f);
	(void)close(peer->fd);
	free(peer);
}

static void
test_restart__same_socket(void **state)
{
	struct fixture *f = *state;
	struct server_config config = { .socket_path = f->path,
					.socket_mode = 0660,
					.listen_fd = -1 };
	struct status status = { 0 };
	struct stat st;

	for (int i = 0; i < 3; i++) {
		stop(f);
		rig_capture();
		f->server = server_start(&config, &f->sched, &status);
		assert_non_null(f->server);
		assert_int_equal(stat(f->path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0660);
		grpc_channel_destroy(f->channel);
		f->channel = client_connect(f->path);
		expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	}
}

/* clause 53: what keeps it from serving is said, and nothing is left behind. */
static void
test_start__fails_clearly(void **state)
{
	struct fixture *f = *state;
	struct server_config config = { .socket_path = f->path,
					.socket_mode = 0600,
					.listen_fd = -1 };
	struct status status = { 0 };

	assert_null(server_start(&config, &f->sched, &status));
	assert_non_null(strstr(status.text, "another process listens there"));
	status = (struct status){ 0 };
	config.socket_path = "/tmp/cosid-rpc-nowhere/cosi.sock";
	assert_null(server_start(&config, &f->sched, &status));
	assert_non_null(strstr(status.text, "/tmp/cosid-rpc-nowhere"));
	status = (struct status){ 0 };
	config.listen_fd = 0;
	assert_null(server_start(&config, &f->sched, &status));
	assert_non_null(strstr(status.text, "not a listening UNIX socket"));
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
}

/* A socket that systemd holds: served, and left where it is. */
static void
test_start__inherited_socket(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct server_config config = { .socket_path = f->path };
	struct status status = { 0 };

	stop(f);
	config.listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", f->path);
	assert_int_equal(bind(config.listen_fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(config.listen_fd, 8), 0);
	rig_capture();
	f->server = server_start(&config, &f->sched, &status);
	assert_non_null(f->server);
	grpc_channel_destroy(f->channel);
	f->channel = client_connect(f->path);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	stop(f);
	assert_int_equal(unlink(f->path), 0);
}

static void
test_start__peers_limited(void **state)
{
	struct fixture *f = *state;
	const uid_t other = geteuid() + 1, us = geteuid();
	struct server_config config = { .socket_path = f->path,
					.socket_mode = 0600,
					.listen_fd = -1,
					.allowed_peers = {
						.limited = true, .nuids = 1, .uids = &other } };
	struct status status = { 0 };

	stop(f);
	rig_capture();
	f->server = server_start(&config, &f->sched, &status);
	assert_non_null(f->server);
	grpc_channel_destroy(f->channel);
	f->channel = client_connect(f->path);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_UNAVAILABLE, "");
	stop(f);
	assert_int_equal(rig_lines("not in allowed_peers"), 1);
	config.allowed_peers.uids = &us;
	rig_capture();
	f->server = server_start(&config, &f->sched, &status);
	grpc_channel_destroy(f->channel);
	f->channel = client_connect(f->path);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stop__lets_calls_finish),
		TEST(test_stop__goaway_is_ignored),
		TEST(test_stop__cuts_off_at_the_end),
		TEST(test_stop__answers_not_read),
		TEST(test_stop__waits_for_the_last_reply),
		TEST(test_stop__idle),
		TEST(test_stop__deaf_peers),
		TEST(test_stop__confirmations_not_read),
		TEST(test_restart__same_socket),
		TEST(test_start__fails_clearly),
		TEST(test_start__inherited_socket),
		TEST(test_start__peers_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
