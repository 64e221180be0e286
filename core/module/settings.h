/* SPDX-License-Identifier: Apache-2.0
 * settings.h - the values of a backend's settings as bytes: for their digest, and for the child
 * that tries the backend's open(). */
#ifndef COSID_MODULE_SETTINGS_H
#define COSID_MODULE_SETTINGS_H
#include <stddef.h>

#include "base/arena.h"
#include "cosi_module.h"

/* Where a text ends is part of the bytes, and NULL differs from the empty text.  Wiped by
 * wiped_free(), since secrets are among them; NULL: no memory. */
void *settings_encode(const struct cosi_schema *schema, const void *config, size_t *out_len);
/* Fills config, a zeroed struct of schema->size bytes.  Texts point into bytes, lists lie in the
 * arena.  0; -1: the bytes are not of that schema, or no memory. */
int settings_decode(const struct cosi_schema *schema, const void *bytes, size_t len,
		    struct arena *arena, void *config);

#endif
