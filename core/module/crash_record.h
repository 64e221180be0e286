/* SPDX-License-Identifier: Apache-2.0
 * crash_record.h - a small file that tells the next process which backends have ended this one.
 *
 * It lies beside the admin socket and is read once, at the start.  A line of text each:
 *
 *   serves NAME MODULE PROTOCOLS   what the module serves, should its file be missing
 *   crash NAME DIGEST   the module ended a process; DIGEST stands for its file and settings
 *   end                 a process that served ended otherwise, or had run for an hour: the crashes
 *                       before this line no longer count, unless a backend has as many as the limit
 *
 * A process has one.  Main thread, but for crash_record_add().
 */
#ifndef COSID_MODULE_CRASH_RECORD_H
#define COSID_MODULE_CRASH_RECORD_H
#include "module/backend.h"

/* Crashes in a row after which a backend is left out; bytes of the file that are read. */
enum { CRASH_RECORD_LIMIT = 3, CRASH_RECORD_MAX = 64 << 10 };

/* Reads the file, and makes it and its directory (0700) when they are missing.  0, or -1 with
 * status: crashes are not recorded. */
int crash_record_open(const char *path, struct status *status);
/* Crashes in a row of that backend with the same file and settings. */
unsigned crash_record_count(const char *name, const unsigned char digest[32]);
/* What the backend's module served when it was last open; 0: not known. */
uint32_t crash_record_protocols(const char *name, const char *module);
/* Writes the file anew for the backends of a generation that serves, on a socket that is this
 * process's alone. */
void crash_record_write(const struct generation *generation);
/* Before the process dies; takes no lock of cosid's and no memory. */
void crash_record_add(const struct backend *backend);
/* The process ends otherwise; nothing is recorded if it never served. */
void crash_record_end(void);

#endif
