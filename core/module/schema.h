/* SPDX-License-Identifier: Apache-2.0
 * schema.h - does what a module says of its keys hold together?  Asked once, when it is loaded. */
#ifndef COSID_MODULE_SCHEMA_H
#define COSID_MODULE_SCHEMA_H
#include <stddef.h>

#include "base/status.h"
#include "cosi_module.h"

enum { SCHEMA_KEYS_MAX = 128, SCHEMA_SIZE_MAX = 64 << 10, SCHEMA_TEXT_MAX = 512 };

/* Members within the struct and aligned, types known, names well-formed and unique, defaults that
 * parse.  Request parameters hold no secrets and do not use a word that is the daemon's. */
int schema_check_config(const struct cosi_schema *schema, struct status *status);
int schema_check_params(const struct cosi_schema *schema, struct status *status);

/* "string", "secret", ...; NULL: no such type. */
const char *schema_type_name(uint32_t type);

/* The bucket parameters that all stores spell alike, in the order of enum cosi_param's bits. */
struct schema_common {
	uint32_t bit;
	const char *name, *type, *fallback, *help;
};
const struct schema_common *schema_common(size_t *out_n);

#endif
