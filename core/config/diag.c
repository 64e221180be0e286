/* SPDX-License-Identifier: Apache-2.0
 * diag.c - formats, masks and keeps the lines. */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/line.h"
#include "base/secret.h"

#include "banned.h"

enum { DIAG_LINE_MOST = 1024 };

/* A line that there is no memory for is counted all the same, so an error stays one. */
static void
keep(struct diag *diag, const char *where, const char *kind, const char *text)
{
	struct line line = { 0 };
	CLEANUP_FREE char *copy = strdup(text);

	if (copy == NULL || diag->nlines == DIAG_MAX)
		return;
	line_add_escaped(&line, LINE_SHOWN, DIAG_LINE_MOST, where, strlen(where));
	line_add(&line, kind);
	line_add_escaped(&line, LINE_SHOWN, DIAG_LINE_MOST, copy, secret_mask(copy, strlen(copy)));
	diag->lines[diag->nlines] = strndup(line.text, line.len);
	if (diag->lines[diag->nlines] != NULL)
		diag->nlines++;
}

static void __attribute__((format(printf, 5, 0)))
add(struct diag *diag, const char *file, int line, const char *kind, const char *fmt, va_list ap)
{
	CLEANUP_FREE char *text = NULL;
	CLEANUP_FREE char *where = NULL;

	if (vasprintf(&text, fmt, ap) < 0) {
		text = NULL;
		return;
	}
	if (file == NULL)
		where = strdup("");
	else if (asprintf(&where, line > 0 ? "%s:%d: " : "%s: ", file, line) < 0)
		where = NULL;
	if (where != NULL)
		keep(diag, where, kind, text);
}

void
diag_error(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	diag->nerrors++;
	va_start(ap, fmt);
	add(diag, file, line, "", fmt, ap);
	va_end(ap);
}

void
diag_warning(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	diag->nwarnings++;
	va_start(ap, fmt);
	add(diag, file, line, "warning: ", fmt, ap);
	va_end(ap);
}

void
diag_done(struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++)
		free(diag->lines[i]);
	*diag = (struct diag){ 0 };
}
