/* SPDX-License-Identifier: Apache-2.0
 * test_locks.c - queues of tickets: order, sharing, giving up. */
#include "sched/locks.h"

#include "fakes.h"

#include "banned.h"

enum { SETS = 8, TICKETS = 3 };

/* A few sets of tickets, and the table. */
struct bench {
	struct locks locks;
	struct lock_set sets[SETS];
	struct ticket tickets[SETS][TICKETS];
};

static struct bench *
bench_new(void)
{
	struct bench *bench = calloc(1, sizeof *bench);

	assert_non_null(bench);
	for (size_t i = 0; i < SETS; i++)
		bench->sets[i].tickets = bench->tickets[i];
	return bench;
}

static void
bench_free(struct bench *bench)
{
	assert_int_equal(bench->locks.nkeys, 0);
	locks_done(&bench->locks);
	free(bench);
}

/* Draws; a name that begins with a !-mark is drawn exclusively.  True: the set holds
 * all of them. */
static bool
draw(struct bench *bench, size_t i, const char *const *names)
{
	struct lock_set *set = &bench->sets[i];

	for (set->n = 0; names[set->n] != NULL; set->n++)
		set->tickets[set->n] = (struct ticket){
			.name = names[set->n] + (names[set->n][0] == '!'),
			.exclusive = names[set->n][0] == '!',
		};
	assert_int_equal(locks_draw(&bench->locks, set), 0);
	return set->waiting == 0;
}

#define DRAW(bench, i, ...) draw((bench), (i), (const char *const[]){ __VA_ARGS__, NULL })

/* Gives back; returns the numbers of the sets that got ready, as digits of a number. */
static unsigned
give_back(struct bench *bench, size_t i)
{
	unsigned ready = 0;

	for (struct lock_set *set = locks_release(&bench->locks, &bench->sets[i]); set != NULL;
	     set = set->next)
		ready = ready * 10 + (unsigned)(set - bench->sets);
	return ready;
}

static void
test_exclusive__one_after_the_other(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "!k"));
	assert_false(DRAW(bench, 2, "!k"));
	assert_false(DRAW(bench, 3, "!k"));
	assert_true(DRAW(bench, 4, "!other"));
	assert_int_equal(give_back(bench, 1), 2);
	assert_int_equal(give_back(bench, 2), 3);
	assert_int_equal(give_back(bench, 3), 0);
	assert_int_equal(give_back(bench, 4), 0);
	bench_free(bench);
}

static void
test_shared__together_and_in_order(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "k"));
	assert_true(DRAW(bench, 2, "k"));
	assert_false(DRAW(bench, 3, "!k"));
	/* A shared one does not overtake the exclusive one before it. */
	assert_false(DRAW(bench, 4, "k"));
	assert_false(DRAW(bench, 5, "k"));
	assert_int_equal(give_back(bench, 1), 0);
	assert_int_equal(give_back(bench, 2), 3);
	assert_int_equal(give_back(bench, 3), 45);
	assert_int_equal(give_back(bench, 5), 0);
	assert_int_equal(give_back(bench, 4), 0);
	bench_free(bench);
}

static void
test_withdraw__lets_the_next_pass(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "k"));
	assert_false(DRAW(bench, 2, "!k"));
	assert_false(DRAW(bench, 3, "k"));
	/* The exclusive one gives up: the shared one behind it joins the shared holder. */
	assert_int_equal(give_back(bench, 2), 3);
	assert_int_equal(give_back(bench, 1), 0);
	assert_int_equal(give_back(bench, 3), 0);
	bench_free(bench);
}

static void
test_withdraw__from_the_middle_and_the_end(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "!k"));
	assert_false(DRAW(bench, 2, "!k"));
	assert_false(DRAW(bench, 3, "!k"));
	assert_false(DRAW(bench, 4, "!k"));
	assert_int_equal(give_back(bench, 3), 0);
	assert_int_equal(give_back(bench, 4), 0);
	assert_int_equal(give_back(bench, 1), 2);
	assert_false(DRAW(bench, 5, "k"));
	assert_int_equal(give_back(bench, 2), 5);
	assert_int_equal(give_back(bench, 5), 0);
	bench_free(bench);
}

