/* SPDX-License-Identifier: Apache-2.0
 * diag.c - formats, masks and keeps the lines. */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/secret.h"

#include "banned.h"

static const char warning[] = "warning: ";

/* most: where the line ends at the latest. */
static void
diag_add_part(struct line *line, size_t most, char *text)
{
	line_add_escaped(line, LINE_SHOWN, most - line->len, text, secret_mask(text, strlen(text)));
}

/* Errors are not left out in favour of warnings: the last warning makes room. */
static bool
diag_make_room(struct diag *diag, bool warns)
{
	size_t at = diag->nlines, behind;

	if (at < DIAG_MAX)
		return true;
	while (at > 0 && diag->marks[at - 1] == DIAG_NO_MARK)
		at--;
	if (warns || at == 0)
		return false;
	behind = diag->nlines-- - at;
	at--;
	free(diag->lines[at]);
	memmove(diag->lines + at, diag->lines + at + 1, behind * sizeof diag->lines[0]);
	memmove(diag->marks + at, diag->marks + at + 1, behind * sizeof diag->marks[0]);
	return true;
}

/* A line that does not fit into memory is counted all the same: an error stays an error. */
static void __attribute__((format(printf, 5, 0)))
diag_add(struct diag *diag, const char *file, int number, bool warns, const char *fmt, va_list ap)
{
	CLEANUP_FREE char *where = NULL;
	CLEANUP_FREE char *text = NULL;
	struct line line = { 0 };
	size_t mark = DIAG_NO_MARK;
	int rc = 0;
	char *copy;

	if (vasprintf(&text, fmt, ap) < 0) {
		text = NULL;
		return;
	}
	if (file != NULL && number > 0)
		rc = asprintf(&where, "%s:%d: ", file, number);
	else if (file != NULL)
		rc = asprintf(&where, "%s: ", file);
	if (rc < 0) {
		where = NULL;
		return;
	}
	if (where != NULL)
		diag_add_part(&line, DIAG_TEXT_MAX - (sizeof warning - 1), where);
	if (warns) {
		mark = line.len;
		line_add(&line, warning);
	}
	diag_add_part(&line, DIAG_TEXT_MAX, text);
	copy = strndup(line.text, line.len);
	if (copy == NULL || !diag_make_room(diag, warns)) {
		free(copy);
		return;
	}
	diag->marks[diag->nlines] = mark;
	diag->lines[diag->nlines++] = copy;
}

void
diag_verror(struct diag *diag, const char *file, int line, const char *fmt, va_list ap)
{
	diag->nerrors++;
	diag_add(diag, file, line, false, fmt, ap);
}

void
diag_error(struct diag *diag, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(diag, file, line, fmt, ap);
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

const char *
diag_first_error(const struct diag *diag, size_t from)
{
	for (size_t i = from; i < diag->nlines; i++)
		if (diag->marks[i] == DIAG_NO_MARK)
			return diag->lines[i];
	return NULL;
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
