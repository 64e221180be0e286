/* SPDX-License-Identifier: Apache-2.0
 * main.c - cosictl: one COSI call, or one command to the daemon itself, from the command line.
 *
 *   args -> dialect: messages -> client: the call -> dialect: struct answer -> print
 *        -> admin: a line to the admin socket, lines back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin.h"
#include "args.h"
#include "base/arena.h"
#include "base/status.h"
#include "client.h"
#include "text.h"

#include "banned.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
/* An answer of CLIENT_REPLY_MAX bytes that is nothing but map entries unpacks to half of this. */
enum { ARENA_MAX = 128 * 1024 * 1024 };

static int
say(struct arena *arena, const char *what, const char *text)
{
	(void)fprintf(stderr, "cosictl: %s%s\n", what, text_escape(arena, text, strlen(text)));
	return EXIT_FAILED;
}

static int
stdout_done(struct arena *arena)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return say(arena, "", arena_printf(arena, "cannot write the answer: %m"));
	return EXIT_OK;
}

static int
call(struct arena *arena, const struct args *args)
{
	struct client_error error = { 0 };
	struct answer answer = { 0 };
	struct client *client = client_open(args->endpoint, args->timeout_ms, arena, &error);
	const char *bad;
	int result = -1;

	if (client != NULL)
		result = args->dialect->calls[args->ask.op](client, arena, &args->ask, &answer,
							    &error);
	client_free(client);
	if (result < 0)
		return say(arena, arena_printf(arena, "%s: ", status_grpc_name(error.code)),
			   error.text);
	if (arena_failed(arena))
		return say(arena, "", "cannot read the answer: no memory");
	bad = args->print(arena, &args->ask, &answer);
	return bad != NULL ? say(arena, "", bad) : stdout_done(arena);
}

static int
ask_admin(struct arena *arena, const struct args *args)
{
	const char *code, *error = admin_run(arena, args, &code);
	int written = stdout_done(arena);

	return error == NULL ? written : say(arena, arena_printf(arena, "%s: ", code), error);
}

static int
run(struct arena *arena, int argc, char **argv)
{
	struct args args;
	const char *error;

	if (args_parse(&args, argc, argv, arena, &error) < 0) {
		if (error != NULL)
			(void)say(arena, "", error);
		(void)fputs("Try 'cosictl --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (args.help)
		args_help();
	else if (args.version)
		puts("cosictl " COSID_VERSION);
	else
		return args.ask.op >= ASK_STATUS ? ask_admin(arena, &args) : call(arena, &args);
	return stdout_done(arena);
}

int
main(int argc, char **argv)
{
	struct arena arena;
	int result;

	/* What the gRPC core has to say comes back as a status; its own log would only repeat it.
	 */
	(void)setenv("GRPC_VERBOSITY", "NONE", 0);
	arena_init(&arena, ARENA_MAX);
	result = run(&arena, argc, argv);
	arena_done(&arena);
	return result;
}
