/* SPDX-License-Identifier: Apache-2.0
 * args.h - the command line, checked.
 */
#ifndef COSID_CLI_ARGS_H
#define COSID_CLI_ARGS_H
#include "ask.h"
#include "base/arena.h"
#include "dialect.h"
#include "print.h"

struct args {
	struct ask ask;
	const char *endpoint; /* "unix:///path" */
	const struct dialect *dialect;
	print_fn *print;
	int64_t timeout_ms;
	bool help, version; /* then nothing else was looked at */
};

/* 0, or -1 with the reason in *out_error (from the arena, NULL when getopt has printed it). */
int args_parse(struct args *args, int argc, char **argv, struct arena *arena,
	       const char **out_error);
void args_help(void);

#endif
