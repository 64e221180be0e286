/* SPDX-License-Identifier: Apache-2.0
 * tree.h - empties a directory of whatever its users put there.
 */
#ifndef POSIX_TREE_H
#define POSIX_TREE_H
#include "posix.h"

/* Removes everything below parent/name, not the directory itself.  Follows no symbolic link, enters
 * no mount point (PRECONDITION), stops when the call's time is up (TIMEOUT): a retry goes on from
 * there.  What others add meanwhile is removed too, while the time lasts.  0 also when there is no
 * such directory; else -1 with the call failed. */
int tree_purge(struct cosi_call *call, int parent, const char *name);

#endif
