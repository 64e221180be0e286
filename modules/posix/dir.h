/* SPDX-License-Identifier: Apache-2.0
 * dir.h - the entries of a directory, one after another. */
#ifndef POSIX_DIR_H
#define POSIX_DIR_H
#include <dirent.h>

#include "posix.h"

/* Takes the descriptor over, which may be -1.  NULL with errno; SCOPE_DIR closes it. */
DIR *dir_of(int fd);
/* The next name but "." and ".."; NULL at the end, with errno 0, or on an error, with errno. */
const char *dir_next(DIR *dir);

void dir_close(DIR **dir);
#define SCOPE_DIR SCOPE(dir_close)

#endif
