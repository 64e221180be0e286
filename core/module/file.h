/* SPDX-License-Identifier: Apache-2.0
 * file.h - a module's file: checked, hashed, and copied into sealed memory, which dlopen() maps.
 *
 * The copy is needed because glibc returns the code that is already loaded for a path it has open,
 * even after a rename, and because overwriting a mapped file kills the process that has mapped it.
 */
#ifndef COSID_MODULE_FILE_H
#define COSID_MODULE_FILE_H
#include "base/status.h"

enum { MODULE_HASH_LEN = 32, MODULE_SIZE_MAX = 64 << 20, MODULE_NAME_MAX = 32 };

struct module_file {
	char *name;   /* owned; the module's */
	char *source; /* owned; MODULE_DIR/NAME.so, which may hold something else by now */
	int fd;       /* owned; a sealed memfd; it stays open for as long as the code is loaded */
	unsigned char hash[MODULE_HASH_LEN]; /* SHA-256 of what fd holds */
};

/* name: [a-z0-9-], at most MODULE_NAME_MAX bytes.  The file must be a regular one, belong to root
 * or to the process's user, be writable by its owner alone, have at most MODULE_SIZE_MAX bytes, and
 * be a complete shared object for this machine that defines the symbol cosi_module.  No code of it
 * runs here.  0, or -1 with status and nothing to release. */
int module_file_open(struct module_file *file, const char *module_dir, const char *name,
		     struct status *status);
/* The same for any path; the module's name is the file's, without ".so". */
int module_file_open_path(struct module_file *file, const char *path, struct status *status);
void module_file_close(struct module_file *file);

#endif
