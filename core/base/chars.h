/* SPDX-License-Identifier: Apache-2.0
 * chars.h - classes of characters: what is a control, and which texts keep to a set.
 *
 * ASCII classes do not depend on the locale.
 */
#ifndef COSID_BASE_CHARS_H
#define COSID_BASE_CHARS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets for chars_only(), to be put together: CHARS_LOWER CHARS_DIGIT "-". */
#define CHARS_DIGIT "0123456789"
#define CHARS_LOWER "abcdefghijklmnopqrstuvwxyz"
#define CHARS_UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define CHARS_ALNUM CHARS_LOWER CHARS_UPPER CHARS_DIGIT

static inline bool
chars_is_digit(unsigned c)
{
	return c >= '0' && c <= '9';
}

static inline bool
chars_is_lower(unsigned c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
chars_is_alnum(unsigned c)
{
	return chars_is_digit(c) || chars_is_lower(c) || (c >= 'A' && c <= 'Z');
}

/* Returns true for a character that does not show as itself in a terminal or a log and may change
 * how its neighbours show: C0, DEL, C1, line and paragraph separator, marks of text direction, the
 * byte order mark. */
bool chars_is_control(uint32_t c);
/* Returns the length of the longest beginning of text[0..len) that is UTF-8 without a control: len
 * when all of it may be shown, else the offset of what may not. */
size_t chars_clean_len(const char *text, size_t len);
/* Returns true when text is not empty and has no other byte than those of set. */
bool chars_only(const char *text, const char *set);

#endif
