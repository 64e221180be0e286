/* SPDX-License-Identifier: Apache-2.0
 * log.h - one line per event on stderr, as text or JSON; and lines for others that are read by
 * people.
 *
 * Any thread may log.  A line goes out in one write().  Nothing that a request or a store says can
 * end a line, leave its quotes or reach a terminal as a control: controls (chars_is_control()) and
 * bytes that are not UTF-8 come out as escapes.  Every known secret (base/secret.h) comes out as
 * "***".
 */
#ifndef COSID_BASE_LOG_H
#define COSID_BASE_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

/* The fields of a line about a call; members that are NULL are left out.  bucket and account are
 * ids; name is what a Create or a Grant calls its bucket or account; code is gRPC's. */
struct log_fields {
	const char *api, *method, *backend, *name, *bucket, *account, *code;
	int64_t ms; /* how long the call took; < 0: left out */
};
#define LOG_NO_FIELDS ((const struct log_fields *)0)

/* level: enum cosi_level; lines above it are dropped.  Before the first call: text, COSI_INFO.
 * Where stderr is the journal ($JOURNAL_STREAM), lines begin with their priority, "<N>", and a text
 * has no date, which the journal adds. */
void log_setup(uint32_t level, bool json);
bool log_wants(uint32_t level);
void log_line(uint32_t level, const struct log_fields *fields, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* An error from a handler of a signal, while the process dies: takes no lock of cosid's and no
 * memory, so secrets are not masked.  fields and the arguments come from the configuration and from
 * requests.
 */
void log_dying(const struct log_fields *fields, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for a text that was escaped by LINE_SHOWN: its backslashes stay single. */
void log_shown(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "info" -> COSI_INFO; 0 when there is no such level. */
uint32_t log_level_parse(const char *word);

#define log_error(...)   log_line(COSI_ERROR, LOG_NO_FIELDS, __VA_ARGS__)
#define log_warning(...) log_line(COSI_WARNING, LOG_NO_FIELDS, __VA_ARGS__)
#define log_notice(...)  log_line(COSI_NOTICE, LOG_NO_FIELDS, __VA_ARGS__)
#define log_info(...)    log_line(COSI_INFO, LOG_NO_FIELDS, __VA_ARGS__)
#define log_debug(...)   log_line(COSI_DEBUG, LOG_NO_FIELDS, __VA_ARGS__)

/* ---- a line while it is written: bounded, escaped, cut between characters ------------ */

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
