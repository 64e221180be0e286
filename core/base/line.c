/* SPDX-License-Identifier: Apache-2.0
 * line.c - escapes, and the cut between two of them. */
#include "base/line.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/chars.h"
#include "base/parse.h"

#include "banned.h"

static const char cut_mark[] = "...";
enum { UNIT_MAX = 8 }; /* the longest result of one character, "\\xff" or "\u202e", with its NUL */

static void
add_bytes(struct line *line, const char *bytes, size_t len)
{
	if (len > sizeof line->text - line->len)
		return;
	memcpy(line->text + line->len, bytes, len);
	line->len += len;
}

void
line_add(struct line *line, const char *text)
{
	add_bytes(line, text, strlen(text));
}

void
line_addf(struct line *line, const char *fmt, ...)
{
	char piece[128];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(piece, sizeof piece, fmt, ap);
	va_end(ap);
	if (len > 0 && (size_t)len < sizeof piece)
		add_bytes(line, piece, (size_t)len);
}

static const char *
short_escape(uint32_t c, enum line_escape escape)
{
	switch (c) {
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	case '\\':
		return escape == LINE_SHOWN ? NULL : "\\\\";
	case '"':
		return escape == LINE_QUOTED || escape == LINE_JSON ? "\\\"" : NULL;
	default:
		return NULL;
	}
}

/* Writes what the first character of text becomes; returns the bytes read from text. */
static size_t
unit_make(enum line_escape escape, const char *text, size_t len, char unit[UNIT_MAX])
{
	const char *known;
	uint32_t c;
	size_t n = parse_utf8_char(text, len, &c);

	if (n == 0) {
		(void)snprintf(unit, UNIT_MAX, escape == LINE_JSON ? "\\\\x%02x" : "\\x%02x",
			       (unsigned)(unsigned char)text[0]);
		return 1;
	}
	known = short_escape(c, escape);
	if (known != NULL) {
		(void)snprintf(unit, UNIT_MAX, "%s", known);
	} else if (chars_is_control(c)) {
		(void)snprintf(unit, UNIT_MAX, "\\u%04x", (unsigned)c);
	} else {
		memcpy(unit, text, n);
		unit[n] = '\0';
	}
	return n;
}

void
line_add_escaped(struct line *line, enum line_escape escape, size_t most, const char *text,
		 size_t len)
{
	size_t room = sizeof line->text - line->len;
	size_t limit = line->len + (most < room ? most : room);
	size_t cut = line->len; /* the last border that leaves room for the mark */
	char unit[UNIT_MAX];

	for (size_t i = 0, size; i < len; line->len += size) {
		i += unit_make(escape, text + i, len - i, unit);
		size = strlen(unit);
		if (size > limit - line->len) {
			line->len = cut;
			if (sizeof cut_mark - 1 <= limit - cut)
				line_add(line, cut_mark);
			return;
		}
		memcpy(line->text + line->len, unit, size);
		if (line->len + size + sizeof cut_mark - 1 <= limit)
			cut = line->len + size;
	}
}
