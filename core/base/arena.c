/* SPDX-License-Identifier: Apache-2.0
 * arena.c - a list of blocks, each twice the one before up to 64 KiB; large pieces get their own.
 * And the count of what libraries take for a call, and what all calls take together. */
#include "base/arena.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

#include "banned.h"

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 65536 };

struct arena_block {
	struct arena_block *next;
	size_t size, used; /* of data */
	_Alignas(ALIGN) unsigned char data[];
};

struct arena_adopted {
	struct arena_adopted *next;
	void *block; /* owned */
};

void
arena_init(struct arena *arena, size_t cap)
{
	*arena = (struct arena){ .cap = cap };
}

void
arena_done(struct arena *arena)
{
	struct arena_block *next;

	for (; arena->adopted != NULL; arena->adopted = arena->adopted->next)
		wiped_free(arena->adopted->block);
	charge_release(arena, arena->charged);
	for (struct arena_block *block = arena->head; block != NULL; block = next) {
		next = block->next;
		explicit_bzero(block->data, block->used);
		free(block);
	}
	arena_init(arena, arena->cap);
}

bool
arena_failed(const struct arena *arena)
{
	return arena->failed;
}

/* Bytes that the cap leaves. */
static size_t
arena_left(const struct arena *arena)
{
	size_t used = arena->used + arena->charged;

	return arena->failed || used > arena->cap ? 0 : arena->cap - used;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->head;
	size_t data;
	void *p;

	if (arena->failed || size > arena_left(arena)) {
		arena->failed = true;
		return NULL;
	}
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (block == NULL || block->size - block->used < size) {
		data = block == NULL ? FIRST_BLOCK : block->size * 2;
		if (data > LARGEST_BLOCK)
			data = LARGEST_BLOCK;
		if (data < size)
			data = size;
		block = calloc(1, sizeof *block + data);
		if (block == NULL) {
			arena->failed = true;
			return NULL;
		}
		block->size = data;
		block->next = arena->head;
		arena->head = block;
	}
	p = block->data + block->used;
	block->used += size;
	arena->used += size;
	return p;
}

int
arena_adopt(struct arena *arena, void *block, size_t size)
{
	struct arena_adopted *adopted = arena_alloc(arena, sizeof *adopted);

	if (adopted == NULL || size > arena_left(arena)) {
		arena->failed = true;
		return -1;
	}
	*adopted = (struct arena_adopted){ arena->adopted, block };
	arena->adopted = adopted;
	arena->used += size;
	return 0;
}

static char *
empty(void)
{
	static char nothing[1];

	return nothing;
}

char *
arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy == NULL)
		return empty();
	memcpy(copy, s, len);
	return copy;
}

char *
arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

/* Prints into the last block, where most texts fit.  One that does not fit is wiped again, because
 * memory that is not given out yet is zero. */
char *
arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	size_t room = arena->head != NULL ? arena->head->size - arena->head->used : 0;
	char *text = NULL;
	va_list again;
	bool fits;
	int len;

	if (room > arena_left(arena))
		room = arena_left(arena);
	if (room > 0)
		text = (char *)arena->head->data + arena->head->used;
	va_copy(again, ap);
	len = vsnprintf(text, room, fmt, again);
	va_end(again);
	if (len < 0)
		arena->failed = true;
	fits = len >= 0 && (size_t)len < room;
	if (room > 0 && !fits)
		explicit_bzero(text, room);
	text = arena->failed ? NULL : arena_alloc(arena, (size_t)len + 1);
	if (text == NULL)
		return empty();
	if (!fits)
		(void)vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

char *
arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return text;
}

/* ---- what libraries take ---- */

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
	size_t more;

	if (arena->failed || size > arena_left(arena)) {
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

	/* What cannot be had is refused before any memory is touched: jansson asks for the same
	 * buffer again with each further byte of a text. */
	if (arena != NULL && (size > arena->cap || charge_add(arena, size) < 0)) {
		arena->failed = true;
		return NULL;
	}
	p = wiped_malloc(size);
	if (arena == NULL)
		return p;
	if (p == NULL || charge_add(arena, malloc_usable_size(p) - size + MALLOC_HEADER) < 0) {
		charge_release(arena, size);
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
