/* SPDX-License-Identifier: Apache-2.0
 * memory.h - a fake: memory and threads run out at the allocation that the test names.
 *
 * For a program that links failing_memory (CMakeLists.txt): the linker sends the calls of malloc(),
 * calloc(), realloc(), reallocarray(), strdup() and pthread_create() in cosid's code here.
 */
#ifndef FAKES_MEMORY_H
#define FAKES_MEMORY_H

#include <stdbool.h>

/* The next n allocations, of whichever thread, succeed, and the one after them does not. */
void memory_fail_after(int n);

/* Did it come to that one?  From now on all succeed. */
bool memory_has_failed(void);

/* This thread's allocations are not counted, and succeed, until it says false. */
void memory_spare(bool on);

#endif
