/* SPDX-License-Identifier: Apache-2.0
 * args.c - options and words of the command line into a request.
 *
 * The first word is the command.  Of the others those with a '=' are parameters and the rest ids,
 * except that a first word is never a parameter: no id and no name holds a '='.
 */
#include "args.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/parse.h"

#include "banned.h"

#define DEFAULT_ENDPOINT "unix:///run/cosid/cosi.sock"
#define ADMIN_ENDPOINT   "unix:///run/cosid-admin/admin.sock"
/* The daemon gives each backend 10 minutes for its list; COSI allows 128 buckets per access. */
enum { TIMEOUT_MS = 60000, LIST_TIMEOUT_MS = 600000, TIMEOUT_MAX_MS = 24 * 60 * 60 * 1000 };
enum { IDS_MAX = 128 };

/* Options that belong to some commands alone; also the values of getopt's table. */
enum {
	USES_API = 1u << 8,
	USES_PROTOCOL = 1u << 9,
	USES_MODE = 1u << 10,
	USES_ACCOUNT = 1u << 11,
	USES_ACCOUNT_ID = 1u << 12,
	USES_YES = 1u << 13,
	OPTION_TIMEOUT = 1u << 14,
	OPTION_VERSION = 1u << 15,
};

static const struct option options[] = {
	{ "endpoint", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "api", required_argument, NULL, USES_API },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "protocol", required_argument, NULL, USES_PROTOCOL },
	{ "mode", required_argument, NULL, USES_MODE },
	{ "account", required_argument, NULL, USES_ACCOUNT },
	{ "account-id", required_argument, NULL, USES_ACCOUNT_ID },
	{ "yes", no_argument, NULL, USES_YES },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

#define COLUMN        "\n                         "
#define ENDPOINT_HELP "-e, --endpoint URL     unix:///path; default"
#define API_HELP      ENDPOINT_HELP " $COSI_ENDPOINT, else" COLUMN DEFAULT_ENDPOINT
/* In the order of options, for: all commands; COSI's; status, reload, list.  NULL: as for all. */
static const char *const option_help[][3] = {
	{ API_HELP ";" COLUMN "status, reload and list:" COLUMN ADMIN_ENDPOINT, API_HELP,
	  ENDPOINT_HELP COLUMN ADMIN_ENDPOINT },
	{ "-o, --output FORMAT    text (default), json or env", NULL,
	  "-o, --output FORMAT    text (default) or json" },
	{ "    --api VERSION      v1alpha1 or v1alpha2 (default)" },
	{ "    --timeout TIME     default 60s; list: 10m", "    --timeout TIME     default 60s" },
	{ "    --protocol NAME    s3, azure or gcs; create and get may repeat it" },
	{ "    --mode MODE        readWrite (default), readOnly or writeOnly" },
	{ "    --account NAME     grant: what to call the account" },
	{ "    --account-id ID    revoke: what grant answered" },
	{ "    --yes              delete: purge without a question" },
	{ "-h, --help             of one command when its name is given, too" },
	{ "    --version" },
};

