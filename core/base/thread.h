/* SPDX-License-Identifier: Apache-2.0
 * thread.h - threads that take no signals, and conditions that wait by the monotonic clock. */
#ifndef COSID_BASE_THREAD_H
#define COSID_BASE_THREAD_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Starts a thread that is to be joined.  Every signal goes to other threads, but for those that a
 * thread raises itself by a fault.  name: for gdb and top, 15 bytes at most.  0, or an errno. */
int thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg);

/* For cond_wait_until(). */
void cond_init(pthread_cond_t *cond);
/* Waits, as pthread_cond_wait() does, until clock_mono_ms() reaches until_ms (CLOCK_NEVER: without
 * end).  Returns false when that time has come; true may be spurious. */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms);

#endif
