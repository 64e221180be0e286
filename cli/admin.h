/* SPDX-License-Identifier: Apache-2.0
 * admin.h - status, reload and list, over the daemon's admin socket.
 */
#ifndef COSID_CLI_ADMIN_H
#define COSID_CLI_ADMIN_H
#include <jansson.h>

#include "args.h"

/* What the daemon has said: its lines with an "item" and with a "failure", and its last one, which
 * has a "code". */
struct admin_answer {
	json_t *items, *failures; /* arrays, owned */
	json_t *last;             /* owned */
};

/* Asks, and prints what comes back as args say.  NULL, or why it has failed (from the arena), with
 * *out_code the name of its code ("" when there is none). */
const char *admin_run(struct arena *arena, const struct args *args, const char **out_code);
/* For people, on stdout. */
void admin_print(struct arena *arena, enum ask_op op, const struct admin_answer *answer);

#endif
