/* SPDX-License-Identifier: Apache-2.0
 * signals.h - signals as requests to the main thread, which may be inside a module when they come.
 */
#ifndef COSID_SIGNALS_H
#define COSID_SIGNALS_H

enum signal_request { SIGNAL_NONE = 0, SIGNAL_RELOAD = 1, SIGNAL_STOP = 2 };

/* Before any thread: from now on SIGTERM, SIGINT and SIGHUP come to signals_take() alone.  A
 * descriptor that is readable when one has come, or -1 with errno. */
int signals_open(void);
/* Takes all that have come; a stop wins, so that no storm of SIGHUP delays it. */
enum signal_request signals_take(int fd);

/* SIGALRM ends the process, with the status that was set last (at first 0), after so many seconds,
 * or when it was to end before, if that is sooner.  From any thread, or a handler of a signal. */
void signals_end_within(unsigned s);
void signals_set_status(int status);

/* Around everything on the main thread that opens or closes modules: SIGALRM ends the process when
 * it is still in there that many seconds after SIGTERM or SIGINT. */
void signals_enter_modules(unsigned stop_s);
void signals_leave_modules(void);

#endif
