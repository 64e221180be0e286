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

#include "base/cleanup.h"

struct arena_block;
struct arena_adopted;
struct arena {
	struct arena_block *head;      /* newest first; owned */
	struct arena_adopted *adopted; /* owned */
	size_t used, cap;              /* bytes */
	size_t charged;                /* bytes outside that count, too (charge_add()) */
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

/* ---- what libraries take for a call counts against its arena, too ----
 *
 * What a store answers decides how large a parser's tree grows: jansson's takes up to 77 times its
 * text (measured).  jansson and expat get charged_malloc() and charged_free() for that reason.
 * Within CHARGE_SCOPE() what they take on this thread is charged to the arena; over the arena's cap
 * they get no memory, and the arena has failed.  Elsewhere nothing is charged.
 *
 * All calls together share CHARGE_POOL bytes, beside CHARGE_FREE that each call may have of its
 * own, so that many hostile answers at once cannot take the process's memory, and honest calls,
 * which need little, succeed beside them. */

enum { CHARGE_FREE = 2 << 20, CHARGE_POOL = 64 << 20 };

/* Sets where this thread's memory is charged to, NULL: nowhere; returns the arena before. */
struct arena *charge_to(struct arena *arena);

static inline void
charge_end(struct arena **before)
{
	(void)charge_to(*before);
}

#define CHARGE_SCOPE(to)                                                                           \
	CLEANUP(charge_end)                                                                        \
	__attribute__((unused)) struct arena *COSID_CAT(charged_, __LINE__) = charge_to(to)

/* Counts size bytes that lie outside of the arena against its cap.  0, or -1: there is no room, and
 * the arena has failed. */
int charge_add(struct arena *arena, size_t size);
void charge_release(struct arena *arena, size_t size);

/* Wipes on free, as wiped_malloc() does. */
void *charged_malloc(size_t size);
void charged_free(void *p);

/* Bytes of the pool that are taken, for tests. */
size_t charge_pool_used(void);

#endif
