/* SPDX-License-Identifier: Apache-2.0
 * thread.h - threads that take no signals of others, and conditions that wait by the monotonic
 * clock.
 */
#ifndef COSID_BASE_THREAD_H
#define COSID_BASE_THREAD_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Signals that a thread raises itself by a fault: an initialiser. */
#define THREAD_FAULTS                                                                              \
	{                                                                                          \
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP                          \
	}

/* Starts a thread that is to be joined.  Every signal but THREAD_FAULTS goes to other threads; a
 * handler with SA_ONSTACK runs when the thread's own stack has overflowed, too.  name: for gdb and
 * top, 15 bytes at most.  0, or an errno. */
int thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg);

/* For cond_wait_until(). */
void cond_init(pthread_cond_t *cond);
/* Waits, as pthread_cond_wait() does, until clock_mono_ms() reaches until_ms (CLOCK_NEVER: without
 * end).  Returns false when that time has come; true may be spurious. */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms);

#endif
