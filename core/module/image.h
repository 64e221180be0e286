/* SPDX-License-Identifier: Apache-2.0
 * image.h - loaded module files, shared by all instances and generations that use the same bytes.
 */
#ifndef COSID_MODULE_IMAGE_H
#define COSID_MODULE_IMAGE_H
#include <stdatomic.h>

#include "base/status.h"
#include "cosi_module.h"
#include "module/abi.h"
#include "module/file.h"
#include "module/load_check.h"

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
