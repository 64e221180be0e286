/* SPDX-License-Identifier: Apache-2.0
 * wipe.h - looks for a planted secret in the memory of this process, freed memory included. */
#ifndef TESTS_FAKES_WIPE_H
#define TESTS_FAKES_WIPE_H
#include <stdbool.h>
#include <stddef.h>

enum { WIPE_LEN = 96 };

/* A text of WIPE_LEN characters in memory that is not searched.  Of one process always the same. */
const char *wipe_secret(void);
/* How many copies of it are in the heap and in anonymous mappings; stacks are not searched, nor is
 * static data that the program's file holds.  free() overwrites the beginning of a block, so the
 * end of the text counts. */
size_t wipe_count(void);
/* From now on that is counted instead of wipe_secret(), as a secret that was made: its last 32
 * bytes, of which a copy is kept that is not searched. */
void wipe_look_for(const void *bytes, size_t len);

/* Runs fn(arg) on a stack of its own, which no other code uses. */
void wipe_run(void (*fn)(void *), void *arg);
/* Is that text, or are these bytes, in what fn() left on its stack? */
bool wipe_stack_has(const void *bytes, size_t len);

#endif
