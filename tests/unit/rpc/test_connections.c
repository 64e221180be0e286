/* SPDX-License-Identifier: Apache-2.0
 * test_connections.c - how many connections and calls there may be. */
#include "connections_rig.h"

#include "banned.h"

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

/* The core may be slow to close it: the next ones get room all the same, one for one. */
static void
test_add__closes_one_for_each(void **state)
{
	enum { MORE = 5 };
	struct fixture *f = *state;

	for (int i = 0; i < LIMIT_CONNECTIONS_USER; i++)
		(void)serve(f, 7, i);
	for (int i = 0; i < MORE; i++)
		assert_true(add(f, 7, A_LONG_TIME_MS) >= 0);
	for (int i = 0; i < LIMIT_CONNECTIONS_USER + MORE; i++)
		assert_int_equal(is_open(f, i), i >= MORE);
}

/* The table is full of others, too: the room is for the next attempt, however many come before. */
static void
test_add__closes_an_idle_one_of_all(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < LIMIT_CONNECTIONS; i++)
		(void)serve(f, (uid_t)(i / LIMIT_CONNECTIONS_USER), 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(f, 0, A_LONG_TIME_MS), -1);
	for (int i = 0; i < LIMIT_CONNECTIONS; i++)
		assert_int_equal(is_open(f, i), i > 0);
	core_closes(f, 0);
	assert_true(add(f, 0, A_LONG_TIME_MS) >= 0);
	assert_true(is_open(f, 1));
}

/* One that broke a limit counts until the core has closed it: that may take the core long. */
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_add__of_one_user),
		TEST(test_add__of_all),
		TEST(test_add__closes_an_idle_one),
		TEST(test_add__closes_one_for_each),
		TEST(test_add__closes_an_idle_one_of_all),
		TEST(test_add__closing_ones_count),
		TEST(test_add__descriptor_is_used_again),
		TEST(test_calls__of_one_connection),
		TEST(test_calls__of_all_connections),
		TEST(test_calls__unknown_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
