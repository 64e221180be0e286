/* SPDX-License-Identifier: Apache-2.0
 * text.c - escaping and quoting. */
#include "text.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

const char *
text_escape(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len * 4 + 1);
	size_t out = 0;

	if (copy == NULL)
		return "";
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = 0;

		n = parse_utf8_char(text + i, len - i, &c);
		if (n > 0 && !chars_is_control(c)) {
			memcpy(copy + out, text + i, n);
			out += n;
			continue;
		}
		n += n == 0;
		for (size_t j = 0; j < n; j++)
			out += (size_t)snprintf(copy + out, 5, "\\x%02x",
						(unsigned)(unsigned char)text[i + j]);
	}
	return copy;
}

const char *
text_shell_quote(struct arena *arena, const char *text)
{
	size_t len = strlen(text), n = 0;
	char *copy = arena_alloc(arena, len * 4 + 3);

	if (copy == NULL)
		return "''";
	copy[n++] = '\'';
	for (size_t i = 0; i < len; i++) {
		copy[n++] = text[i];
		if (text[i] == '\'') {
			memcpy(copy + n, "\\''", 3);
			n += 3;
		}
	}
	copy[n] = '\'';
	return copy;
}
