/* SPDX-License-Identifier: Apache-2.0
 * signals.h - what signals ask of the main thread, which may be inside of a module meanwhile. */
#ifndef COSID_SIGNALS_H
#define COSID_SIGNALS_H

enum asked { ASKED_NOTHING = 0, ASKED_RELOAD = 1, ASKED_STOP = 2 };

/* Before any thread: from now on SIGTERM, SIGINT and SIGHUP come to signals_take() alone.  A
 * descriptor that is readable when one has come, or -1 with errno. */
int signals_open(void);
/* All that have come; a stop wins, so that no storm of SIGHUP delays it. */
enum asked signals_take(int fd);

/* The main thread, around everything that opens or closes modules: that many seconds after a stop
 * was asked for, SIGALRM comes if it is still in there. */
void signals_enter_modules(unsigned stop_s);
void signals_leave_modules(void);

#endif
