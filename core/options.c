/* SPDX-License-Identifier: Apache-2.0
 * options.c - getopt_long. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "cosi_module.h"

#include "banned.h"

static void
usage(FILE *out)
{
	(void)fprintf(out,
		      "usage: cosid [-c FILE] [--check [--probe]]\n"
		      "       cosid --describe [MODULE]\n"
		      "       cosid --version | --help\n"
		      "\n"
		      "Without -c: %s\n"
		      "Modules:    %s\n",
		      config_default_path(), config_default_module_dir());
}

int
options_parse(int argc, char **argv, struct options *out)
{
	enum { OPT_CHECK = 256, OPT_PROBE, OPT_DESCRIBE, OPT_VERSION, OPT_HELP };
	static const struct option longs[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "check", no_argument, NULL, OPT_CHECK },
		{ "probe", no_argument, NULL, OPT_PROBE },
		{ "describe", no_argument, NULL, OPT_DESCRIBE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, OPT_HELP },
		{ NULL, 0, NULL, 0 },
	};
	bool describe = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "c:", longs, NULL)) != -1) {
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
		case OPT_HELP:
			usage(stdout);
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (describe && optind < argc)
		out->describe = argv[optind++];
	out->describe_daemon = describe && out->describe == NULL;
	if (optind < argc || (out->probe && !out->check)) {
		usage(stderr);
		return 2;
	}
	return -1;
}
