/* SPDX-License-Identifier: Apache-2.0
 * log.h - one line per event on stderr, as text or JSON, with the journal's priority prefix.
 *
 * Any thread may log.  A line goes out in one write().  Control bytes, bytes that are not UTF-8
 * and line breaks of any value come out escaped, so nothing that a request says can forge a line;
 * every known secret (base/secret.h) comes out as "***".
 */
#ifndef COSID_BASE_LOG_H
#define COSID_BASE_LOG_H
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"

/* What a line about a call carries; NULL and negative members are left out.  bucket and account are
 * ids; name is what a Create or a Grant calls the object that it asks for. */
struct log_fields {
	const char *api, *method, *backend, *name, *bucket, *account, *code;
	int64_t ms; /* how long the call took; < 0: left out */
};
#define LOG_NO_FIELDS ((const struct log_fields *)0)

/* format JSON or text; level: enum cosi_level, lines above it are dropped.  Before the first call:
 * text, COSI_INFO.  Journal prefixes "<N>" are written when $JOURNAL_STREAM names our stderr. */
void log_setup(uint32_t level, bool json);
bool log_wants(uint32_t level);
void log_line(uint32_t level, const struct log_fields *fields, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a text whose controls are shown already (LINE_SHOWN): a backslash stays one. */
void log_shown(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "info" -> COSI_INFO; 0 when there is no such level. */
uint32_t log_level_parse(const char *word);

#define log_error(...)   log_line(COSI_ERROR, LOG_NO_FIELDS, __VA_ARGS__)
#define log_warning(...) log_line(COSI_WARNING, LOG_NO_FIELDS, __VA_ARGS__)
#define log_notice(...)  log_line(COSI_NOTICE, LOG_NO_FIELDS, __VA_ARGS__)
#define log_info(...)    log_line(COSI_INFO, LOG_NO_FIELDS, __VA_ARGS__)
#define log_debug(...)   log_line(COSI_DEBUG, LOG_NO_FIELDS, __VA_ARGS__)

#endif
