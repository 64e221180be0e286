/* SPDX-License-Identifier: Apache-2.0
 * charge.h - memory that a library takes for a call counts against the call's arena.
 *
 * What a store answers decides how large a parser's tree grows: jansson's takes up to 77 times its
 * text (measured).  jansson and expat get charged_malloc() and charged_free() for that reason.
 * Within CHARGE_SCOPE() what they take on this thread is charged to the arena; over the arena's cap
 * they get no memory, and the arena has failed.  Elsewhere nothing is charged.
 *
 * All calls together share CHARGE_POOL bytes, beside CHARGE_FREE that each call may have of its
 * own, so that many hostile answers at once cannot take the process's memory, and honest calls,
 * which need little, succeed beside them.
 */
#ifndef COSID_BASE_CHARGE_H
#define COSID_BASE_CHARGE_H
#include <stddef.h>

#include "base/arena.h"
#include "base/cleanup.h"

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
