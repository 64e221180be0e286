/* SPDX-License-Identifier: Apache-2.0
 * diag.c - formats, masks and keeps the lines. */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/log.h"
#include "base/secret.h"

#include "banned.h"

enum { DIAG_LINE_MOST = 2048 };
static const char warning[] = "warning: ";

static void
add_part(struct line *line, char *text)
{
	line_add_escaped(line, LINE_SHOWN, DIAG_LINE_MOST - line->len, text,
			 secret_mask(text, strlen(text)));
}

/* A line that there is no memory for is counted all the same, so an error stays one. */
static void
keep(struct diag *diag, char *where, bool warns, char *text)
{
	struct line line = { 0 };

	if (diag->nlines == DIAG_MAX)
		return;
	add_part(&line, where);
	diag->marks[diag->nlines] = warns ? line.len : DIAG_NO_MARK;
	if (warns)
		line_add(&line, warning);
	add_part(&line, text);
	diag->lines[diag->nlines] = strndup(line.text, line.len);
	if (diag->lines[diag->nlines] != NULL)
		diag->nlines++;
}

static void __attribute__((format(printf, 5, 0)))
add(struct diag *diag, const char *file, int line, bool warns, const char *fmt, va_list ap)
{
	char number[16] = "";
	char *text = NULL, *where = NULL;

	if (line > 0)
		(void)snprintf(number, sizeof number, "%d:", line);
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	if (asprintf(&where, "%s%s%s%s", file != NULL ? file : "", file != NULL ? ":" : "",
		     file != NULL ? number : "", file != NULL ? " " : "") >= 0) {
		keep(diag, where, warns, text);
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
	add(diag, file, line, false, fmt, ap);
	va_end(ap);
}

void
diag_warning(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	diag->nwarnings++;
	va_start(ap, fmt);
	add(diag, file, line, true, fmt, ap);
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
			log_error("%s", line);
		else
			log_warning("%.*s%s", (int)mark, line, line + mark + sizeof warning - 1);
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
