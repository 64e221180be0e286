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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc__zeroed_aligned_apart),
		cmocka_unit_test(test_alloc__limit),
		cmocka_unit_test(test_failure__sticks),
		cmocka_unit_test(test_texts__copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
