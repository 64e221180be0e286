/* SPDX-License-Identifier: Apache-2.0
 * needs.h - does a module link with what cosi_module.h lets it? */
#ifndef COSID_MODULE_NEEDS_H
#define COSID_MODULE_NEEDS_H

/* handle: from dlopen().  The first library that a module may not need, or NULL: there is none.
 * Borrowed from the loaded file. */
const char *needs_foreign(void *handle);

#endif
