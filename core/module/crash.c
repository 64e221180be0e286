/* SPDX-License-Identifier: Apache-2.0
 * crash.c - handlers of fatal signals and of exit().  They take no lock of cosid's and no
 * memory, which the interrupted thread may hold. */
#include "module/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "module/crash_record.h"

#include "banned.h"

static const int fatal_signals[] = THREAD_FAULTS;
enum { NFATAL = sizeof fatal_signals / sizeof fatal_signals[0] };

/* Process-wide by nature. */
static struct sigaction actions_before[NFATAL];
static atomic_bool exit_expected;
static pid_t installed_in; /* a process that a module forks is not the daemon */
static _Thread_local const struct crash_scope *innermost;

void
crash_begin(struct crash_scope *scope)
{
	scope->outer = innermost;
	innermost = scope;
}

void
crash_end(struct crash_scope *scope)
{
	innermost = scope->outer;
}

static void
name_module(const char *verb, const char *how, const char *signal_name)
{
	log_dying(innermost->fields, "backend '%s': module '%s' %s in %s() (%s%s)",
		  innermost->backend->name, innermost->backend->module->name, verb,
		  innermost->function, how, signal_name);
	crash_record_add(innermost->backend);
}

static void
on_fatal_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (innermost != NULL && getpid() == installed_in)
		name_module("crashed", "SIG", sigabbrev_np(sig));
	for (size_t i = 0; i < NFATAL; i++)
		if (fatal_signals[i] == sig)
			(void)sigaction(sig, &actions_before[i], NULL);
	/* A fault happens again on return; a signal that was sent, a trap and a refused system call
	 * do not. */
	if (info->si_code <= 0 || sig == SIGTRAP || sig == SIGSYS)
		(void)raise(sig);
}

static void
on_exit_call(void)
{
	if (atomic_load(&exit_expected) || getpid() != installed_in)
		return;
	if (innermost != NULL)
		name_module("ended the process", "exit()", "");
	else
		log_dying(LOG_NO_FIELDS, "a module or a library ended the process (exit())");
	(void)signal(SIGABRT, SIG_DFL);
	abort();
}

void
crash_install(void)
{
	/* On a stack of its own: that of the thread may have overflowed. */
	struct sigaction action = { .sa_sigaction = on_fatal_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	installed_in = getpid();
	(void)sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < NFATAL; i++)
		(void)sigaction(fatal_signals[i], &action, &actions_before[i]);
	(void)atexit(on_exit_call);
	(void)at_quick_exit(on_exit_call);
}

void
crash_expect_exit(void)
{
	atomic_store(&exit_expected, true);
}
