/* SPDX-License-Identifier: Apache-2.0
 * text.h - strings that come from a module, before anybody else believes them. */
#ifndef COSID_MODULE_TEXT_H
#define COSID_MODULE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* Between least and most bytes of UTF-8 without control characters?  NULL is not. */
bool text_is_clean(const char *text, size_t least, size_t most);
/* The same, and http:// or https:// followed by something. */
bool text_is_url(const char *text, size_t most);
/* Replaces control characters and bytes that are not UTF-8 by '?', in place. */
void text_clean(char *text);

#endif
