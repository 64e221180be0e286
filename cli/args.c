/* SPDX-License-Identifier: Apache-2.0
 * args.c - options and words of the command line into a struct ask.
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
/* COSI's own limit is 128 buckets per access. */
enum { DEFAULT_TIMEOUT_MS = 60000, TIMEOUT_MAX_MS = 24 * 60 * 60 * 1000, IDS_MAX = 128 };

/* Options without a letter. */
enum {
	OPTION_API = 256,
	OPTION_TIMEOUT,
	OPTION_PROTOCOL,
	OPTION_MODE,
	OPTION_ACCOUNT,
	OPTION_ACCOUNT_ID,
	OPTION_VERSION,
};

/* Options that belong to some commands alone. */
enum {
	USES_PROTOCOL = 1u << 0,
	USES_MODE = 1u << 1,
	USES_ACCOUNT = 1u << 2,
	USES_ACCOUNT_ID = 1u << 3,
	USES_API = 1u << 4
};
static const char *const use_names[] = { "--protocol", "--mode", "--account", "--account-id",
					 "--api" };

static const struct command {
	const char *name;
	enum ask_op op;
	size_t min_ids, max_ids;
	bool params;
	unsigned uses;
	const char *what; /* an id of this command */
} commands[] = {
	{ "info", ASK_INFO, 0, 0, false, USES_API, NULL },
	{ "create", ASK_CREATE, 1, 1, true, USES_API | USES_PROTOCOL, "bucket name" },
	{ "get", ASK_GET, 1, 1, false, USES_API | USES_PROTOCOL, "bucket id" },
	{ "delete", ASK_DELETE, 1, 1, true, USES_API, "bucket id" },
	{ "grant", ASK_GRANT, 1, IDS_MAX, true, USES_API | USES_PROTOCOL | USES_MODE | USES_ACCOUNT,
	  "bucket id" },
	{ "revoke", ASK_REVOKE, 1, IDS_MAX, false, USES_API | USES_PROTOCOL | USES_ACCOUNT_ID,
	  "bucket id" },
	{ "status", ASK_STATUS, 0, 0, false, 0, NULL },
	{ "reload", ASK_RELOAD, 0, 0, false, 0, NULL },
	{ "list", ASK_LIST, 0, 1, false, 0, "backend" },
};

struct parse {
	struct args *args;
	struct arena *arena;
	unsigned used; /* USES_*: the options that were given */
	const char *error;
};

static int fail(struct parse *parse, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int
fail(struct parse *parse, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	parse->error = arena_vprintf(parse->arena, fmt, ap);
	va_end(ap);
	return -1;
}

static int
set_api(struct parse *parse, const char *word)
{
	static const struct dialect *const dialects[] = { &dialect_v1alpha1, &dialect_v1alpha2 };

	parse->used |= USES_API;
	for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
		if (strcmp(dialects[i]->name, word) == 0) {
			parse->args->dialect = dialects[i];
			return 0;
		}
	return fail(parse, "unknown api '%s': v1alpha1 or v1alpha2", word);
}

static int
set_output(struct parse *parse, const char *word)
{
	static const struct {
		const char *name;
		print_fn *print;
	} outputs[] = { { "text", print_text }, { "json", print_json }, { "env", print_env } };

	for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
		if (strcmp(outputs[i].name, word) == 0) {
			parse->args->print = outputs[i].print;
			return 0;
		}
	return fail(parse, "unknown output '%s': text, json or env", word);
}

static int
set_mode(struct parse *parse, const char *word)
{
	static const struct {
		const char *name;
		uint32_t mode;
	} modes[] = { { "readWrite", COSI_READ_WRITE },
		      { "readOnly", COSI_READ_ONLY },
		      { "writeOnly", COSI_WRITE_ONLY } };

	parse->used |= USES_MODE;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(modes[i].name, word) == 0) {
			parse->args->ask.mode = modes[i].mode;
			return 0;
		}
	return fail(parse, "unknown mode '%s': readWrite, readOnly or writeOnly", word);
}

static int
set_protocol(struct parse *parse, const char *word)
{
	uint32_t protocol = answer_protocol_parse(word);

	parse->used |= USES_PROTOCOL;
	parse->args->ask.protocols |= protocol;
	return protocol != 0 ? 0 : fail(parse, "unknown protocol '%s': s3, azure or gcs", word);
}

static int
set_timeout(struct parse *parse, const char *word)
{
	int64_t *ms = &parse->args->timeout_ms;

	if (parse_duration(word, ms) < 0 || *ms == 0 || *ms > TIMEOUT_MAX_MS)
		return fail(parse, "bad timeout '%s': from 1ms to 24h, as in 250ms, 10s, 5m", word);
	return 0;
}

