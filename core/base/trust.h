/* SPDX-License-Identifier: Apache-2.0
 * trust.h - who else could change a file: what sshd calls StrictModes. */
#ifndef COSID_BASE_TRUST_H
#define COSID_BASE_TRUST_H
#include "base/status.h"

/* Checks that only root and this process's user can change what the path leads to: the file, and
 * each directory and symbolic link on the way to it, belong to one of the two, and other users may
 * not write to them.  Others may write to a directory with the sticky bit, where they cannot
 * replace the files of its other users, and, unless systemd started the process, on what is
 * mounted read-only, as Kubernetes mounts a ConfigMap, whose directory has mode 0777.
 * Directories above the program are not judged.  In a user namespace an owner that it does not map
 * is a stranger, even when the process runs as such a one.  What is missing or cannot be looked at
 * is left to the caller's open().  0, or -1 with DENIED. */
int trust_check(const char *path, struct status *status);

#endif
