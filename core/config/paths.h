/* SPDX-License-Identifier: Apache-2.0
 * paths.h - where the modules and the configuration are when nobody says so. */
#ifndef COSID_CONFIG_PATHS_H
#define COSID_CONFIG_PATHS_H
#include <limits.h>

struct paths {
	char config[PATH_MAX], modules[PATH_MAX];
};

/* What holds for a program at that absolute path, or NULL: not known. */
void paths_find(const char *program, struct paths *out);

#endif
