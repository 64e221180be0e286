/* SPDX-License-Identifier: Apache-2.0
 * text.h - checks of strings that come from a module. */
#ifndef COSID_MODULE_TEXT_H
#define COSID_MODULE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* Is it least to most bytes of UTF-8 without control characters (base/parse.h)?  NULL is not. */
bool text_is_clean(const char *text, size_t least, size_t most);
/* The same, and http:// or https:// followed by something. */
bool text_is_url(const char *text, size_t most);
/* Replaces control characters and bytes that are not UTF-8 by '?', in place. */
void text_clean(char *text);

#endif
