/* SPDX-License-Identifier: Apache-2.0
 * thread.c - pthreads with the settings that all of the daemon uses. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "banned.h"

/* Owned by the thread.  Pages of the stack that no handler has used cost no memory. */
struct thread {
	void *(*fn)(void *);
	void *arg;
	char signal_stack[64 << 10];
};

static void *
thread_main(void *arg)
{
	struct thread *thread = arg;
	const stack_t own = { .ss_sp = thread->signal_stack,
			      .ss_size = sizeof thread->signal_stack };
	stack_t before; /* AddressSanitizer unmaps its own when the thread ends */
	void *result;

	(void)sigaltstack(&own, &before);
	result = thread->fn(thread->arg);
	(void)sigaltstack(&before, NULL);
	free(thread);
	return result;
}

int
thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg)
{
	/* A fault whose signal is blocked ends the process before any handler sees it. */
	static const int faults[] = THREAD_FAULTS;
	struct thread *thread = malloc(sizeof *thread);
	sigset_t signals, before;
	int error;

	if (thread == NULL)
		return ENOMEM;
	thread->fn = fn;
	thread->arg = arg;
	(void)sigfillset(&signals);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		(void)sigdelset(&signals, faults[i]);
	(void)pthread_sigmask(SIG_SETMASK, &signals, &before);
	error = pthread_create(out, NULL, thread_main, thread);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		(void)pthread_setname_np(*out, name);
	else
		free(thread);
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
