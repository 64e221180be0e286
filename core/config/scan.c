/* SPDX-License-Identifier: Apache-2.0
 * scan.c - comments, strings, numbers and braces, and nothing else of the grammar. */
#include "config/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

struct scan {
	const char *p, *end;
	int line;
	int depth;
	const char *file;
	struct diag *diag;
};

static void
step(struct scan *s)
{
	if (*s->p == '\n')
		s->line++;
	s->p++;
}

static bool
at(const struct scan *s, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(s->end - s->p) >= len && memcmp(s->p, word, len) == 0;
}

/* Leaves p after the word, or at the end of the text: then the comment has no end. */
static void
skip_comment(struct scan *s)
{
	int line = s->line;

	for (s->p += 2; s->p < s->end; step(s)) {
		if (at(s, "*/")) {
			s->p += 2;
			return;
		}
	}
	diag_error(s->diag, s->file, line, "the comment that begins here has no end");
}

static void
skip_line(struct scan *s)
{
	while (s->p < s->end && *s->p != '\n')
		s->p++;
}

static void
skip_string(struct scan *s)
{
	int line = s->line;

	for (s->p++; s->p < s->end; step(s)) {
		if (*s->p == '"') {
			s->p++;
			return;
		}
		if (at(s, "\\x00"))
			diag_error(s->diag, s->file, s->line, "a NUL within a string");
		if (*s->p == '\\' && s->p + 1 < s->end)
			step(s);
	}
	diag_error(s->diag, s->file, line, "the string that begins here has no end");
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != '\0' && strchr("_-+.*", c) != NULL);
}

/* libconfig takes "L" for 64 bits; without it a number has 32, and more is cut off. */
static void
check_number(struct scan *s, const char *word, size_t len)
{
	size_t skip = *word == '-' || *word == '+' ? 1 : 0;
	int64_t value = 0;
	char digits[24] = "";
	size_t n = 0;

	if (skip == len || word[skip] < '0' || word[skip] > '9')
		return;
	if (len - skip > 1 && word[skip] == '0' && (word[skip + 1] | 0x20) == 'x') {
		diag_error(s->diag, s->file, s->line, "write numbers in decimal");
		return;
	}
	while (skip + n < len && word[skip + n] >= '0' && word[skip + n] <= '9' &&
	       n < sizeof digits - 1) {
		digits[n] = word[skip + n];
		n++;
	}
	if (parse_int(digits, &value) != 0)
		diag_error(s->diag, s->file, s->line, "the number is too large");
	else if (value > INT32_MAX && skip + n == len)
		diag_error(s->diag, s->file, s->line,
			   "a number above 2147483647 needs an L at its end");
}

static void
skip_word(struct scan *s)
{
	const char *word = s->p;

	while (s->p < s->end && is_word(*s->p))
		s->p++;
	check_number(s, word, (size_t)(s->p - word));
}

static void
check_include(struct scan *s)
{
	const char *p = s->p;

	while (p < s->end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(s->end - p) >= 8 && memcmp(p, "@include", 8) == 0)
		diag_error(s->diag, s->file, s->line,
			   "@include is not allowed here; files are added with include_dir");
}

static void
check_depth(struct scan *s)
{
	if (strchr("({[", *s->p) != NULL && ++s->depth == SCAN_DEPTH_MAX + 1)
		diag_error(s->diag, s->file, s->line,
			   "more than %d groups and lists within another", SCAN_DEPTH_MAX);
	if (strchr(")}]", *s->p) != NULL)
		s->depth--;
}

/* Bytes that no part of a file may hold, strings and comments included. */
static bool
check_bytes(struct scan *s)
{
	int line = 1;
	uint32_t c;

	if (at(s, "\xef\xbb\xbf")) {
		diag_error(s->diag, s->file, line,
			   "a byte order mark: save the file as UTF-8 without one");
		return false;
	}
	for (const char *p = s->p; p < s->end;) {
		size_t n = parse_utf8_char(p, (size_t)(s->end - p), &c);

		if (n == 0 || (c < 0x20 && strchr("\t\n\r\f", (int)c) == NULL) || c == 0 ||
		    c == 0x7f) {
			diag_error(s->diag, s->file, line,
				   n == 0 ? "the text is not UTF-8" : "a control character");
			return false;
		}
		line += c == '\n';
		p += n;
	}
	return true;
}

void
scan_text(const char *text, size_t len, const char *file, struct diag *diag)
{
	struct scan s = { .p = text, .end = text + len, .line = 1, .file = file, .diag = diag };

	if (!check_bytes(&s))
		return;
	check_include(&s);
	while (s.p < s.end) {
		if (at(&s, "/*")) {
			skip_comment(&s);
		} else if (*s.p == '#' || at(&s, "//")) {
			skip_line(&s);
		} else if (*s.p == '"') {
			skip_string(&s);
		} else if (is_word(*s.p)) {
			skip_word(&s);
		} else {
			check_depth(&s);
			step(&s);
			if (s.p[-1] == '\n')
				check_include(&s);
		}
	}
}
