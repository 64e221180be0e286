/* SPDX-License-Identifier: Apache-2.0
 * abi.h - dlopen(), and what must be true of a module before the daemon uses it. */
#ifndef COSID_MODULE_ABI_H
#define COSID_MODULE_ABI_H
#include <stdbool.h>

#include "base/status.h"
#include "cosi_module.h"
#include "module/file.h"

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

#endif