static int
option(struct parse *parse, int letter)
{
	struct args *args = parse->args;

	switch (letter) {
	case 'e':
		args->endpoint = optarg;
		return 0;
	case 'o':
		return set_output(parse, optarg);
	case OPTION_API:
		return set_api(parse, optarg);
	case OPTION_TIMEOUT:
		return set_timeout(parse, optarg);
	case OPTION_PROTOCOL:
		return set_protocol(parse, optarg);
	case OPTION_MODE:
		return set_mode(parse, optarg);
	case OPTION_ACCOUNT:
		args->ask.account = optarg;
		parse->used |= USES_ACCOUNT;
		return 0;
	case OPTION_ACCOUNT_ID:
		args->ask.account_id = optarg;
		parse->used |= USES_ACCOUNT_ID;
		return 0;
	case 'h':
		args->help = true;
		return 0;
	case OPTION_VERSION:
		args->version = true;
		return 0;
	default:
		return -1; /* getopt_long() has said why */
	}
}

static int
options(struct parse *parse, int argc, char **argv)
{
	static const struct option table[] = {
		{ "endpoint", required_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "api", required_argument, NULL, OPTION_API },
		{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
		{ "protocol", required_argument, NULL, OPTION_PROTOCOL },
		{ "mode", required_argument, NULL, OPTION_MODE },
		{ "account", required_argument, NULL, OPTION_ACCOUNT },
		{ "account-id", required_argument, NULL, OPTION_ACCOUNT_ID },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "e:o:h", table, NULL)) != -1)
		if (option(parse, letter) < 0)
			return -1;
	return 0;
}

static int
endpoint_check(struct parse *parse)
{
	const char *scheme = "unix:///", *endpoint = parse->args->endpoint;
	size_t path_max = sizeof((struct sockaddr_un *)0)->sun_path - 1;

	if (strncmp(endpoint, scheme, strlen(scheme)) != 0)
		return fail(parse, "bad endpoint '%s': it must begin with unix:///", endpoint);
	if (strlen(endpoint) - strlen("unix://") > path_max)
		return fail(parse, "bad endpoint '%s': the path is longer than %zu bytes", endpoint,
			    path_max);
	return 0;
}

static int
param_add(struct parse *parse, struct cosi_kv *params, const char *word)
{
	struct ask *ask = &parse->args->ask;
	const char *equals = strchr(word, '=');
	const char *key = arena_strndup(parse->arena, word, (size_t)(equals - word));

	if (key[0] == '\0')
		return fail(parse, "parameter '%s' has no name", word);
	for (size_t i = 0; i < ask->nparams; i++)
		if (strcmp(params[i].key, key) == 0)
			return fail(parse, "parameter '%s' is given twice", key);
	params[ask->nparams++] = (struct cosi_kv){ key, equals + 1 };
	return 0;
}

static int
words(struct parse *parse, const struct command *command, size_t n, char **words_)
{
	struct ask *ask = &parse->args->ask;
	const char **ids = arena_alloc(parse->arena, (n + 1) * sizeof *ids);
	struct cosi_kv *params = arena_alloc(parse->arena, (n + 1) * sizeof *params);

	if (ids == NULL || params == NULL)
		return fail(parse, "no memory");
	ask->ids = ids;
	ask->params = params;
	for (size_t i = 0; i < n; i++) {
		if (ask->nids > 0 && command->params && strchr(words_[i], '=') != NULL) {
			if (param_add(parse, params, words_[i]) < 0)
				return -1;
		} else if (ask->nids == command->max_ids) {
			return fail(parse, "'%s' does not take '%s'", command->name, words_[i]);
		} else if (words_[i][0] == '\0') {
			return fail(parse, "'%s' needs a %s that is not empty", command->name,
				    command->what);
		} else {
			ids[ask->nids++] = words_[i];
		}
	}
	if (ask->nids < command->min_ids)
		return fail(parse, "'%s' needs a %s", command->name, command->what);
	return 0;
}

