/* SPDX-License-Identifier: Apache-2.0
 * diag.h - what is wrong with a configuration, as `file:line: text`, all of it at once.
 */
#ifndef COSID_CONFIG_DIAG_H
#define COSID_CONFIG_DIAG_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Collects up to DIAG_MAX lines in the order in which they come; the rest are counted.  When it is
 * full, an error displaces the last warning.  One thread at a time. */
enum { DIAG_MAX = 64, DIAG_TEXT_MAX = 2048 };
struct diag {
	size_t nerrors, nwarnings; /* counted, also those beyond DIAG_MAX */
	size_t nlines;
	char *lines[DIAG_MAX];  /* owned; warnings read "file:line: warning: text" */
	size_t marks[DIAG_MAX]; /* where "warning: " stands in a line; DIAG_NO_MARK in an error */
};
#define DIAG_NO_MARK SIZE_MAX

/* file may be NULL (a default, the environment); line 0: the file as a whole. */
void diag_error(struct diag *diag, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_verror(struct diag *diag, const char *file, int line, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
void diag_warning(struct diag *diag, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The first error among the lines from that number on; NULL: there is none.  Borrowed. */
const char *diag_first_error(const struct diag *diag, size_t from);
/* Every line into the log, at its level. */
void diag_log(const struct diag *diag);
void diag_done(struct diag *diag);

#endif
