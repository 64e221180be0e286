/* SPDX-License-Identifier: Apache-2.0
 * options.c - getopt_long. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "cosi_module.h"

#include "banned.h"

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