static int
uses_check(struct parse *parse, const struct command *command)
{
	const struct ask *ask = &parse->args->ask;
	const unsigned required = command->uses & (USES_ACCOUNT | USES_ACCOUNT_ID);

	for (size_t i = 0; i < sizeof use_names / sizeof use_names[0]; i++) {
		if ((parse->used & ~command->uses & 1u << i) != 0)
			return fail(parse, "'%s' does not take %s", command->name, use_names[i]);
		if ((required & ~parse->used & 1u << i) != 0)
			return fail(parse, "'%s' needs %s", command->name, use_names[i]);
	}
	if ((required & USES_ACCOUNT) != 0 && ask->account[0] == '\0')
		return fail(parse, "--account is empty");
	if ((required & USES_ACCOUNT_ID) != 0 && ask->account_id[0] == '\0')
		return fail(parse, "--account-id is empty");
	if (required != 0 && (ask->protocols & (ask->protocols - 1)) != 0)
		return fail(parse, "'%s' takes one --protocol", command->name);
	return 0;
}

static int
dialect_check(struct parse *parse, const struct command *command)
{
	const struct dialect *dialect = parse->args->dialect;
	const struct ask *ask = &parse->args->ask;

	if (dialect->calls[ask->op] == NULL)
		return fail(parse, "%s has no '%s'", dialect->name, command->name);
	if (!dialect->single)
		return 0;
	if (ask->protocols != 0)
		return fail(parse, "%s has no --protocol: the backend decides", dialect->name);
	if (ask->nids > 1)
		return fail(parse, "%s takes one bucket id, not %zu", dialect->name, ask->nids);
	for (size_t i = 0; ask->mode != 0 && i < ask->nparams; i++)
		if (strcmp(ask->params[i].key, "accessMode") == 0)
			return fail(parse, "--mode and accessMode are the same: give one");
	return 0;
}

static int
command(struct parse *parse, size_t n, char **argv)
{
	const struct command *found = NULL;

	if (n == 0)
		return fail(parse, "no command");
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(commands[i].name, argv[0]) == 0)
			found = &commands[i];
	if (found == NULL)
		return fail(parse, "unknown command '%s'", argv[0]);
	parse->args->ask.op = found->op;
	if (words(parse, found, n - 1, argv + 1) < 0 || uses_check(parse, found) < 0)
		return -1;
	if (found->op < ASK_STATUS)
		return dialect_check(parse, found);
	return parse->args->print != print_env ? 0
					       : fail(parse, "'%s' has no output env", found->name);
}

/* The environment's word is for COSI's own socket. */
static const char *
default_endpoint(enum ask_op op)
{
	const char *environment = getenv("COSI_ENDPOINT");

	if (op >= ASK_STATUS)
		return ADMIN_ENDPOINT;
	return environment != NULL && environment[0] != '\0' ? environment : DEFAULT_ENDPOINT;
}

int
args_parse(struct args *args, int argc, char **argv, struct arena *arena, const char **out_error)
{
	struct parse parse = { .args = args, .arena = arena };
	int result;

	*args = (struct args){
		.dialect = &dialect_v1alpha2,
		.print = print_text,
		.timeout_ms = DEFAULT_TIMEOUT_MS,
	};
	result = options(&parse, argc, argv);
	if (result == 0 && !args->help && !args->version) {
		result = command(&parse, (size_t)(argc - optind), argv + optind);
		if (args->endpoint == NULL)
			args->endpoint = default_endpoint(args->ask.op);
		if (result == 0)
			result = endpoint_check(&parse);
	}
	*out_error = parse.error;
	return result;
}

void
args_help(void)
{
	(void)fputs("usage: cosictl [options] info\n"
		    "       cosictl [options] create NAME [key=value ...]\n"
		    "       cosictl [options] get ID\n"
		    "       cosictl [options] delete ID [key=value ...]\n"
		    "       cosictl [options] grant ID ... --account NAME [key=value ...]\n"
		    "       cosictl [options] revoke ID ... --account-id ID\n"
		    "       cosictl [options] status | reload | list [BACKEND]\n"
		    "\n"
		    "  -e, --endpoint URL     unix:///path; default $COSI_ENDPOINT, else\n"
		    "                         " DEFAULT_ENDPOINT ";\n"
		    "                         status, reload and list:\n"
		    "                         " ADMIN_ENDPOINT "\n"
		    "      --api VERSION      v1alpha1 or v1alpha2 (default)\n"
		    "  -o, --output FORMAT    text (default), json or env\n"
		    "      --timeout TIME     default 60s\n"
		    "      --protocol NAME    s3, azure or gcs; create and get may repeat it\n"
		    "      --mode MODE        readWrite (default), readOnly or writeOnly\n"
		    "      --account NAME     grant: what to call the account\n"
		    "      --account-id ID    revoke: what grant answered\n"
		    "  -h, --help\n"
		    "      --version\n"
		    "\n"
		    "Exit status: 0 done, 1 refused or failed, 2 wrong usage.  See cosictl(1).\n",
		    stdout);
}
