/* SPDX-License-Identifier: Apache-2.0
 * state.h - the directory that module files are copied to before they are loaded.
 *
 * Why a copy: glibc hands out the old code for a path that it has open, even after a rename, and a
 * mapped file that is overwritten kills the daemon.  One directory per process under
 * STATE/modules/PID.RANDOM, held by a flock; those whose lock is free are leftovers and removed.
 */
#ifndef COSID_MODULE_STATE_H
#define COSID_MODULE_STATE_H
#include "base/status.h"

struct state_dir;
/* state_dir: the configuration's key, or NULL: $STATE_DIRECTORY, else a directory made under
 * $XDG_RUNTIME_DIR or /tmp (0700). NULL with status: no directory, or its mount is noexec. */
struct state_dir *state_open(const char *state_dir, struct status *status);
const char *state_path(const struct state_dir *state);
void state_close(struct state_dir *state);

#endif
