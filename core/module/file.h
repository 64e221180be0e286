/* SPDX-License-Identifier: Apache-2.0
 * file.h - a module's file: found, checked, hashed, and copied to where nobody overwrites it. */
#ifndef COSID_MODULE_FILE_H
#define COSID_MODULE_FILE_H
#include <stdbool.h>

#include "base/status.h"

enum { MODULE_HASH_LEN = 32, MODULE_SIZE_MAX = 64 << 20, MODULE_NAME_MAX = 32 };

struct module_file {
	char *name;   /* owned; the module's */
	char *source; /* owned; MODULE_DIR/NAME.so */
	char *path;   /* owned; what is loaded: the copy, or source itself (COSID_SANITIZED) */
	unsigned char hash[MODULE_HASH_LEN]; /* SHA-256 of what path holds */
	bool copied;                         /* path is ours to remove */
};

/* name: [a-z0-9-], at most MODULE_NAME_MAX bytes.  The file must be a regular one, belong to root
 * or to us, be writable by its owner alone, be at most MODULE_SIZE_MAX bytes long and a whole
 * shared object for this machine.  0, or -1 with status and nothing left behind. */
int module_file_stage(struct module_file *file, const char *module_dir, const char *state_dir,
		      const char *name, struct status *status);
/* The same of what lies there now, hashed and not copied: path is NULL. */
int module_file_look(struct module_file *file, const char *module_dir, const char *name,
		     struct status *status);
/* The same checks on a path, without a copy: *out_fd is the open file. */
int module_file_check(const char *path, int *out_fd, struct status *status);
/* Removes the copy and frees the members. */
void module_file_done(struct module_file *file);

#endif
