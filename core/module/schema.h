/* SPDX-License-Identifier: Apache-2.0
 * schema.h - the bucket parameters that all stores spell alike, and the checks of what a module
 * says of itself: its texts, and its own keys when it is loaded. */
#ifndef COSID_MODULE_SCHEMA_H
#define COSID_MODULE_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cosi_module.h"

enum { SCHEMA_KEYS_MAX = 128, SCHEMA_SIZE_MAX = 64 << 10, SCHEMA_TEXT_MAX = 512 };

/* Is it least to most bytes of UTF-8 without control characters (base/parse.h)?  NULL is not. */
bool text_is_clean(const char *text, size_t least, size_t most);
/* The same, and http:// or https:// followed by something. */
bool text_is_url(const char *text, size_t most);
/* Replaces control characters and bytes that are not UTF-8 by '?', in place. */
void text_clean(char *text);

/* Members lie within the struct and are aligned, types are known, names are well-formed and unique,
 * defaults parse.  Request parameters hold no secrets and take no name of the daemon's. */
int schema_check_config(const struct cosi_schema *schema, struct status *status);
int schema_check_params(const struct cosi_schema *schema, struct status *status);

/* The keys of struct cosi_bucket_params, the only table of them.  keys[i] is bit 1 << i of enum
 * cosi_param. */
extern const struct cosi_schema schema_bucket;
/* The bit of the parameter of that name; 0: it is not one of them. */
uint32_t schema_bucket_bit(const char *name);

/* The module on stdout, for people, for the manual's test and for completions: a line for each of
 * its properties, then for each key
 *   config NAME TYPE DEFAULT HELP...       a key of its backends; DEFAULT: -, or "required"
 *   common NAME TYPE DEFAULT HELP...       a bucket parameter that all stores spell alike
 *   bucket NAME TYPE DEFAULT HELP...       one of its own
 *   access NAME TYPE DEFAULT HELP...       a parameter of its grants */
void schema_print(const struct cosi_module *module);

#endif
