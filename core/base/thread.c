/* SPDX-License-Identifier: Apache-2.0
 * thread.c - pthreads with the settings that all of the daemon uses. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "banned.h"

int
thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg)
{
	/* A fault whose signal is blocked ends the process before any handler sees it. */
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	sigset_t signals, before;
	int error;

	(void)sigfillset(&signals);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		(void)sigdelset(&signals, faults[i]);
	(void)pthread_sigmask(SIG_SETMASK, &signals, &before);
	error = pthread_create(out, NULL, fn, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		(void)pthread_setname_np(*out, name);
	return error;
}

void
cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(cond, &attr);
	(void)pthread_condattr_destroy(&attr);
}

bool
cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms)
{
	struct timespec until;

	if (until_ms == CLOCK_NEVER) {
		(void)pthread_cond_wait(cond, mutex);
		return true;
	}
	if (until_ms < 0)
		until_ms = 0;
	until = (struct timespec){ .tv_sec = (time_t)(until_ms / 1000),
				   .tv_nsec = (long)(until_ms % 1000) * 1000000 };
	return pthread_cond_timedwait(cond, mutex, &until) != ETIMEDOUT;
}
