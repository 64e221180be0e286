/* SPDX-License-Identifier: Apache-2.0
 * image.h - loaded module files, shared by all instances and generations that use the same bytes.
 *
 *   images_load(): stage all files -> try those that are new, all at once -> dlopen, handshake
 *   image_unref() of the last user: dlclose, unlink
 */
#ifndef COSID_MODULE_IMAGE_H
#define COSID_MODULE_IMAGE_H
#include <stddef.h>

#include "base/status.h"
#include "cosi_module.h"
#include "module/file.h"

struct image;

/* One module that a configuration names: in, then out. */
struct image_wish {
	const char *name;     /* in; borrowed */
	struct image *image;  /* out: a reference, or NULL with status */
	struct status status; /* out */
};

/* Loads what each wish names; names are unique among the wishes.  state_dir: see module/state.h. */
void images_load(struct image_wish *wishes, size_t nwishes, const char *module_dir,
		 const char *state_dir);

/* Lives as long as the reference that it was asked for. */
const struct cosi_module *image_module(const struct image *image);
/* Where it came from; borrowed like the module. */
struct image_origin {
	const char *source;        /* MODULE_DIR/NAME.so, which may hold something else by now */
	const unsigned char *hash; /* MODULE_HASH_LEN bytes: SHA-256 of what was loaded */
	const char *foreign;       /* a library that it needs and may not; NULL: none */
};
struct image_origin image_origin(const struct image *image);
struct image *image_ref(struct image *image);
/* NULL is fine.  The last one unloads the file: no thread may be inside of the module. */
void image_unref(struct image *image);

#endif
