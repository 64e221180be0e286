/* SPDX-License-Identifier: Apache-2.0
 * test_connections.c - how many connections and calls there may be, and which connections close. */
#include "rig.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "rpc/connections.h"

#include "banned.h"

enum { PAIRS = LIMIT_CONNECTIONS + 1, A_LONG_TIME_MS = 600000 };

struct fixture {
	struct connections c;
	int pairs[PAIRS][2]; /* the core's end, the client's */
	int npairs;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	connections_init(&f->c);
	rig_capture();
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	if (rig_sink != NULL)
		rig_captured();
	for (int i = 0; i < f->npairs; i++) {
		if (f->pairs[i][0] >= 0)
			(void)close(f->pairs[i][0]);
		(void)close(f->pairs[i][1]);
	}
	connections_done(&f->c);
	free(f);
	return 0;
}

/* A connection of that user; its number, or -1: refused. */
static int
add(struct fixture *f, uid_t uid, int64_t now_ms)
{
	const struct ucred peer = { .pid = 77, .uid = uid };
	int *pair = f->pairs[f->npairs];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	if (connections_add(&f->c, pair[0], &peer, now_ms) < 0) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return -1;
	}
	return f->npairs++;
}

/* One that the core has. */
static int
serve(struct fixture *f, uid_t uid, int64_t now_ms)
{
	int i = add(f, uid, now_ms);

	if (i >= 0)
		connections_served(&f->c, connections_next(&f->c), now_ms);
	return i;
}

/* As the core does. */
static void
core_closes(struct fixture *f, int i)
{
	(void)close(f->pairs[i][0]);
	f->pairs[i][0] = -1;
}

static struct connection *
begin(struct fixture *f, int i, int n)
{
	struct connection *connection = NULL;

	while (n-- > 0)
		connection = connections_begin_call(&f->c, f->pairs[i][0], 2);
	return connection;
}

static void
end(struct fixture *f, struct connection *connection, int n)
{
	while (n-- > 0)
		connections_end_call(&f->c, connection, 3);
}

static bool
is_open(const struct fixture *f, int i)
{
	struct pollfd pollfd = { .fd = f->pairs[i][1] };

	assert_true(poll(&pollfd, 1, 0) >= 0);
	return pollfd.revents == 0;
}

static void
test_add__of_one_user(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < LIMIT_CONNECTIONS_USER; i++)
		assert_true(serve(f, 7, 1) >= 0);
	assert_int_equal(add(f, 7, LIMIT_IDLE_MS), -1);
	assert_int_equal(add(f, 7, LIMIT_IDLE_MS), -1); /* logged once a minute */
	assert_true(add(f, 8, LIMIT_IDLE_MS) >= 0);
	core_closes(f, 0);
	assert_true(add(f, 7, LIMIT_IDLE_MS) >= 0);
	for (int i = 1; i < LIMIT_CONNECTIONS_USER; i++)
		assert_true(is_open(f, i));
	rig_captured();
	rig_sink = NULL;
	assert_int_equal(rig_lines("refusing a connection of user 7, process 77: 64 of its "
				   "connections are open (limit 64, of all users 256)"),
			 1);
	assert_int_equal(rig_lines("\n"), 1);
}

/* Connections without a call, however old, of others than the one who comes stay. */
static void
test_add__of_all(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < LIMIT_CONNECTIONS; i++)
		assert_int_equal(serve(f, (uid_t)(i / LIMIT_CONNECTIONS_USER), 1), i);
	assert_int_equal(add(f, 99, A_LONG_TIME_MS), -1);
	for (int i = 0; i < LIMIT_CONNECTIONS; i++)
		assert_true(is_open(f, i));
	core_closes(f, 100);
	assert_true(add(f, 99, A_LONG_TIME_MS) >= 0);
}