static const struct command {
	const char *name;
	enum op op;
	size_t min_ids, max_ids;
	bool params;
	unsigned uses;
	const char *what; /* an id of this command */
	const char *words, *example;
} commands[] = {
	{ "info", OP_INFO, 0, 0, false, USES_API, NULL, "", "info -o json" },
	{ "create", OP_CREATE, 1, 1, true, USES_API | USES_PROTOCOL, "bucket name",
	  " NAME [key=value ...]", "create photos backend=rgw-east quotaMaxSize=10Gi" },
	{ "get", OP_GET, 1, 1, false, USES_API | USES_PROTOCOL, "bucket id", " ID",
	  "get rgw-east.photos" },
	{ "delete", OP_DELETE, 1, 1, true, USES_API | USES_YES, "bucket id", " ID [key=value ...]",
	  "delete rgw-east.photos whenNotEmpty=purge" },
	{ "grant", OP_GRANT, 1, IDS_MAX, true, USES_API | USES_PROTOCOL | USES_MODE | USES_ACCOUNT,
	  "bucket id", " ID ... --account NAME [key=value ...]",
	  "grant rgw-east.photos --account editor --mode readOnly -o env" },
	{ "revoke", OP_REVOKE, 1, IDS_MAX, false, USES_API | USES_PROTOCOL | USES_ACCOUNT_ID,
	  "bucket id", " ID ... --account-id ID",
	  "revoke rgw-east.photos --account-id rgw-east.cosi-editor" },
	{ "status", OP_STATUS, 0, 0, false, 0, NULL, "", "status" },
	{ "reload", OP_RELOAD, 0, 0, false, 0, NULL, "", "reload" },
	{ "list", OP_LIST, 0, 1, false, 0, "backend", " [BACKEND]", "list rgw-east -o json" },
};
enum { NCOMMANDS = sizeof commands / sizeof commands[0] };

struct parse {
	struct args *args;
	struct arena *arena;
	unsigned used; /* USES_*: the options that were given */
	const char *error;
};

