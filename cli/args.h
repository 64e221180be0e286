/* SPDX-License-Identifier: Apache-2.0
 * args.h - the command line, checked. */
#ifndef COSID_CLI_ARGS_H
#define COSID_CLI_ARGS_H
#include "api.h"
#include "base/arena.h"
#include "print.h"

struct args {
	struct request request;
	const char *endpoint; /* "unix:///path" */
	const struct api *api;
	enum output output;
	int64_t timeout_ms;
	bool yes;           /* --yes: no question before a purge */
	bool help, version; /* then nothing else was checked but request.op, the command or 0 */
};

/* 0, or -1 with the reason in *out_error (from the arena, NULL when getopt has printed it). */
int args_parse(struct args *args, int argc, char **argv, struct arena *arena,
	       const char **out_error);
/* Of one command; 0: of all. */
void args_help(enum op op);

#endif
