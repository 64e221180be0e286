/* SPDX-License-Identifier: Apache-2.0
 * main.c - cosictl: one COSI call, or one command to the daemon itself, from the command line.
 *
 *   args -> v1alpha1, v1alpha2: messages -> client: the call -> JSON -> print
 *        -> admin: a line to the admin socket, lines back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "admin.h"
#include "args.h"
#include "base/secret.h"
#include "base/status.h"
#include "text.h"

#include "banned.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
/* A reply of CLIENT_REPLY_MAX bytes that is nothing but map entries unpacks to half of this. */
enum { ARENA_MAX = 128 * 1024 * 1024 };

/* For jansson, whose users then need not look for missing values. */
static void *
malloc_or_exit(size_t size)
{
	void *p = malloc(size);

	if (p != NULL)
		return p;
	(void)fputs("cosictl: out of memory\n", stderr);
	exit(EXIT_FAILED);
}

/* code may be NULL. */
static int
print_error(struct arena *arena, const char *code, const char *text)
{
	(void)fprintf(stderr, "cosictl: %s%s%s\n", code != NULL ? code : "",
		      code != NULL ? ": " : "", text_escape(arena, text, strlen(text)));
	return EXIT_FAILED;
}

static int
run_call(struct arena *arena, const struct args *args)
{
	json_t *answer = json_object();
	struct client client;
	const char *error = NULL, *code = NULL;
	int rc = client_open(&client, args->endpoint, args->timeout_ms, arena);

	if (rc == 0)
		rc = args->api->calls[args->request.op](&client, &args->request, answer);
	client_close(&client);
	if (rc < 0) {
		error = client.error.text;
		code = status_grpc_name((unsigned)client.error.code);
	} else if (arena_failed(arena)) {
		error = "cannot read the answer: out of memory";
	} else {
		error = print_answer(arena, args->output, &args->request, answer);
	}
	json_decref(answer);
	return error != NULL ? print_error(arena, code, error) : EXIT_OK;
}

/* On a terminal, before what cannot be undone: false: the answer was no. */
static bool
is_confirmed(struct arena *arena, const struct args *args)
{
	const struct request *request = &args->request;
	bool purges = false;
	char answer[8] = "";

	for (size_t i = 0; request->op == OP_DELETE && i < request->nparams; i++)
		purges |= strcmp(request->params[i].key, "whenNotEmpty") == 0 &&
			  strcmp(request->params[i].value, "purge") == 0;
	if (!purges || args->yes || isatty(STDIN_FILENO) == 0)
		return true;
	(void)fprintf(stderr, "Delete '%s' and all objects in it? [y/N] ",
		      text_escape(arena, request->ids[0], strlen(request->ids[0])));
	return fgets(answer, sizeof answer, stdin) != NULL &&
	       (strcasecmp(answer, "y\n") == 0 || strcasecmp(answer, "yes\n") == 0);
}

static int
run(struct arena *arena, int argc, char **argv)
{
	const char *error, *code;
	struct args args;
	int rc = EXIT_OK;

	if (args_parse(&args, argc, argv, arena, &error) < 0) {
		if (error != NULL)
			(void)print_error(arena, NULL, error);
		(void)fputs("Try 'cosictl --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (args.help)
		args_help(args.request.op);
	else if (args.version)
		(void)puts("cosictl " COSID_VERSION);
	else if (!is_confirmed(arena, &args))
		rc = print_error(arena, NULL, "nothing was deleted");
	else if (args.request.op < OP_STATUS)
		rc = run_call(arena, &args);
	else if ((error = admin_run(arena, &args, &code)) != NULL)
		rc = print_error(arena, code, error);
	if (fflush(stdout) != 0 || ferror(stdout) != 0)
		rc = print_error(arena, NULL, arena_printf(arena, "cannot write the answer: %m"));
	return rc;
}

int
main(int argc, char **argv)
{
	struct arena arena;
	int rc;

	/* What the gRPC core has to say comes back as a status; its own log would only repeat it.
	 */
	(void)setenv("GRPC_VERBOSITY", "NONE", 0);
	json_set_alloc_funcs(malloc_or_exit, wiped_free);
	arena_init(&arena, ARENA_MAX);
	rc = run(&arena, argc, argv);
	arena_done(&arena);
	return rc;
}
