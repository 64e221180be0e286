/* SPDX-License-Identifier: Apache-2.0
 * diag.c - formats, masks and keeps the lines. */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/secret.h"

#include "banned.h"

enum { DIAG_LINE_MOST = 2048 };

/* A line that there is no memory for is counted all the same, so an error stays one. */
static void
keep(struct diag *diag, char *text)
{
	struct line line = { 0 };

	if (diag->nlines == DIAG_MAX)
		return;
	line_add_escaped(&line, LINE_SHOWN, DIAG_LINE_MOST, text, secret_mask(text, strlen(text)));
	diag->lines[diag->nlines] = strndup(line.text, line.len);
	if (diag->lines[diag->nlines] != NULL)
		diag->nlines++;
}

static void __attribute__((format(printf, 5, 0)))
add(struct diag *diag, const char *file, int line, const char *kind, const char *fmt, va_list ap)
{
	char number[16] = "";
	char *text = NULL, *whole = NULL;

	if (line > 0)
		(void)snprintf(number, sizeof number, "%d:", line);
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	if (asprintf(&whole, "%s%s%s%s%s%s", file != NULL ? file : "", file != NULL ? ":" : "",
		     file != NULL ? number : "", file != NULL ? " " : "", kind, text) >= 0) {
		keep(diag, whole);
		free(whole);
	}
	free(text);
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
