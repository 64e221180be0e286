/* SPDX-License-Identifier: Apache-2.0
 * arena.c - a list of blocks, each twice the one before up to 64 KiB; large pieces get their own.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/charge.h"
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

static struct arena_block *
block_add(struct arena *arena, size_t least)
{
	size_t size = arena->head == NULL ? FIRST_BLOCK : arena->head->size * 2;
	struct arena_block *block;

	if (size > LARGEST_BLOCK)
		size = LARGEST_BLOCK;
	if (size < least)
		size = least;
	block = calloc(1, sizeof *block + size);
	if (block == NULL)
		return NULL;
	block->size = size;
	block->next = arena->head;
	arena->head = block;
	return block;
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
	void *p;

	if (arena->failed || size > arena_left(arena)) {
		arena->failed = true;
		return NULL;
	}
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (block == NULL || block->size - block->used < size)
		block = block_add(arena, size);
	if (block == NULL) {
		arena->failed = true;
		return NULL;
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

/* Bytes that arena_alloc() can take from the last block for certain. */
static size_t
room_left(const struct arena *arena)
{
	size_t below_cap = arena_left(arena);
	size_t room = arena->head != NULL ? arena->head->size - arena->head->used : 0;

	return room < below_cap ? room : below_cap;
}

/* Prints into the last block, where most texts fit; *out_len is vsnprintf()'s result.  A text that
 * does not fit is wiped again, because memory that is not given out yet is zero. */
static bool __attribute__((format(printf, 2, 0)))
print_in_place(const struct arena *arena, const char *fmt, va_list ap, int *out_len)
{
	size_t room = room_left(arena);
	char *at = room > 0 ? (char *)arena->head->data + arena->head->used : NULL;

	*out_len = vsnprintf(at, room, fmt, ap);
	if (*out_len >= 0 && (size_t)*out_len < room)
		return true;
	if (room > 0)
		explicit_bzero(at, room);
	return false;
}

char *
arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	va_list again;
	bool printed;
	char *text;
	int len;

	va_copy(again, ap);
	printed = print_in_place(arena, fmt, again, &len);
	va_end(again);
	if (len < 0) {
		arena->failed = true;
		return empty();
	}
	text = arena_alloc(arena, (size_t)len + 1);
	if (text == NULL)
		return empty();
	if (!printed)
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
