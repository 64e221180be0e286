/* SPDX-License-Identifier: Apache-2.0
 * reload.h - a new configuration for a daemon that serves, wholly or not at all. */
#ifndef COSID_RELOAD_H
#define COSID_RELOAD_H
#include "daemon.h"

/* Reads everything again and swaps; the old generation goes on when anything fails, and the log and
 * systemd are told.  Main thread. */
void reload(struct daemon *daemon);

#endif
