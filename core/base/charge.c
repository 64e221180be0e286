/* SPDX-License-Identifier: Apache-2.0
 * charge.c - counts what libraries take for a call, and what all calls take together. */
#include "base/charge.h"

#include <malloc.h>
#include <stdatomic.h>

#include "base/secret.h"

#include "banned.h"

/* The pool is taken from in steps, so that few allocations touch what all threads share. */
enum { POOL_STEP = 1 << 20, MALLOC_HEADER = 8 };

static atomic_size_t pool_used;
static _Thread_local struct arena *charged_arena;

struct arena *
charge_to(struct arena *arena)
{
	struct arena *before = charged_arena;

	charged_arena = arena;
	return before;
}

/* What an arena with that many charged bytes has of the pool. */
static size_t
pool_share(size_t charged)
{
	if (charged <= CHARGE_FREE)
		return 0;
	return (charged - CHARGE_FREE + POOL_STEP - 1) / POOL_STEP * POOL_STEP;
}

int
charge_add(struct arena *arena, size_t size)
{
	size_t used = arena->used + arena->charged, more;

	if (arena->failed || used > arena->cap || size > arena->cap - used) {
		arena->failed = true;
		return -1;
	}
	more = pool_share(arena->charged + size) - pool_share(arena->charged);
	if (more > 0 && atomic_fetch_add(&pool_used, more) + more > CHARGE_POOL) {
		atomic_fetch_sub(&pool_used, more);
		arena->failed = true;
		return -1;
	}
	arena->charged += size;
	return 0;
}

/* More than is charged: it was taken before the call began. */
void
charge_release(struct arena *arena, size_t size)
{
	size_t before = arena->charged, less;

	arena->charged -= size < before ? size : before;
	less = pool_share(before) - pool_share(arena->charged);
	if (less > 0)
		atomic_fetch_sub(&pool_used, less);
}

void *
charged_malloc(size_t size)
{
	struct arena *arena = charged_arena;
	void *p;

	/* Sizes that cannot fit are refused before any memory is touched. */
	if (arena != NULL && size > arena->cap) {
		arena->failed = true;
		return NULL;
	}
	p = wiped_malloc(size);
	if (arena == NULL)
		return p;
	if (p == NULL || charge_add(arena, malloc_usable_size(p) + MALLOC_HEADER) < 0) {
		wiped_free(p);
		arena->failed = true;
		return NULL;
	}
	return p;
}

void
charged_free(void *p)
{
	if (p != NULL && charged_arena != NULL)
		charge_release(charged_arena, malloc_usable_size(p) + MALLOC_HEADER);
	wiped_free(p);
}

size_t
charge_pool_used(void)
{
	return atomic_load(&pool_used);
}
