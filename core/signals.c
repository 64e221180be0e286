/* SPDX-License-Identifier: Apache-2.0
 * signals.c - a descriptor to read them from, and a handler for while the main thread does not read
 * it.
 *
 *   main thread:  take ── poll ── enter ─ a module's open(), close() ─ leave ── take ...
 *   SIGTERM:      waits in the fd │ the handler keeps it, starts alarm() │ waits in the fd
 */
#include "signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "banned.h"

/* A process has one of each. */
static volatile sig_atomic_t stop_requested, stop_limit;

static volatile sig_atomic_t exit_status = EXIT_SUCCESS;

/* Every handler converges on a retry, so abandoning one loses nothing. */
static void
on_alarm(int sig)
{
	(void)sig;
	_exit(exit_status);
}

void
signals_end_within(unsigned s)
{
	unsigned left_s = alarm(0);

	(void)signal(SIGALRM, on_alarm);
	(void)alarm(left_s > 0 && left_s < s ? left_s : s);
}

void
signals_set_status(int status)
{
	exit_status = status;
}

static void
note_stop(int sig)
{
	(void)sig;
	if (stop_requested == 0)
		signals_end_within((unsigned)stop_limit);
	stop_requested = 1;
}

static void
fill_stops(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGINT);
}

int
signals_open(void)
{
	struct sigaction action = { .sa_handler = note_stop, .sa_flags = SA_RESTART };
	sigset_t all;

	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	fill_stops(&all);
	(void)sigaddset(&all, SIGHUP);
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	return signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
}

enum signal_request
signals_take(int fd)
{
	struct signalfd_siginfo info;
	enum signal_request request = stop_requested != 0 ? SIGNAL_STOP : SIGNAL_NONE;

	while (request != SIGNAL_STOP && read(fd, &info, sizeof info) == sizeof info)
		request = info.ssi_signo == SIGHUP ? SIGNAL_RELOAD : SIGNAL_STOP;
	return request;
}

static void
mask_stops(int how)
{
	sigset_t stops;

	fill_stops(&stops);
	(void)pthread_sigmask(how, &stops, NULL);
}

void
signals_enter_modules(unsigned stop_s)
{
	stop_limit = (sig_atomic_t)stop_s;
	mask_stops(SIG_UNBLOCK);
}

void
signals_leave_modules(void)
{
	mask_stops(SIG_BLOCK);
}
