/* SPDX-License-Identifier: Apache-2.0
 * test_held.c - how many calls connections may hold, one and all, and which is closed. */
#include "rig.h"

#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "rpc/held.h"

#include "banned.h"

enum { PAIRS = LIMIT_UNFINISHED_ALL / LIMIT_UNFINISHED + 1 };

struct table {
	struct held held;
	int pairs[PAIRS][2];
};

static int
setup(void **state)
{
	struct table *t = calloc(1, sizeof *t);

	assert_non_null(t);
	held_init(&t->held);
	for (int i = 0; i < PAIRS; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, t->pairs[i]),
				 0);
		held_expect(&t->held, t->pairs[i][0]);
		held_arrive(&t->held, t->pairs[i][0], 1);
	}
	rig_capture();
	*state = t;
	return 0;
}

static int
teardown(void **state)
{
	struct table *t = *state;

	for (int i = 0; i < PAIRS; i++) {
		(void)close(t->pairs[i][0]);
		(void)close(t->pairs[i][1]);
	}
	held_done(&t->held);
	free(t);
	return 0;
}

static void
add(struct table *t, int pair, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(held_add(&t->held, t->pairs[pair][0], 2), 0);
}

static void
drop(struct table *t, int pair, int n)
{
	for (int i = 0; i < n; i++)
		held_remove(&t->held, t->pairs[pair][0], 3);
}

static bool
is_open(const struct table *t, int pair)
{
	struct pollfd pollfd = { .fd = t->pairs[pair][1] };

	assert_true(poll(&pollfd, 1, 0) >= 0);
	return pollfd.revents == 0;
}

static void
test_one__at_and_past(void **state)
{
	struct table *t = *state;

	add(t, 0, LIMIT_UNFINISHED);
	add(t, 1, 1);
	drop(t, 0, 1);
	add(t, 0, 1);
	assert_true(is_open(t, 0));
	add(t, 0, 1);
	assert_false(is_open(t, 0));
	add(t, 0, 5); /* what was on its way */
	assert_true(is_open(t, 1));
	assert_int_equal(t->held.ncalls, 1);
	drop(t, 0, LIMIT_UNFINISHED + 6);
	assert_int_equal(t->held.ncalls, 1);
	/* Another on that descriptor counts again. */
	held_expect(&t->held, t->pairs[0][0]);
	held_arrive(&t->held, t->pairs[0][0], 4);
	add(t, 0, 2);
	assert_int_equal(t->held.ncalls, 3);
	rig_captured();
	assert_int_equal(rig_lines("closing a connection of user"), 1);
}

/* All together hold too many: that with most goes, once. */
static void
test_all__at_and_past(void **state)
{
	struct table *t = *state;
	int left = LIMIT_UNFINISHED_ALL - LIMIT_UNFINISHED;

	add(t, 3, LIMIT_UNFINISHED);
	for (int i = 0; left > 0; i++) {
		int n = left < LIMIT_UNFINISHED - 1 ? left : LIMIT_UNFINISHED - 1;

		if (i == 3)
			continue;
		add(t, i, n);
		left -= n;
	}
	for (int i = 0; i < PAIRS; i++)
		assert_true(is_open(t, i));
	add(t, PAIRS - 1, 1);
	for (int i = 0; i < PAIRS; i++)
		assert_int_equal(is_open(t, i), i != 3);
	add(t, PAIRS - 1, 1);
	assert_true(is_open(t, 0));
	rig_captured();
	assert_int_equal(rig_lines("it holds 768 calls"), 1);
}

static void
test_idle__since_the_last_call(void **state)
{
	struct table *t = *state;
	int fd = t->pairs[0][0];

	rig_captured();
	assert_int_equal(held_idle_since(&t->held, fd), 1);
	add(t, 0, 2);
	drop(t, 0, 1);
	assert_true(held_idle_since(&t->held, fd) == CLOCK_NEVER);
	drop(t, 0, 1);
	assert_int_equal(held_idle_since(&t->held, fd), 3);
}

/* One that is on its way to the core is not idle, not even when the descriptor's last user, which
 * has gone already, arrives late. */
static void
test_idle__not_while_expected(void **state)
{
	struct table *t = *state;
	int fd = t->pairs[0][0];

	rig_captured();
	held_expect(&t->held, fd);
	held_expect(&t->held, fd);
	held_arrive(&t->held, fd, 5);
	assert_true(held_idle_since(&t->held, fd) == CLOCK_NEVER);
	held_arrive(&t->held, fd, 6);
	assert_int_equal(held_idle_since(&t->held, fd), 6);
}

static void
test_unknown__not_counted(void **state)
{
	struct table *t = *state;

	rig_captured();
	assert_int_equal(held_add(&t->held, -1, 1), -1);
	assert_int_equal(t->held.ncalls, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one__at_and_past),          TEST(test_all__at_and_past),
		TEST(test_idle__since_the_last_call), TEST(test_idle__not_while_expected),
		TEST(test_unknown__not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
