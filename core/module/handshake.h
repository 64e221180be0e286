/* SPDX-License-Identifier: Apache-2.0
 * handshake.h - dlopen, and what must be true of a module before the daemon uses it. */
#ifndef COSID_MODULE_HANDSHAKE_H
#define COSID_MODULE_HANDSHAKE_H
#include "base/status.h"
#include "cosi_module.h"

/* Loads path (with a '/' in it) and copies what the module says of itself to *out, with zeros for
 * fields that it does not know.  Its strings and tables live in the loaded file.  name: what it
 * must be called.  The handle, for dlclose(); NULL with status. */
void *handshake_load(const char *path, const char *name, struct cosi_module *out,
		     struct status *status);
/* The same for any file that passes module_file_check(); its name is that of the file, up to the
 * first dot: "/usr/lib/cosid/modules/posix.so" and the copy "posix.1.so" are both called posix. */
void *handshake_load_file(const char *path, struct cosi_module *out, struct status *status);

#endif
