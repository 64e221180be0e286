/* SPDX-License-Identifier: Apache-2.0
 * admin_print.h - inside admin: the answer, and its printing. */
#ifndef COSID_CLI_ADMIN_PRINT_H
#define COSID_CLI_ADMIN_PRINT_H
#include <jansson.h>

#include "args.h"

/* Bytes of one line, with its newline. */
enum { ADMIN_LINE_MOST = 1024 * 1024 };

/* Entries, which are the lines with an "item" and those with a "failure", stay text: all trees
 * together would take up to 77 times as much memory. */
struct admin_answer {
	char *text;               /* owned; the entries, and what was received after them */
	size_t len;               /* of the entries: complete lines, each valid JSON */
	size_t received, size;    /* bytes of text */
	size_t nitems, nfailures; /* entries */
	json_t *last;             /* the last line, which has a "code"; owned */
};

/* done: the code is OK. */
void admin_print(struct arena *arena, const struct args *args, const struct admin_answer *answer,
		 bool done);

#endif
