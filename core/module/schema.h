/* SPDX-License-Identifier: Apache-2.0
 * schema.h - the bucket parameters that all stores spell alike, and the checks of a module's own
 * keys when it is loaded. */
#ifndef COSID_MODULE_SCHEMA_H
#define COSID_MODULE_SCHEMA_H
#include <stddef.h>

#include "base/status.h"
#include "cosi_module.h"

enum { SCHEMA_KEYS_MAX = 128, SCHEMA_SIZE_MAX = 64 << 10, SCHEMA_TEXT_MAX = 512 };

/* Members lie within the struct and are aligned, types are known, names are well-formed and unique,
 * defaults parse.  Request parameters hold no secrets and take no name of the daemon's. */
int schema_check_config(const struct cosi_schema *schema, struct status *status);
int schema_check_params(const struct cosi_schema *schema, struct status *status);

/* The keys of struct cosi_bucket_params, the only table of them.  keys[i] is bit 1 << i of enum
 * cosi_param. */
extern const struct cosi_schema schema_bucket;
/* The bit of the parameter of that name; 0: it is not one of them. */
uint32_t schema_bucket_bit(const char *name);

#endif