/* At the user's limit: the one of its own that has been idle longest goes, if for long enough. */
static void
test_add__closes_an_idle_one(void **state)
{
	struct fixture *f = *state;
	struct connection *busy, *used;

	for (int i = 0; i < LIMIT_CONNECTIONS_USER; i++)
		(void)serve(f, 7, i == 0 ? 0 : 1);
	busy = begin(f, 0, 1);
	used = begin(f, 1, 1);
	end(f, used, 1); /* idle since 3 */
	assert_int_equal(add(f, 7, LIMIT_IDLE_MS), -1);
	assert_true(add(f, 7, LIMIT_IDLE_MS + 1) >= 0);
	assert_true(is_open(f, 0));
	assert_true(is_open(f, 1));
	assert_false(is_open(f, 2));
	end(f, busy, 1);
}

/* One that was shut down counts until the core has closed it: it may take the core long. */
static void
test_add__closing_ones_count(void **state)
{
	struct fixture *f = *state;
	struct connection *connection;

	for (int i = 0; i < LIMIT_CONNECTIONS_USER; i++)
		(void)serve(f, 7, 1);
	connection = begin(f, 0, LIMIT_OPEN_CALLS + 1);
	assert_false(is_open(f, 0));
	assert_int_equal(add(f, 7, 2), -1);
	end(f, connection, LIMIT_OPEN_CALLS + 1);
	core_closes(f, 0);
	assert_true(add(f, 7, 2) >= 0);
}

/* The core closes a descriptor, and the next connection gets its number. */
static void
test_add__descriptor_is_used_again(void **state)
{
	struct fixture *f = *state;
	int first = serve(f, 7, 1), fd = f->pairs[first][0], second;

	core_closes(f, first);
	second = serve(f, 8, 2);
	assert_int_equal(f->pairs[second][0], fd);
	assert_int_equal(begin(f, second, 1)->peer.uid, 8);
	connections_close(&f->c);
	assert_false(is_open(f, second));
}

static void
test_calls__of_one_connection(void **state)
{
	struct fixture *f = *state;
	int greedy = serve(f, 7, 1), other = serve(f, 7, 1);
	struct connection *connection = begin(f, greedy, LIMIT_OPEN_CALLS);

	(void)begin(f, other, 1);
	end(f, connection, 1);
	(void)begin(f, greedy, 1);
	assert_true(is_open(f, greedy));
	(void)begin(f, greedy, 1);
	assert_false(is_open(f, greedy));
	(void)begin(f, greedy, 5); /* what was on its way */
	assert_true(is_open(f, other));
	assert_int_equal(f->c.ncalls, 1);
	end(f, connection, LIMIT_OPEN_CALLS + 6);
	assert_int_equal(f->c.ncalls, 1);
	rig_captured();
	rig_sink = NULL;
	assert_int_equal(rig_lines("closing a connection of user 7, process 77: 769 unfinished "
				   "calls (limit 768, of all connections 4096)"),
			 1);
}

/* All together have too many: the one with most goes, and it alone. */
static void
test_calls__of_all_connections(void **state)
{
	enum { N = LIMIT_OPEN_CALLS_ALL / LIMIT_OPEN_CALLS + 1, MOST = 3 };
	struct fixture *f = *state;
	int left = LIMIT_OPEN_CALLS_ALL - LIMIT_OPEN_CALLS;

	for (int i = 0; i < N; i++)
		(void)serve(f, 7, 1);
	(void)begin(f, MOST, LIMIT_OPEN_CALLS);
	for (int i = 0; left > 0; i++) {
		int n = left < LIMIT_OPEN_CALLS - 1 ? left : LIMIT_OPEN_CALLS - 1;

		if (i == MOST)
			continue;
		(void)begin(f, i, n);
		left -= n;
	}
	for (int i = 0; i < N; i++)
		assert_true(is_open(f, i));
	(void)begin(f, N - 1, 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_open(f, i), i != MOST);
	(void)begin(f, N - 1, 1);
	assert_true(is_open(f, 0));
}

static void
test_calls__unknown_connection(void **state)
{
	struct fixture *f = *state;

	(void)add(f, 7, 1); /* not the core's yet */
	assert_null(connections_begin_call(&f->c, f->pairs[0][0], 1));
	assert_null(connections_begin_call(&f->c, -1, 1));
	assert_int_equal(f->c.ncalls, 0);
}

