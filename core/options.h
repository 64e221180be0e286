/* SPDX-License-Identifier: Apache-2.0
 * options.h - the daemon's command line, cosid(8), and what cosid does without serving: --check,
 * --probe, --describe. */
#ifndef COSID_OPTIONS_H
#define COSID_OPTIONS_H
#include <stdbool.h>

#include "config/config.h"
#include "module/backend.h"

struct options {
	const char *config_path, *describe;
	bool config_given, check, probe, describe_daemon;
};

/* Fills out, whose config_path is already the default.  Returns < 0 to go on, else the exit status.
 */
int options_parse(int argc, char **argv, struct options *out);
/* Returns the exit status of a process that has printed: rc, or EXIT_FAILURE when standard output
 * did not take all of it. */
int options_printed(int rc);

/* For --check by root of the configuration of the service, whose user cannot read all that root
 * can: the process becomes that user, if there is one.  Before any thread exists. */
void check_as_service(const struct options *options);
/* Writes what is wrong on stderr, as it is. */
void check_print(const struct diag *diag);
/* --check [--probe] on what was loaded; these return the exit code.  sound: loading found no
 * error. */
int check_backends(struct generation *generation, const struct config *config,
		   const struct options *options, bool sound);
int check_describe_daemon(void);
int check_describe_module(const char *module);

#endif
