/* SPDX-License-Identifier: Apache-2.0
 * file.h - one configuration file: read whole, checked, parsed by libconfig. */
#ifndef COSID_CONFIG_FILE_H
#define COSID_CONFIG_FILE_H
#include <libconfig.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "config/diag.h"

/* SCAN_DEPTH_MAX: deeper than anything that the configuration has. */
enum { FILE_SIZE_MAX = 1 << 20, FILE_INCLUDES_MAX = 256, SCAN_DEPTH_MAX = 16 };

struct config_file {
	const char *path; /* from the arena */
	config_t tree;
};

/* Opens and reads a regular file of at most `most` bytes; a NUL follows its *out_len bytes.
 * NULL, with *out_reason: cannot be opened, no regular file, too large.  Free with wiped_free(). */
char *file_read(const char *path, size_t most, size_t *out_len, struct stat *out_st,
		const char **out_reason);

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

#endif
