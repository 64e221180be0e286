/* SPDX-License-Identifier: Apache-2.0
 * test_arena.c - the memory of a call: zeroed, aligned, limited, and failed for good once it
 * failed. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banned.h"

static void
test_alloc__zeroed_aligned_apart(void **state)
{
	struct arena arena;
	unsigned char *last = NULL;

	(void)state;
	arena_init(&arena, 1 << 24);
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		unsigned char *p = arena_alloc(&arena, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
		assert_ptr_not_equal(p, last);
		last = p;
	}
	arena_done(&arena);
}

static void
test_alloc__limit(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64);
	assert_non_null(arena_alloc(&arena, 64));
	assert_false(arena_failed(&arena));
	assert_null(arena_alloc(&arena, 1));
	assert_true(arena_failed(&arena));
	arena_done(&arena);
	assert_null(arena_alloc(&arena, 65));
	arena_done(&arena);
	assert_non_null(arena_alloc(&arena, 64));
	arena_done(&arena);
}

static void
test_failure__sticks(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64);
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, 1));
	assert_string_equal(arena_strdup(&arena, "x"), "");
	assert_string_equal(arena_printf(&arena, "%d", 1), "");
	assert_true(arena_failed(&arena));
	arena_done(&arena);
	assert_false(arena_failed(&arena));
}

static void
test_texts__copied(void **state)
{
	struct arena arena;
	char source[] = "photos";
	char *copy, *part;

	(void)state;
	arena_init(&arena, 4096);
	copy = arena_strdup(&arena, source);
	part = arena_strndup(&arena, source, 3);
	memset(source, 'x', sizeof source);
	assert_string_equal(copy, "photos");
	assert_string_equal(part, "pho");
	assert_string_equal(arena_printf(&arena, "%s-%04d", copy, 7), "photos-0007");
	assert_string_equal(arena_printf(&arena, "%s", ""), "");
	assert_false(arena_failed(&arena));
	arena_done(&arena);
}

/* Around the end of a block: the text is whole, and what is given out next is zero. */
static void
test_printf__wherever_a_block_ends(void **state)
{
	struct arena arena;
	unsigned char *next;
	char *text;

	(void)state;
	for (int len = 0; len < 200; len++) {
		arena_init(&arena, 1 << 20);
		assert_non_null(arena_alloc(&arena, 4096 - 96));
		text = arena_printf(&arena, "%0*d", len, 7);
		assert_int_equal(strlen(text), len > 0 ? len : 1);
		assert_int_equal(strspn(text, "0"), len > 0 ? len - 1 : 0);
		next = arena_alloc(&arena, 96);
		for (size_t i = 0; i < 96; i++)
			assert_int_equal(next[i], 0);
		arena_done(&arena);
	}
}

static void
test_printf__limit(void **state)
{
	struct arena arena;

	(void)state;
	for (int len = 62; len < 66; len++) {
		arena_init(&arena, 128);
		assert_non_null(arena_alloc(&arena, 64));
		assert_int_equal(strlen(arena_printf(&arena, "%0*d", len, 7)), len < 64 ? len : 0);
		assert_int_equal(arena_failed(&arena), len >= 64);
		arena_done(&arena);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc__zeroed_aligned_apart),
		cmocka_unit_test(test_alloc__limit),
		cmocka_unit_test(test_failure__sticks),
		cmocka_unit_test(test_texts__copied),
		cmocka_unit_test(test_printf__wherever_a_block_ends),
		cmocka_unit_test(test_printf__limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
