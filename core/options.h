/* SPDX-License-Identifier: Apache-2.0
 * options.h - the daemon's command line, cosid(8). */
#ifndef COSID_OPTIONS_H
#define COSID_OPTIONS_H
#include <stdbool.h>

struct options {
	const char *config_path, *describe;
	bool check, probe, describe_daemon;
};

/* Fills out, whose config_path is already the default.  Returns < 0 to go on, else the exit status.
 */
int options_parse(int argc, char **argv, struct options *out);
/* Returns the exit status of a process that has printed: rc, or EXIT_FAILURE when standard output
 * did not take all of it. */
int options_printed(int rc);

#endif
