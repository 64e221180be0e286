/* SPDX-License-Identifier: Apache-2.0
 * diag.c - formats, masks and keeps the lines. */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"

#include "banned.h"

static const char warning[] = "warning: ";

static void
diag_add_part(struct line *line, char *text)
{
	line_add_escaped(line, LINE_SHOWN, DIAG_TEXT_MAX - line->len, text,
			 secret_mask(text, strlen(text)));
}

static void
diag_drop(struct diag *diag, size_t at)
{
	size_t behind = --diag->nlines - at;

	free(diag->lines[at]);
	memmove(diag->lines + at, diag->lines + at + 1, behind * sizeof diag->lines[0]);
	memmove(diag->marks + at, diag->marks + at + 1, behind * sizeof diag->marks[0]);
}

/* Errors are not left out in favour of warnings: the last warning makes room. */
static bool
diag_make_room(struct diag *diag, bool warns)
{
	size_t n = diag->nlines;

	if (n < DIAG_MAX)
		return true;
	while (n > 0 && diag->marks[n - 1] == DIAG_NO_MARK)
		n--;
	if (warns || n == 0)
		return false;
	diag_drop(diag, n - 1);
	return true;
}

/* A line that does not fit into memory is counted all the same: an error stays an error. */
static void
diag_keep(struct diag *diag, char *where, bool warns, char *text)
{
	struct line line = { 0 };
	size_t mark = DIAG_NO_MARK;
	char *copy;

	diag_add_part(&line, where);
	if (warns) {
		mark = line.len;
		line_add(&line, warning);
	}
	diag_add_part(&line, text);
	copy = strndup(line.text, line.len);
	if (copy == NULL || !diag_make_room(diag, warns)) {
		free(copy);
		return;
	}
	diag->marks[diag->nlines] = mark;
	diag->lines[diag->nlines++] = copy;
}

static void __attribute__((format(printf, 5, 0)))
diag_add(struct diag *diag, const char *file, int line, bool warns, const char *fmt, va_list ap)
{
	char number[16] = "";
	char *text = NULL, *where = NULL;

	if (line > 0)
		(void)snprintf(number, sizeof number, "%d:", line);
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	if (asprintf(&where, "%s%s%s%s", file != NULL ? file : "", file != NULL ? ":" : "",
		     file != NULL ? number : "", file != NULL ? " " : "") >= 0) {
		diag_keep(diag, where, warns, text);
		free(where);
	}
	free(text);
}

void
diag_error(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	diag->nerrors++;
	va_start(ap, fmt);
	diag_add(diag, file, line, false, fmt, ap);
	va_end(ap);
}

void
diag_warning(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	diag->nwarnings++;
	va_start(ap, fmt);
	diag_add(diag, file, line, true, fmt, ap);
	va_end(ap);
}

/* The log says by itself that a line is a warning. */
void
diag_log(const struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++) {
		const char *line = diag->lines[i];
		size_t mark = diag->marks[i];

		if (mark == DIAG_NO_MARK)
			log_shown(COSI_ERROR, "%s", line);
		else
			log_shown(COSI_WARNING, "%.*s%s", (int)mark, line,
				  line + mark + sizeof warning - 1);
	}
	if (diag->nerrors + diag->nwarnings > diag->nlines)
		log_warning("... and %zu more", diag->nerrors + diag->nwarnings - diag->nlines);
}

void
diag_done(struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++)
		free(diag->lines[i]);
	*diag = (struct diag){ 0 };
}
