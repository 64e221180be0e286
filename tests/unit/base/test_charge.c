/* SPDX-License-Identifier: Apache-2.0
 * test_charge.c - what libraries take counts against the arena, and against what all calls share.
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/secret.h"

#include "banned.h"

static void
test_charge__at_the_limit_and_past_it(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 1000);
	assert_non_null(arena_alloc(&arena, 96));
	assert_int_equal(charge_add(&arena, 904), 0);
	assert_int_equal(arena.charged, 904);
	assert_false(arena_failed(&arena));
	charge_release(&arena, 4);
	assert_int_equal(charge_add(&arena, 5), -1);
	assert_true(arena_failed(&arena));
	assert_int_equal(charge_add(&arena, 1), -1);
	arena_done(&arena);
	assert_int_equal(arena.charged, 0);
	assert_int_equal(charge_add(&arena, 1000), 0);
	assert_null(arena_alloc(&arena, 1));
	arena_done(&arena);
	assert_int_equal(charge_add(&arena, SIZE_MAX), -1);
	arena_done(&arena);
}

static void
test_malloc__charged_within_the_scope(void **state)
{
	struct arena arena;
	void *before = charged_malloc(5000), *p, *left;

	(void)state;
	arena_init(&arena, 1 << 20);
	{
		CHARGE_SCOPE(&arena);
		p = charged_malloc(1000);
		assert_non_null(p);
		assert_true(arena.charged >= 1000 && arena.charged < 1100);
		charged_free(p);
		assert_int_equal(arena.charged, 0);
		charged_free(before); /* it was not charged: nothing goes below zero */
		assert_int_equal(arena.charged, 0);
		left = charged_malloc(1000);
		charged_free(NULL);
	}
	assert_true(arena.charged >= 1000);
	p = charged_malloc(1 << 21);
	assert_non_null(p);
	charged_free(p);
	arena_done(&arena);
	assert_int_equal(arena.charged, 0);
	charged_free(left);
}

static void
test_malloc__over_the_limit(void **state)
{
	static const size_t sizes[] = { 1 << 20, (1 << 20) + 1, SIZE_MAX - 8, SIZE_MAX };
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		CHARGE_SCOPE(&arena);
		assert_null(charged_malloc(sizes[i]));
		assert_true(arena_failed(&arena));
		assert_int_equal(arena.charged, 0);
		arena_done(&arena);
	}
	assert_ptr_equal(charge_to(NULL), NULL);
}

/* Sixteen calls that take what they can leave each other call its own share. */
static void
test_pool__shared_by_all(void **state)
{
	enum { CALLS = 16, CAP = 64 << 20, PIECE = 64 << 10 };
	struct arena arenas[CALLS], honest;
	size_t charged = 0;

	(void)state;
	for (size_t i = 0; i < CALLS; i++)
		arena_init(&arenas[i], CAP);
	for (size_t i = 0; i < CALLS; i++) {
		while (charge_add(&arenas[i], PIECE) == 0)
			charged += PIECE;
		assert_true(arenas[i].charged >= CHARGE_FREE);
	}
	assert_true(charged <= CHARGE_POOL + (size_t)CALLS * CHARGE_FREE);
	assert_int_equal(charge_pool_used(), CHARGE_POOL);
	arena_init(&honest, CAP);
	assert_int_equal(charge_add(&honest, CHARGE_FREE), 0);
	assert_int_equal(charge_add(&honest, 1), -1);
	arena_done(&honest);
	for (size_t i = 0; i < CALLS; i++)
		arena_done(&arenas[i]);
	assert_int_equal(charge_pool_used(), 0);
	assert_int_equal(charge_add(&honest, CHARGE_FREE + 1), 0);
	assert_true(charge_pool_used() > 0);
	charge_release(&honest, 1);
	assert_int_equal(charge_pool_used(), 0);
	arena_done(&honest);
}

static void
test_adopt__counts_and_is_freed(void **state)
{
	struct arena arena;
	void *block = wiped_malloc(3000);

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(arena_adopt(&arena, block, 3000), 0);
	assert_true(arena.used >= 3000);
	assert_null(arena_alloc(&arena, 1100));
	arena_done(&arena); /* the leak checker sees whether the block went, too */
	block = wiped_malloc(5000);
	assert_int_equal(arena_adopt(&arena, block, 5000), -1);
	assert_true(arena_failed(&arena));
	arena_done(&arena);
	wiped_free(block);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_charge__at_the_limit_and_past_it),
		cmocka_unit_test(test_malloc__charged_within_the_scope),
		cmocka_unit_test(test_malloc__over_the_limit),
		cmocka_unit_test(test_pool__shared_by_all),
		cmocka_unit_test(test_adopt__counts_and_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
