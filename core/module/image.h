/* SPDX-License-Identifier: Apache-2.0
 * image.h - loaded modules: checked, and shared by all instances and generations that use the same
 * bytes. */
#ifndef COSID_MODULE_IMAGE_H
#define COSID_MODULE_IMAGE_H
#include <stdbool.h>

#include "base/status.h"
#include "cosi_module.h"
#include "module/file.h"
#include "module/load_check.h"

struct abi_module {
	void *handle;              /* dlopen()'s */
	struct cosi_module module; /* a copy; fields that an older module lacks are zero */
	char *loader_name;         /* the path that the dynamic loader knows the code by */
	bool by_path;              /* loaded from the installed file: the copy is not mapped */
};

/* Loads a file that module_file_open() has accepted, and checks all that the module says of itself.
 * The file must stay open until abi_unload().  0, or -1 with status and nothing loaded. */
int abi_load(struct abi_module *out, struct module_file *file, struct status *status);
/* Code that the loader keeps all the same (-z nodelete) takes the file's descriptor over: the
 * loader knows the code by that number, which must not become another file's. */
void abi_unload(struct abi_module *loaded, struct module_file *file);

struct image {
	struct image *next;       /* in the process's list */
	unsigned refs;            /* under the list's mutex */
	struct module_file file;  /* what was loaded */
	struct abi_module loaded; /* what the module says of itself */
};

/* The image of MODULE_DIR/NAME.so as it is now; bytes that this process has not loaded before are
 * first loaded by the child of `check`.  A reference, or NULL with status. */
struct image *image_load(const char *module_dir, const char *name, struct load_check *check,
			 struct status *status);
struct image *image_ref(struct image *image);
/* NULL is fine.  The last one unloads the file: no thread may be inside of the module. */
void image_unref(struct image *image);

#endif
