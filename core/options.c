/* SPDX-License-Identifier: Apache-2.0
 * options.c - getopt_long; probes the backends, and describes keys for people and for the manual's
 * test. */
#include "options.h"

#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/value.h"
#include "cosi_module.h"

#include "banned.h"

/* ---- the command line ---- */

static int
print_help(void)
{
	(void)printf(
		"usage: cosid [-c FILE] [--check [--probe]]\n"
		"       cosid --describe [MODULE]\n"
		"\n"
		"  -c, --config FILE    the configuration (%s)\n"
		"      --check          load it and its modules, print what is wrong, and exit\n"
		"      --probe          with --check: contact every store\n"
		"      --describe       print the keys of the configuration, or those of MODULE\n"
		"      --version        print the versions of cosid and of its module API\n"
		"  -h, --help           print this\n"
		"\n"
		"Modules are loaded from %s.\n",
		config_default_path(), config_default_module_dir());
	return EXIT_SUCCESS;
}

int
options_printed(int rc)
{
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return rc;
	(void)fprintf(stderr, "cosid: cannot write to standard output: %m\n");
	return EXIT_FAILURE;
}

int
options_parse(int argc, char **argv, struct options *out)
{
	enum { OPT_CHECK = 256, OPT_PROBE, OPT_DESCRIBE, OPT_VERSION };
	static const struct option longs[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "check", no_argument, NULL, OPT_CHECK },
		{ "probe", no_argument, NULL, OPT_PROBE },
		{ "describe", no_argument, NULL, OPT_DESCRIBE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool describe = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "c:h", longs, NULL)) != -1) {
		switch (opt) {
		case 'c':
			out->config_path = optarg;
			out->config_given = true;
			break;
		case OPT_CHECK:
			out->check = true;
			break;
		case OPT_PROBE:
			out->probe = true;
			break;
		case OPT_DESCRIBE:
			describe = true;
			break;
		case OPT_VERSION:
			(void)printf("cosid %s (module API %u.%u)\n", COSID_VERSION, COSI_API_MAJOR,
				     COSI_API_MINOR);
			return EXIT_SUCCESS;
		case 'h':
			return print_help();
		default: /* getopt_long() has said what is wrong */
			goto usage;
		}
	}
	if (describe && optind < argc)
		out->describe = argv[optind++];
	out->describe_daemon = describe && out->describe == NULL;
	if (optind < argc)
		(void)fprintf(stderr, "cosid: unexpected argument '%s'\n", argv[optind]);
	else if (out->probe && !out->check)
		(void)fprintf(stderr, "cosid: --probe needs --check\n");
	else
		return -1;
usage:
	(void)fprintf(stderr, "Try 'cosid --help'.\n");
	return 2;
}

/* ---- without serving ---- */

/* Of the packaged unit. */
static const char service_user[] = "cosid";

void
check_as_service(const struct options *options)
{
	const struct passwd *user;

	if (!options->check || options->config_given || geteuid() != 0 ||
	    (user = getpwnam(service_user)) == NULL || user->pw_uid == 0)
		return;
	if (initgroups(service_user, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
	    setuid(user->pw_uid) != 0) {
		(void)fprintf(stderr,
			      "cosid: warning: checking as root: cannot take the rights of user "
			      "'%s': %m\n",
			      service_user);
		return;
	}
#ifdef COSID_SANITIZED /* the leak checker attaches to its own process */
	(void)prctl(PR_SET_DUMPABLE, 1);
#endif
	(void)printf("checking with the rights of user '%s', as which the service runs\n",
		     service_user);
}

void
check_print(const struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++)
		(void)fprintf(stderr, "%s\n", diag->lines[i]);
	if (diag->nerrors + diag->nwarnings > diag->nlines)
		(void)fprintf(stderr, "... and %zu more\n",
			      diag->nerrors + diag->nwarnings - diag->nlines);
}

int
check_describe_daemon(void)
{
	size_t n;
	const struct config_section *sections = config_sections(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sections[i].schema->nkeys; k++) {
			const struct cosi_key *key = &sections[i].schema->keys[k];
			const char *fallback = key->fallback != NULL ? key->fallback : "-";
			char type[64];

			if ((key->flags & COSI_REQUIRED) != 0)
				fallback = "required";
			else if (strcmp(key->name, "module_dir") == 0)
				fallback = config_default_module_dir();
			value_describe_type(key, type, sizeof type);
			(void)printf("daemon %s %s %s %s %s\n",
				     sections[i].name[0] != '\0' ? sections[i].name : "-",
				     key->name, type, fallback, key->help);
		}
	return EXIT_SUCCESS;
}

int
check_describe_module(const char *module)
{
	struct diag diag = { 0 };
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, strchr(module, '/') != NULL ? "%s" : "%s/%s.so",
			   strchr(module, '/') != NULL ? module : config_default_module_dir(),
			   module);
	int rc = -1;

	if (len > 0 && (size_t)len < sizeof path)
		rc = module_describe(path, &diag);
	else
		diag_error(&diag, module, 0, "the path is too long");
	check_print(&diag);
	diag_done(&diag);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
check_probe(struct backend *backend, const struct config *config)
{
	static const atomic_bool never;
	struct arena arena;
	struct status status = { 0 };
	struct diag diag = { 0 };
	struct module_call call = {
		.arena = &arena,
		.status = &status,
		.backend = backend,
		.deadline_ms = clock_mono_ms() + config->call_timeout_ms,
		.cancelled = &never,
	};
	int rc;

	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	rc = backend_probe(&call);
	arena_done(&arena);
	if (rc == 0 && backend->module->probe == NULL)
		(void)printf("backend '%s': skipped: module '%s' has no probe\n", backend->name,
			     backend->module->name);
	else if (rc == 0)
		(void)printf("backend '%s': reachable\n", backend->name);
	if (rc == 0)
		return 0;
	diag_error(&diag, backend->config->file, config_line(backend->config, status.text),
		   "backend '%s': %s", backend->name,
		   backend->left_out != NULL ? backend->left_out : status.text);
	check_print(&diag);
	diag_done(&diag);
	return rc;
}

int
check_backends(struct generation *generation, const struct config *config,
	       const struct options *options, bool sound)
{
	/* An invalid call_timeout, which was reported, leaves no time for a probe. */
	bool probes = options->probe && config->call_timeout_ms > 0;
	int rc = sound ? EXIT_SUCCESS : EXIT_FAILURE;

	for (size_t i = 0; probes && i < generation->nbackends; i++)
		if (check_probe(&generation->backends[i], config) < 0)
			rc = EXIT_FAILURE;
	if (rc == EXIT_SUCCESS)
		(void)printf("%s: ok, %zu backend%s\n", options->config_path, generation->nbackends,
			     generation->nbackends == 1 ? "" : "s");
	return rc;
}
