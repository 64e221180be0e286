/* SPDX-License-Identifier: Apache-2.0
 * arena.h - the memory of one call: allocate at will, free nothing, wipe everything at the end.
 *
 * Used by one thread at a time.  An arena that could not serve an allocation (its cap, or no
 * memory) stays failed; the caller that ends the work checks
 * arena_failed() once.
 */
#ifndef COSID_BASE_ARENA_H
#define COSID_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena_adopted;
struct arena {
	struct arena_block *head;      /* newest first; owned */
	struct arena_adopted *adopted; /* owned */
	size_t used, cap;              /* bytes */
	size_t charged;                /* bytes outside that count, too (base/charge.h) */
	bool failed;
};

void arena_init(struct arena *arena, size_t cap);
/* Overwrites and frees all of it.  The arena can be used again, with the same cap. */
void arena_done(struct arena *arena);
bool arena_failed(const struct arena *arena);

/* Takes over a block from wiped_malloc() or its like, which counts as size bytes.  0, or -1: the
 * arena has failed, and the block is the caller's. */
int arena_adopt(struct arena *arena, void *block, size_t size);
/* Zeroed, aligned for any type; NULL only when the arena has failed. */
void *arena_alloc(struct arena *arena, size_t size);
/* These return the empty string, never NULL, when the arena has failed. */
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_strdup(struct arena *arena, const char *s);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
