/* SPDX-License-Identifier: Apache-2.0
 * chars.c - the controls of Unicode that can forge a line, or the order in which one is read. */
#include "base/chars.h"

#include <string.h>

#include "base/parse.h"

#include "banned.h"

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
