/* SPDX-License-Identifier: Apache-2.0
 * test_connections_close.c - which connections are closed: stalled, not allowed any more, at a
 * stop. */
#include "connections_rig.h"

#include <sched.h>

#include "banned.h"

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

struct review {
	struct connections *connections;
	struct peers peers;
};

static void *
reviews(void *arg)
{
	struct review *review = arg;

	connections_review(review->connections, &review->peers, 10);
	return NULL;
}

/* While it waits for the list of peers, calls begin and end. */
static void
test_review__holds_up_no_call(void **state)
{
	struct fixture *f = *state;
	struct review review = { .connections = &f->c };
	const struct peers_allowed nobody = { .limited = true };
	struct timespec until;
	pthread_t thread;
	int locked;

	(void)serve(f, 7, 1);
	assert_int_equal(peers_init(&review.peers, &nobody), 0);
	pthread_mutex_lock(&review.peers.mutex);
	assert_int_equal(pthread_create(&thread, NULL, reviews, &review), 0);
	/* glibc notes here that a thread waits for a mutex. */
	while (__atomic_load_n(&review.peers.mutex.__data.__lock, __ATOMIC_ACQUIRE) != 2)
		(void)sched_yield();
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
	until.tv_sec += 5;
	locked = pthread_mutex_timedlock(&f->c.mutex, &until);
	if (locked == 0)
		pthread_mutex_unlock(&f->c.mutex);
	pthread_mutex_unlock(&review.peers.mutex);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(locked, 0);
	(void)connections_check(&f->c, 10);
	assert_false(is_open(f, 0));
	peers_done(&review.peers);
}

/* The connection's calls may end within LIMIT_LEAVE_MS; it stays if it is allowed again by then. */
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_check__stalled),
		TEST(test_check__stalled_at_the_handoff),
		TEST(test_check__after_a_long_pause),
		TEST(test_check__nothing_left),
		TEST(test_review__idle_ones_close),
		TEST(test_review__holds_up_no_call),
		TEST(test_review__calls_end_first),
		TEST(test_goaway__idle_then_busy),
		TEST(test_goaway__who_is_waited_for),
		TEST(test_next__waits_for_one_or_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
