/* SPDX-License-Identifier: Apache-2.0
 * print.h - an answer on stdout: for people, for scripts, for shells. */
#ifndef COSID_CLI_PRINT_H
#define COSID_CLI_PRINT_H
#include <jansson.h>

#include "api.h"
#include "base/arena.h"

enum output { OUTPUT_TEXT = 1, OUTPUT_JSON, OUTPUT_ENV };

/* Returns NULL, or what is wrong with the answer (from the arena); then nothing was printed.
 * Whether stdout took it all is for the caller to find out. */
const char *print_answer(struct arena *arena, enum output output, const struct request *request,
			 json_t *answer);

#endif