static void
test_several__all_or_wait(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "!a", "x"));
	assert_false(DRAW(bench, 2, "!b", "!x"));
	/* b is taken, although its holder still waits for x: the order is the same everywhere. */
	assert_false(DRAW(bench, 3, "!b"));
	assert_false(DRAW(bench, 4, "!a", "!b"));
	assert_int_equal(give_back(bench, 1), 2);
	assert_int_equal(give_back(bench, 2), 3);
	assert_int_equal(give_back(bench, 3), 4);
	assert_int_equal(give_back(bench, 4), 0);
	bench_free(bench);
}

/* Requests that name the same locks in opposite orders do not wait for each other for ever. */
static void
test_several__no_deadlock(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_true(DRAW(bench, 1, "!a", "!b", "!c"));
	assert_false(DRAW(bench, 2, "!c", "!b"));
	assert_false(DRAW(bench, 3, "!b", "!a"));
	assert_false(DRAW(bench, 4, "!a", "!c"));
	assert_int_equal(give_back(bench, 1), 2);
	assert_int_equal(give_back(bench, 2), 3);
	assert_int_equal(give_back(bench, 3), 4);
	assert_int_equal(give_back(bench, 4), 0);
	bench_free(bench);
}

static void
test_release__not_drawn(void **state)
{
	struct bench *bench = bench_new();

	(void)state;
	assert_int_equal(give_back(bench, 1), 0);
	assert_true(DRAW(bench, 1, "k"));
	assert_int_equal(give_back(bench, 1), 0);
	assert_int_equal(give_back(bench, 1), 0);
	bench_free(bench);
}

/* Many more keys than chains; the longest name. */
static void
test_keys__many_and_long(void **state)
{
	enum { MANY = 3 * LOCK_CHAINS };
	static struct locks locks;
	struct lock_set *sets = calloc(MANY, sizeof *sets);
	struct ticket *tickets = calloc(MANY, sizeof *tickets);
	static char names[MANY][LOCK_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		memset(names[i], 'x', LOCK_NAME_MAX);
		names[i][i % LOCK_NAME_MAX] = (char)('A' + i / LOCK_NAME_MAX);
		tickets[i] = (struct ticket){ .name = names[i], .exclusive = true };
		sets[i] = (struct lock_set){ .n = 1, .tickets = &tickets[i] };
		assert_int_equal(locks_draw(&locks, &sets[i]), 0);
		assert_int_equal(sets[i].waiting, 0);
	}
	assert_int_equal(locks.nkeys, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_null(locks_release(&locks, &sets[i]));
	assert_int_equal(locks.nkeys, 0);
	locks_done(&locks);
	free(tickets);
	free(sets);
}

/* One byte more would be cut, and lock nothing: it is refused, with all of its set. */
static void
test_keys__too_long(void **state)
{
	struct bench *bench = bench_new();
	struct lock_set *set = &bench->sets[0];
	char name[LOCK_NAME_MAX + 2];

	(void)state;
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	set->n = 2;
	set->tickets[0] = (struct ticket){ .name = "k", .exclusive = true };
	set->tickets[1] = (struct ticket){ .name = name, .exclusive = true };
	assert_int_equal(locks_draw(&bench->locks, set), -1);
	assert_false(set->drawn);
	assert_int_equal(bench->locks.nkeys, 0);
	name[LOCK_NAME_MAX] = '\0';
	assert_int_equal(locks_draw(&bench->locks, set), 0);
	assert_false(DRAW(bench, 1, "!k"));
	assert_int_equal(give_back(bench, 0), 1);
	assert_int_equal(give_back(bench, 1), 0);
	bench_free(bench);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exclusive__one_after_the_other),
		cmocka_unit_test(test_shared__together_and_in_order),
		cmocka_unit_test(test_withdraw__lets_the_next_pass),
		cmocka_unit_test(test_withdraw__from_the_middle_and_the_end),
		cmocka_unit_test(test_several__all_or_wait),
		cmocka_unit_test(test_several__no_deadlock),
		cmocka_unit_test(test_release__not_drawn),
		cmocka_unit_test(test_keys__many_and_long),
		cmocka_unit_test(test_keys__too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
