/* SPDX-License-Identifier: Apache-2.0
 * line.h - a line of the log while it is written: bounded, escaped, cut between characters.
 *
 * Nothing that is appended as text can end the line, leave its quotes or reach a terminal as a
 * control: control characters (chars_is_control()) and bytes that are not UTF-8 come out as
 * escapes.
 */
#ifndef COSID_BASE_LINE_H
#define COSID_BASE_LINE_H
#include <stddef.h>

enum { LINE_MAX_BYTES = 8192 }; /* the line break included */

struct line {
	size_t len;
	char text[LINE_MAX_BYTES];
};

enum line_escape {
	LINE_PLAIN = 1,  /* for people: \n \t \r \\ \xHH \uHHHH */
	LINE_QUOTED = 2, /* the same, and \" */
	LINE_SHOWN = 3, /* LINE_PLAIN, but a backslash stays one: where a path must stay the path */
	LINE_JSON = 4,  /* JSON's escapes; a byte that is not UTF-8 becomes \\xHH */
};

/* Appends as it is; what does not fit is left out whole. */
void line_add(struct line *line, const char *text);
void line_addf(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends text[0..len) escaped, at most `most` bytes of result; a longer one ends in "...". */
void line_add_escaped(struct line *line, enum line_escape escape, size_t most, const char *text,
		      size_t len);

#endif