static int args_fail(struct parse *parse, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int
args_fail(struct parse *parse, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	parse->error = arena_vprintf(parse->arena, fmt, ap);
	va_end(ap);
	return -1;
}

/* The position of word in choices, which a NULL ends; -1: unknown, and the error names the nearest
 * one, or all. */
static int
choose(struct parse *parse, const char *what, const char *word, const char *const *choices)
{
	const char *all = "", *near = NULL;

	for (int i = 0; choices[i] != NULL; i++) {
		if (strcmp(choices[i], word) == 0)
			return i;
		if (chars_is_near(choices[i], word))
			near = choices[i];
		all = arena_printf(parse->arena, "%s%s%s", all,
				   i == 0                   ? ""
				   : choices[i + 1] == NULL ? " or "
							    : ", ",
				   choices[i]);
	}
	if (near != NULL)
		return args_fail(parse, "unknown %s '%s': did you mean '%s'?", what, word, near);
	return args_fail(parse, "unknown %s '%s': %s", what, word, all);
}

static int
option_set(struct parse *parse, int option)
{
	static const char *const apis[] = { "v1alpha1", "v1alpha2", NULL };
	static const char *const outputs[] = { "text", "json", "env", NULL };
	static const char *const modes[] = { "readWrite", "readOnly", "writeOnly", NULL };
	static const char *const protocols[] = { "s3", "azure", "gcs", NULL };
	struct args *args = parse->args;
	struct request *request = &args->request;
	int choice = 0;

	if (option >= USES_API && option <= USES_YES)
		parse->used |= (unsigned)option;
	switch (option) {
	case 'e':
		args->endpoint = optarg;
		break;
	case 'h':
		args->help = true;
		break;
	case OPTION_VERSION:
		args->version = true;
		break;
	case USES_ACCOUNT:
		request->account = optarg;
		break;
	case USES_ACCOUNT_ID:
		request->account_id = optarg;
		break;
	case 'o':
		choice = choose(parse, "output", optarg, outputs);
		args->output = (enum output)(choice + OUTPUT_TEXT);
		break;
	case USES_API:
		choice = choose(parse, "api", optarg, apis);
		args->api = choice == 0 ? &api_v1alpha1 : &api_v1alpha2;
		break;
	case USES_MODE:
		choice = choose(parse, "mode", optarg, modes);
		request->mode = choice == 0   ? COSI_READ_WRITE
				: choice == 1 ? COSI_READ_ONLY
					      : COSI_WRITE_ONLY;
		break;
	case USES_PROTOCOL:
		choice = choose(parse, "protocol", optarg, protocols);
		request->protocols |= api_protocol_parse(optarg);
		break;
	case USES_YES:
		args->yes = true;
		break;
	case OPTION_TIMEOUT:
		if (parse_duration(optarg, &args->timeout_ms) < 0 || args->timeout_ms == 0 ||
		    args->timeout_ms > TIMEOUT_MAX_MS)
			return args_fail(parse,
					 "bad timeout '%s': from 1ms to 24h, as in 250ms, 10s, 5m",
					 optarg);
		break;
	default:
		return -1; /* getopt_long() has said why */
	}
	return choice < 0 ? -1 : 0;
}

static int
param_add(struct parse *parse, struct cosi_kv *params, const char *word)
{
	struct request *request = &parse->args->request;
	const char *equals = strchr(word, '=');
	const char *key = arena_strndup(parse->arena, word, (size_t)(equals - word));

	if (key[0] == '\0')
		return args_fail(parse, "parameter '%s' has no name", word);
	for (size_t i = 0; i < request->nparams; i++)
		if (strcmp(params[i].key, key) == 0)
			return args_fail(parse, "parameter '%s' is given twice", key);
	params[request->nparams++] = (struct cosi_kv){ key, equals + 1 };
	return 0;
}

static int
words_parse(struct parse *parse, const struct command *command, size_t n, char **words)
{
	struct request *request = &parse->args->request;
	const char **ids = arena_alloc(parse->arena, (n + 1) * sizeof *ids);
	struct cosi_kv *params = arena_alloc(parse->arena, (n + 1) * sizeof *params);

	if (ids == NULL || params == NULL)
		return args_fail(parse, "out of memory");
	request->ids = ids;
	request->params = params;
	for (size_t i = 0; i < n; i++) {
		if (request->nids > 0 && command->params && strchr(words[i], '=') != NULL) {
			if (param_add(parse, params, words[i]) < 0)
				return -1;
		} else if (request->nids == command->max_ids) {
			return args_fail(parse, "'%s' does not take '%s'", command->name, words[i]);
		} else if (words[i][0] == '\0') {
			return args_fail(parse, "'%s' needs a %s that is not empty", command->name,
					 command->what);
		} else {
			ids[request->nids++] = words[i];
		}
	}
	if (request->nids < command->min_ids)
		return args_fail(parse, "'%s' needs a %s", command->name, command->what);
	return 0;
}

/* Are the options that were given those of this command, and of the API version? */
static int
options_check(struct parse *parse, const struct command *command)
{
	const struct api *api = parse->args->api;
	const struct request *request = &parse->args->request;
	unsigned required = command->uses & (USES_ACCOUNT | USES_ACCOUNT_ID);

	for (size_t i = 0; options[i].name != NULL; i++) {
		unsigned option = (unsigned)options[i].val & ~0xffu;

		if ((parse->used & ~command->uses & option) != 0)
			return args_fail(parse, "'%s' does not take --%s", command->name,
					 options[i].name);
		if ((required & ~parse->used & option) != 0)
			return args_fail(parse, "'%s' needs --%s", command->name, options[i].name);
	}
	if (request->account != NULL && request->account[0] == '\0')
		return args_fail(parse, "--account is empty");
	if (request->account_id != NULL && request->account_id[0] == '\0')
		return args_fail(parse, "--account-id is empty");
	if (required != 0 && (request->protocols & (request->protocols - 1)) != 0)
		return args_fail(parse, "'%s' takes one --protocol", command->name);
	if (command->op >= OP_STATUS)
		return parse->args->output != OUTPUT_ENV
			       ? 0
			       : args_fail(parse, "'%s' has no output env", command->name);
	if (api->calls[request->op] == NULL)
		return args_fail(parse, "%s has no '%s'", api->name, command->name);
	if (!api->single)
		return 0;
	if (request->protocols != 0)
		return args_fail(parse, "%s has no --protocol: the backend decides", api->name);
	if (request->nids > 1)
		return args_fail(parse, "%s takes one bucket id, not %zu", api->name,
				 request->nids);
	for (size_t i = 0; request->mode != 0 && i < request->nparams; i++)
		if (strcmp(request->params[i].key, "accessMode") == 0)
			return args_fail(parse, "--mode and accessMode are the same: give one");
	return 0;
}

/* The environment names COSI's own socket, not the admin socket. */
static int
endpoint_parse(struct parse *parse)
{
	const char *scheme = "unix:///", *endpoint = parse->args->endpoint;
	const char *environment = getenv("COSI_ENDPOINT");
	size_t path_max = sizeof((struct sockaddr_un *)0)->sun_path - 1;

	if (endpoint == NULL && parse->args->request.op >= OP_STATUS)
		endpoint = ADMIN_ENDPOINT;
	else if (endpoint == NULL)
		endpoint = environment != NULL && environment[0] != '\0' ? environment
									 : DEFAULT_ENDPOINT;
	parse->args->endpoint = endpoint;
	if (strncmp(endpoint, scheme, strlen(scheme)) != 0)
		return args_fail(parse, "bad endpoint '%s': it must begin with unix:///", endpoint);
	if (strlen(endpoint) - strlen("unix://") > path_max)
		return args_fail(parse, "bad endpoint '%s': the path is longer than %zu bytes",
				 endpoint, path_max);
	return 0;
}

/* NULL: there is no such command, and the error says so. */
static const struct command *
command_find(struct parse *parse, const char *word)
{
	const char *names[NCOMMANDS + 1] = { NULL };
	int choice;

	for (size_t i = 0; i < NCOMMANDS; i++)
		names[i] = commands[i].name;
	choice = choose(parse, "command", word, names);
	return choice < 0 ? NULL : &commands[choice];
}

int
args_parse(struct args *args, int argc, char **argv, struct arena *arena, const char **out_error)
{
	struct parse parse = { .args = args, .arena = arena };
	const struct command *command = NULL;
	int rc = 0, option;

	*args = (struct args){
		.api = &api_v1alpha2,
		.output = OUTPUT_TEXT,
	};
	while (rc == 0 && (option = getopt_long(argc, argv, "e:o:h", options, NULL)) != -1)
		rc = option_set(&parse, option);
	if (rc == 0 && optind < argc && strcmp(argv[optind], "help") == 0) {
		args->help = true;
		optind++;
	}
	if (rc < 0 || args->version || (args->help && optind >= argc))
		goto out;
	rc = -1;
	if (optind < argc)
		command = command_find(&parse, argv[optind]);
	else
		args_fail(&parse, "no command");
	if (command == NULL)
		goto out;
	args->request.op = command->op;
	if (args->timeout_ms == 0)
		args->timeout_ms = command->op == OP_LIST ? LIST_TIMEOUT_MS : TIMEOUT_MS;
	if (args->help ||
	    (words_parse(&parse, command, (size_t)(argc - optind - 1), argv + optind + 1) == 0 &&
	     options_check(&parse, command) == 0 && endpoint_parse(&parse) == 0))
		rc = 0;
out:
	*out_error = parse.error;
	return rc;
}

/* Those of one command; NULL: all. */
static void
help_options(const struct command *command)
{
	unsigned uses = command != NULL ? command->uses : ~0u;
	size_t column = command == NULL ? 0 : command->op < OP_STATUS ? 1 : 2;

	for (size_t i = 0; options[i].name != NULL; i++) {
		const char *text = option_help[i][column];
		unsigned option = (unsigned)options[i].val;

		if (option > USES_YES || option < USES_API || (option & uses) != 0)
			(void)printf("  %s\n", text != NULL ? text : option_help[i][0]);
	}
}

void
args_help(enum op op)
{
	const struct command *command = NULL;

	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (op != 0 && op != commands[i].op)
			continue;
		command = &commands[i];
		(void)printf("%s cosictl [options] %s%s\n", op != 0 || i == 0 ? "usage:" : "      ",
			     command->name, command->words);
	}
	(void)putchar('\n');
	help_options(op != 0 ? command : NULL);
	if (op != 0)
		(void)printf("\nExample: cosictl %s\n", command->example);
	(void)puts("\nExit status: 0 done, 1 refused or failed, 2 wrong usage.  See cosictl(1).");
}
