/* SPDX-License-Identifier: Apache-2.0
 * parse.c - characters and UTF-8; strict readers for numbers, units and globs. */
#include "base/parse.h"

#include <string.h>

#include "banned.h"

/* ---- characters ---- */

bool
chars_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

size_t
chars_clean_len(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		uint32_t c;
		size_t n = parse_utf8_char(text + i, len - i, &c);

		if (n == 0 || chars_is_control(c))
			break;
		i += n;
	}
	return i;
}

bool
chars_only(const char *text, const char *set)
{
	return text[0] != '\0' && text[strspn(text, set)] == '\0';
}

bool
chars_is_near(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), head = 0, tail = 0;

	if (la < 3 || lb < 3)
		return false;
	while (head < la && head < lb && (a[head] | 0x20) == (b[head] | 0x20))
		head++;
	while (tail < la - head && tail < lb - head &&
	       (a[la - 1 - tail] | 0x20) == (b[lb - 1 - tail] | 0x20))
		tail++;
	la -= head + tail;
	lb -= head + tail;
	return (la <= 1 && lb <= 1) ||
	       (la == 2 && lb == 2 && a[head] == b[head + 1] && a[head + 1] == b[head]);
}

size_t
parse_utf8_char(const char *text, size_t len, uint32_t *out_char)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least; /* anything below is an overlong form */
	} forms[] = {
		{ 0x80, 0x00, 0x0 },
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};
	const unsigned char *p = (const unsigned char *)text;

	for (size_t n = 1; n <= 4 && n <= len; n++) {
		uint32_t c = p[0] & (unsigned char)~forms[n - 1].mask;

		if ((p[0] & forms[n - 1].mask) != forms[n - 1].lead)
			continue;
		for (size_t i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < forms[n - 1].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		*out_char = c;
		return n;
	}
	return 0;
}

bool
parse_utf8(const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0, n; i < len; i += n) {
		n = parse_utf8_char(text + i, len - i, &c);
		if (n == 0 || c == 0)
			return false;
	}
	return true;
}

/* ---- words ---- */

struct unit {
	const char *suffix;
	int64_t factor;
};

int
parse_bool(const char *word, bool *out)
{
	bool yes = strcmp(word, "true") == 0;

	if (!yes && strcmp(word, "false") != 0)
		return -1;
	*out = yes;
	return 0;
}

/* Reads the digits that word begins with, at least one; *out_end is what follows them. */
static int
digits(const char *word, int64_t *out, const char **out_end)
{
	const char *p = word;
	int64_t value = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *p - '0', &value))
			return -1;
	if (p == word)
		return -1;
	*out = value;
	*out_end = p;
	return 0;
}

int
parse_int(const char *word, int64_t *out)
{
	const char *end;
	int64_t value;

	if (digits(word, &value, &end) < 0 || *end != '\0')
		return -1;
	*out = value;
	return 0;
}

static int
with_unit(const char *word, const struct unit *units, size_t nunits, int64_t *out)
{
	const char *suffix;
	int64_t value;

	if (digits(word, &value, &suffix) < 0)
		return -1;
	for (size_t i = 0; i < nunits; i++) {
		if (strcmp(suffix, units[i].suffix) != 0)
			continue;
		if (__builtin_mul_overflow(value, units[i].factor, &value))
			return -1;
		*out = value;
		return 0;
	}
	return -1;
}

int
parse_size(const char *word, int64_t *out_bytes)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "k", 1000 },
		{ "M", 1000000 },
		{ "G", 1000000000 },
		{ "T", 1000000000000 },
		{ "P", 1000000000000000 },
		{ "Ki", INT64_C(1) << 10 },
		{ "Mi", INT64_C(1) << 20 },
		{ "Gi", INT64_C(1) << 30 },
		{ "Ti", INT64_C(1) << 40 },
		{ "Pi", INT64_C(1) << 50 },
	};

	return with_unit(word, units, sizeof units / sizeof units[0], out_bytes);
}

int
parse_duration(const char *word, int64_t *out_ms)
{
	static const struct unit units[] = {
		{ "ms", 1 },
		{ "s", 1000 },
		{ "m", 60000 },
		{ "h", 3600000 },
	};

	return with_unit(word, units, sizeof units / sizeof units[0], out_ms);
}

int
parse_mode(const char *word, unsigned *out_mode)
{
	size_t len = strspn(word, "01234567");
	unsigned mode = 0;

	if (len == 0 || len > 4 || word[len] != '\0')
		return -1;
	for (const char *p = word; *p != '\0'; p++)
		mode = mode * 8 + (unsigned)(*p - '0');
	if (mode > 0777)
		return -1;
	*out_mode = mode;
	return 0;
}

/* Going back to the last '*' alone is enough, so the time is the product of the lengths at most. */
bool
parse_glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text != '\0') {
		if (*glob == '*') {
			star = glob++;
			resume = text;
		} else if (*glob == '?' || *glob == *text) {
			glob++;
			text++;
		} else if (star != NULL) {
			glob = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	return glob[strspn(glob, "*")] == '\0';
}

void
parse_hex(const void *bytes, size_t len, char *out)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++) {
		out[2 * i] = hex[p[i] >> 4];
		out[2 * i + 1] = hex[p[i] & 0xf];
	}
	out[2 * len] = '\0';
}