static void
send_much(const struct fixture *f, int i)
{
	char bytes[4096] = { 0 };

	assert_int_equal(send(f->pairs[i][1], bytes, sizeof bytes, 0), sizeof bytes);
}

/* It has unread bytes at each check, and no call of it begins or ends. */
static void
test_check__stalled(void **state)
{
	struct fixture *f = *state;
	int flood = serve(f, 7, 1), quiet = serve(f, 7, 1), busy = serve(f, 7, 1);
	int64_t now_ms = 1000;

	send_much(f, flood);
	send_much(f, busy);
	for (; now_ms < 1000 + LIMIT_STALL_MS; now_ms += LIMIT_CHECK_MS) {
		assert_true(is_open(f, flood));
		assert_true(connections_check(&f->c, now_ms));
		(void)begin(f, busy, 1);
	}
	assert_false(is_open(f, flood));
	assert_true(is_open(f, quiet));
	assert_true(is_open(f, busy));
	rig_captured();
	rig_sink = NULL;
	assert_int_equal(rig_lines("closing a connection of user 7, process 77: what it sent was "
				   "not read to its end for 2 s"),
			 1);
}

/* One that the handoff thread does not get rid of is checked, too. */
static void
test_check__stalled_at_the_handoff(void **state)
{
	struct fixture *f = *state;
	int flood = add(f, 7, 1);
	struct connection *connection = connections_next(&f->c);

	send_much(f, flood);
	for (int64_t ms = 0; ms < LIMIT_STALL_MS; ms += LIMIT_CHECK_MS) {
		assert_true(is_open(f, flood));
		(void)connections_check(&f->c, A_LONG_TIME_MS + ms);
	}
	assert_false(is_open(f, flood));
	connections_served(&f->c, connection, 2);
}

/* A process that was stopped finds its clients' bytes unread, once. */
static void
test_check__after_a_long_pause(void **state)
{
	struct fixture *f = *state;
	int i = serve(f, 7, 1);

	send_much(f, i);
	(void)connections_check(&f->c, 1000);
	(void)connections_check(&f->c, 1000 + A_LONG_TIME_MS);
	assert_true(is_open(f, i));
}

static void
test_check__nothing_left(void **state)
{
	struct fixture *f = *state;
	int i;

	assert_false(connections_check(&f->c, 1));
	i = serve(f, 7, 1);
	assert_true(connections_check(&f->c, 1));
	core_closes(f, i);
	assert_false(connections_check(&f->c, 2));
}

static void
allow(struct fixture *f, const uid_t *uid, int64_t now_ms)
{
	struct peers peers;

	assert_int_equal(
		peers_init(&peers,
			   &(struct peers_allowed){ .limited = true, .nuids = 1, .uids = uid }),
		0);
	connections_review(&f->c, &peers, now_ms);
	(void)connections_check(&f->c, now_ms);
	peers_done(&peers);
}

static void
test_review__idle_ones_close(void **state)
{
	struct fixture *f = *state;
	int wanted = serve(f, 7, 1), unwanted = serve(f, 8, 1);

	allow(f, &(uid_t){ 7 }, 10);
	assert_true(is_open(f, wanted));
	assert_false(is_open(f, unwanted));
}

/* Its calls may end within LIMIT_LEAVE_MS, and one that is allowed again meanwhile stays. */
static void
test_review__calls_end_first(void **state)
{
	struct fixture *f = *state;
	int ends = serve(f, 8, 1), stays = serve(f, 9, 1), never = serve(f, 8, 1);
	struct connection *calls[] = { begin(f, ends, 1), begin(f, stays, 1), begin(f, never, 1) };

	allow(f, &(uid_t){ 7 }, 10);
	allow(f, &(uid_t){ 9 }, 20);
	end(f, calls[0], 1);
	end(f, calls[1], 1);
	(void)connections_check(&f->c, 20 + LIMIT_LEAVE_MS - 1);
	assert_false(is_open(f, ends));
	assert_true(is_open(f, stays));
	assert_true(is_open(f, never));
	(void)connections_check(&f->c, 20 + LIMIT_LEAVE_MS);
	assert_true(is_open(f, stays));
	assert_false(is_open(f, never));
}

