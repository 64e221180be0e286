/* SPDX-License-Identifier: Apache-2.0
 * load.h - inside config: the parts of loading. */
#ifndef COSID_CONFIG_LOAD_H
#define COSID_CONFIG_LOAD_H
#include <stddef.h>

#include "config/config.h"
#include "config/file.h"
#include "config/group.h"
#include "config/keys.h"

enum { LOAD_BACKENDS_MAX = 64, LOAD_ROUTES_MAX = 256, LOAD_GLOB_MAX = 255, LOAD_MEMORY = 16 << 20 };

/* One file's lists, to be gathered with those of the others. */
struct load_lists {
	const char *file;
	const config_setting_t *routes, *backends;
};

/* Read and check all entries of all files into config; errors go to the reader's diag. */
void load_backends(struct reader *reader, const struct load_lists *lists, size_t nlists,
		   struct config *config);
void load_routes(struct reader *reader, const struct load_lists *lists, size_t nlists,
		 struct config *config);

/* Leaves out what no message can name: backends without a name or a module, or with another's name.
 */
void load_keep_named(struct config *config);

/* Is there a backend of that name, which group's key asks for?  NULL is fine; so is an absent one
 * while a file is missing that may have it. */
void load_check_backend(struct reader *reader, const config_setting_t *group, const char *key,
			const char *name, const struct config *config);

/* The memory of a loaded configuration. */
struct arena *load_arena(const struct config *config);

/* config_load() with another limit on its memory, for the test that runs out of it. */
struct config *load_within(const char *path, size_t memory, struct diag *diag);

#endif
