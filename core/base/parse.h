/* SPDX-License-Identifier: Apache-2.0
 * parse.h - texts: which characters they have, what they say as a number, and a hash of them.
 *
 * Nothing here depends on the locale.
 */
#ifndef COSID_BASE_PARSE_H
#define COSID_BASE_PARSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- characters ---- */

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
/* Returns true when two words of 3 letters at least differ by one letter that is missing, added or
 * other, or by two neighbours that are swapped, or not at all; case does not count. */
bool chars_is_near(const char *a, const char *b);
/* Bytes of the character that text[0..len) begins with (RFC 3629: no overlong form, no surrogate,
 * U+10FFFF at most), its number in *out_char; 0 when it begins with none, or is empty. */
size_t parse_utf8_char(const char *text, size_t len, uint32_t *out_char);
/* Valid UTF-8 without NUL? */
bool parse_utf8(const char *text, size_t len);

/* ---- words of the configuration and of parameters into values ----
 *
 * Strictly: 0, or -1 with *out untouched.  Trailing text, signs, overflow and empty words are
 * errors. */

int parse_bool(const char *word, bool *out);   /* true, false */
int parse_int(const char *word, int64_t *out); /* decimal, >= 0 */
int parse_size(const char *word,
	       int64_t *out_bytes); /* 1024, 5k 5M 5G 5T 5P (1000), 10Ki Mi Gi Ti Pi (1024) */
int parse_duration(const char *word,
		   int64_t *out_ms); /* "250ms", "10s", "5m", "24h", "0s": the unit is required */
int parse_mode(const char *word, unsigned *out_mode); /* "0660": octal, <= 0777 */
/* Glob of routes and existing_buckets: '*' any run, '?' one byte; the whole text must match. */
bool parse_glob_match(const char *glob, const char *text);
/* Lower-case hex of the bytes into out[2 * len + 1]. */
void parse_hex(const void *bytes, size_t len, char *out);

/* ---- a hash ---- */

/* FNV-1a, for tables in memory that compare what they find, or begin it at random. */
#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Goes on from hash, with the terminating NUL, so that "ab", "c" and "a", "bc" differ; NULL counts
 * as the empty text. */
static inline uint64_t
fnv_text(uint64_t hash, const char *text)
{
	const unsigned char *p = (const unsigned char *)(text != NULL ? text : "");

	do
		hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	while (*p++ != '\0');
	return hash;
}

#endif