static bool
got_goaway(const struct fixture *f, int i)
{
	static const char goaway[17] = { 0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, -1, -1, -1 };
	char got[64];
	ssize_t n = recv(f->pairs[i][1], got, sizeof got, 0);

	if (n < 0)
		return false;
	assert_int_equal(n, sizeof goaway);
	assert_memory_equal(got, goaway, sizeof goaway);
	return true;
}

/* Once each: first the idle ones, then those that always have a call, but none whose client has not
 * read what it was sent. */
static void
test_goaway__idle_then_busy(void **state)
{
	struct fixture *f = *state;
	int idle = serve(f, 7, 1), busy = serve(f, 7, 1), deaf = serve(f, 7, 1);

	(void)begin(f, busy, 1);
	(void)begin(f, deaf, 1);
	assert_int_equal(send(f->pairs[deaf][0], "answer", 6, 0), 6);
	assert_true(connections_goaway(&f->c, false, A_LONG_TIME_MS));
	assert_true(got_goaway(f, idle));
	assert_false(got_goaway(f, busy));
	assert_true(connections_goaway(&f->c, true, A_LONG_TIME_MS));
	assert_false(got_goaway(f, idle));
	assert_true(got_goaway(f, busy));
	assert_int_equal(recv(f->pairs[deaf][1], (char[8]){ 0 }, 8, 0), 6);
	assert_true(connections_goaway(&f->c, true, A_LONG_TIME_MS));
	assert_true(got_goaway(f, deaf));
}

/* It waits for each once: until it has left, or for that long. */
static void
test_goaway__who_is_waited_for(void **state)
{
	struct fixture *f = *state;
	int leaves = serve(f, 7, 1), stays = serve(f, 7, 1), late;

	assert_true(connections_goaway(&f->c, false, A_LONG_TIME_MS));
	core_closes(f, leaves);
	assert_true(connections_goaway(&f->c, false, A_LONG_TIME_MS));
	assert_false(connections_goaway(&f->c, false, 0));
	late = add(f, 7, 1);
	assert_true(connections_goaway(&f->c, true, 0)); /* it is not the core's yet */
	connections_served(&f->c, connections_next(&f->c), 1);
	assert_false(connections_goaway(&f->c, true, 0));
	assert_true(got_goaway(f, late));
	core_closes(f, late);
	core_closes(f, stays);
	assert_false(connections_goaway(&f->c, false, A_LONG_TIME_MS));
}

static void *
take_one(void *arg)
{
	return connections_next(arg);
}

static void
test_next__waits_for_one_or_the_end(void **state)
{
	struct fixture *f = *state;
	struct connection *taken = NULL;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, take_one, &f->c), 0);
	(void)add(f, 7, 1);
	assert_int_equal(pthread_join(thread, (void **)&taken), 0);
	assert_non_null(taken);
	assert_false(connections_wait_served(&f->c, 10));
	connections_served(&f->c, taken, 1);
	assert_true(connections_wait_served(&f->c, A_LONG_TIME_MS));
	(void)add(f, 7, 1);
	connections_stop(&f->c);
	taken = connections_next(&f->c);
	assert_non_null(taken); /* what was accepted is handed off before the end */
	connections_served(&f->c, taken, 1);
	assert_null(connections_next(&f->c));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_add__of_one_user),
		TEST(test_add__of_all),
		TEST(test_add__closes_an_idle_one),
		TEST(test_add__closing_ones_count),
		TEST(test_add__descriptor_is_used_again),
		TEST(test_calls__of_one_connection),
		TEST(test_calls__of_all_connections),
		TEST(test_calls__unknown_connection),
		TEST(test_check__stalled),
		TEST(test_check__stalled_at_the_handoff),
		TEST(test_check__after_a_long_pause),
		TEST(test_check__nothing_left),
		TEST(test_review__idle_ones_close),
		TEST(test_review__calls_end_first),
		TEST(test_goaway__idle_then_busy),
		TEST(test_goaway__who_is_waited_for),
		TEST(test_next__waits_for_one_or_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
