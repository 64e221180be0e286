/* SPDX-License-Identifier: Apache-2.0
 * parse.h - words of the configuration and of parameters into values, strictly.
 *
 * All return 0, or -1 with *out untouched: trailing text, signs, overflow and empty words are
 * errors.
 */
#ifndef COSID_BASE_PARSE_H
#define COSID_BASE_PARSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int parse_bool(const char *word, bool *out);   /* true, false */
int parse_int(const char *word, int64_t *out); /* decimal, >= 0 */
int parse_size(const char *word,
	       int64_t *out_bytes); /* 1024, 5k 5M 5G 5T 5P (1000), 10Ki Mi Gi Ti Pi (1024) */
int parse_duration(const char *word,
		   int64_t *out_ms); /* "250ms", "10s", "5m", "24h", "0s": the unit is required */
int parse_mode(const char *word, unsigned *out_mode); /* "0660": octal, <= 0777 */
/* Glob of routes and existing_buckets: '*' any run, '?' one byte; the whole text must match. */
bool parse_glob_match(const char *glob, const char *text);
/* Bytes of the character that text[0..len) begins with (RFC 3629: no overlong form, no surrogate,
 * U+10FFFF at most), its number in *out_char; 0 when it begins with none, or is empty. */
size_t parse_utf8_char(const char *text, size_t len, uint32_t *out_char);
/* Valid UTF-8 without NUL? */
bool parse_utf8(const char *text, size_t len);
/* Lower-case hex of the bytes into out[2 * len + 1]. */
void parse_hex(const void *bytes, size_t len, char *out);

#endif
