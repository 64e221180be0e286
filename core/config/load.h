/* SPDX-License-Identifier: Apache-2.0
 * load.h - inside config: groups of a file into structs by their schemas, the daemon's own keys,
 * and the parts of loading. */
#ifndef COSID_CONFIG_LOAD_H
#define COSID_CONFIG_LOAD_H
#include <libconfig.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "config/config.h"
#include "config/file.h"
#include "config/source.h"
#include "config/value.h"
#include "cosi_module.h"

/* ---- group.c: a group into a struct ---- */

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	struct source *source; /* secrets; NULL where a schema has none */
	bool incomplete;       /* a file could not be read: backends may be missing for that */
};

/* Reads the members of group that the schema has into out, in the order of the file; then reports
 * what is required and absent, and sets defaults.  Members that the schema does not have are left
 * alone when known() says so, and are errors otherwise; known may be NULL. */
void group_read(struct reader *reader, const config_setting_t *group,
		const struct cosi_schema *schema, bool (*known)(const char *name), void *out);
/* "a string", "a number", "a group": the kind of value in the file, for messages. */
const char *group_found(const config_setting_t *setting);
/* Of the file as a whole: 1. */
int group_line(const config_setting_t *setting);
/* Reports an error at the setting, NULL: at the file as a whole. */
void group_error(const struct reader *reader, const config_setting_t *setting, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- keys.c: the daemon's own keys ---- */

/* The top level: the configuration, and keys that are not copied into it as they are. */
struct top_keys {
	struct config config;
	const char *endpoint, *admin_endpoint, *socket_mode, *state_dir, *include_dir;
	const config_setting_t *allowed_peers, *log, *routes, *backends;
};
/* A file of include_dir. */
struct include_keys {
	const config_setting_t *routes, *backends;
};
struct peer_keys {
	struct value_ids uids, gids;
};
struct log_keys {
	const char *level, *format;
};

extern const struct cosi_schema keys_top, keys_include, keys_peers, keys_log, keys_route;
/* Of an entry of backends: all of them, and those that only modules with COSI_NETWORK have. */
extern const struct cosi_schema keys_backend, keys_network;

/* ---- backends.c: the lists of all files ---- */

enum { LOAD_BACKENDS_MAX = 64, LOAD_ROUTES_MAX = 256, LOAD_GLOB_MAX = 255, LOAD_MEMORY = 16 << 20 };

/* One file's lists, to be put together with those of the others. */
struct load_lists {
	const char *file;
	const config_setting_t *routes, *backends;
};

/* Read and check all entries of all files into config; errors go to the reader's diag. */
void load_backends(struct reader *reader, const struct load_lists *lists, size_t nlists,
		   struct config *config);
void load_routes(struct reader *reader, const struct load_lists *lists, size_t nlists,
		 struct config *config);
/* The last step: leaves out backends that no message can name, as they lack a usable name or
 * module, or have the name of another. */
void load_keep_named(struct config *config);
/* Is there a backend of the name that the group's key has?  NULL is fine; so is an absent one while
 * a file is missing that may have it. */
void load_check_backend(const struct reader *reader, const config_setting_t *group, const char *key,
			const char *name, const struct config *config);

/* ---- load.c, paths.c ---- */

/* The memory of a loaded configuration. */
struct arena *load_arena(const struct config *config);
/* config_load() with another limit on its memory, for the test that runs out of it. */
struct config *load_within(const char *path, size_t memory, struct diag *diag);

/* What holds for a program at that absolute path, or NULL: not known. */
struct paths {
	char config[PATH_MAX], modules[PATH_MAX];
};
void paths_find(const char *program, struct paths *out);

#endif
