/* SPDX-License-Identifier: Apache-2.0
 * admin.h - status, reload and list, over the daemon's admin socket. */
#ifndef COSID_CLI_ADMIN_H
#define COSID_CLI_ADMIN_H
#include "args.h"

/* Sends the command, and prints what comes back as args say.  NULL, or why it has failed (from the
 * arena), with *out_code the name of its code. */
const char *admin_run(struct arena *arena, const struct args *args, const char **out_code);

#endif
