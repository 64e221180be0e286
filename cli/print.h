/* SPDX-License-Identifier: Apache-2.0
 * print.h - an answer on stdout: for people, for scripts, for shells.
 *
 * Each returns NULL, or what is wrong with the answer (from the arena); then nothing was printed.
 * Whether stdout took it all is the caller's to find out.
 */
#ifndef COSID_CLI_PRINT_H
#define COSID_CLI_PRINT_H
#include "ask.h"
#include "base/arena.h"

typedef const char *print_fn(struct arena *arena, const struct ask *ask,
			     const struct answer *answer);

print_fn print_text, print_json, print_env;

#endif
