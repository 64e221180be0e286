/* SPDX-License-Identifier: Apache-2.0
 * check.h - what cosid does without serving: --check, --probe, --describe. */
#ifndef COSID_CHECK_H
#define COSID_CHECK_H
#include "config/config.h"
#include "module/backend.h"

#include "options.h"

/* Writes what is wrong on stderr, as it is. */
void check_print(const struct diag *diag);
/* --check [--probe] on what was loaded; these return the exit code.  sound: loading found no
 * error. */
int check_backends(struct generation *generation, const struct config *config,
		   const struct options *options, bool sound);
int check_describe_daemon(void);
int check_describe_module(const char *module);

#endif
