/* SPDX-License-Identifier: Apache-2.0
 * load.h - inside config: files, sources of secrets, groups of a file into structs by their
 * schemas, the daemon's own keys, and the parts of loading. */
#ifndef COSID_CONFIG_LOAD_H
#define COSID_CONFIG_LOAD_H
#include <libconfig.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/secret.h"
#include "base/status.h"
#include "config/config.h"
#include "config/value.h"
#include "cosi_module.h"

/* ---- file.c: one file, read whole, checked, parsed by libconfig ---- */

/* SCAN_DEPTH_MAX: deeper than anything that the configuration has. */
enum { FILE_SIZE_MAX = 1 << 20, FILE_INCLUDES_MAX = 256, SCAN_DEPTH_MAX = 16 };

struct config_file {
	const char *path; /* from the arena */
	config_t tree;
};

/* Opens and reads a regular file of at most `most` bytes; a NUL follows its *out_len bytes.
 * NULL, with status: others could change it (trust_check()), cannot be opened, no regular file, too
 * large.  Free with wiped_free(). */
char *file_read(const char *path, size_t most, size_t *out_len, struct stat *out_st,
		struct status *status);

/* Reports what libconfig would misread in text[0..len), which a NUL follows. */
void file_scan(const char *text, size_t len, const char *file, struct diag *diag);
/* Fills *file, to be ended with file_done(); 0, or -1 with diag and nothing to end. */
int file_load(struct config_file *file, struct arena *arena, const char *path, struct diag *diag);
/* Overwrites the texts that may be secrets: those that begin with plain:. */
void file_forget(struct config_file *file);
/* Overwrites all texts of the tree, and frees it. */
void file_done(struct config_file *file);

/* The paths of dir/NAME.conf in byte order of their names, without hidden ones, in *out_paths from
 * the arena; 0, or -1 with *out_reason. */
int file_list(struct arena *arena, const char *dir, const char *const **out_paths, size_t *out_n,
	      const char **out_reason);

/* ---- source.c: where a secret comes from: file:PATH, credential:NAME, env:NAME, plain:VALUE ----
 */

enum { SOURCE_SIZE_MAX = 64 << 10, SOURCE_SECRETS_MAX = 128 };

/* The secrets of one backend's settings. */
struct source {
	bool checking; /* an unreachable credential: is a warning */
	size_t nsecrets;
	struct secret *secrets[SOURCE_SECRETS_MAX]; /* owned */
};

/* Where the text stands, for messages. */
struct source_location {
	const char *file, *key;
	int line;
};

/* The secret's text, owned by source, without control bytes; NULL with diag.  Messages name the key
 * and a file's path, never the text: a secret without a prefix must not show. */
const char *source_read(struct source *source, const char *text,
			const struct source_location *location, struct diag *diag);
void source_done(struct source *source);

/* Takes the variable out of the environment when the text is env:NAME; NULL is fine.  source_read()
 * reports what is wrong with it. */
void source_take_env(const char *text);
/* The value of a variable, owned here and good until the next source_env() of that name; NULL with
 * *out_reason, as it follows "the variable is ".  What stood in the environment is overwritten, so
 * that neither children nor /proc/PID/environ have it; it is kept for the next reload.  One thread
 * at a time. */
const struct secret *source_env(const char *name, size_t most, const char **out_reason);

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
 * alone when `others` has them, and are errors otherwise; it may be NULL. */
void group_read(struct reader *reader, const config_setting_t *group,
		const struct cosi_schema *schema, const struct cosi_schema *others, void *out);
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
/* For group_read(): has every key. */
extern const struct cosi_schema keys_any;

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
/* An error when there is no backend of the name that the group's key has.  NULL is fine; so is an
 * absent one while a file is missing that may have it. */
void load_require_backend(const struct reader *reader, const config_setting_t *group,
			  const char *key, const char *name, const struct config *config);

/* ---- load.c, paths.c ---- */

/* config_load() with another limit on its memory, for the test that runs out of it. */
struct config *load_within(const char *path, size_t memory, struct diag *diag);

/* What holds for a program at that absolute path, or NULL: not known. */
struct paths {
	char config[PATH_MAX], modules[PATH_MAX];
};
void paths_find(const char *program, struct paths *out);

#endif
