/* SPDX-License-Identifier: Apache-2.0
 * log.c - lays a line out as text or JSON, masked first, then escaped, then cut. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chars.h"
#include "base/clock.h"
#include "base/line.h"
#include "base/secret.h"
#include "base/utc.h"

#include "banned.h"

/* Seven fields of FIELD_MOST with their names, the head and the message fill a line at most. */
enum { FIELD_MOST = 256, MESSAGE_MOST = 6144, NFIELDS = 7 };
_Static_assert(MESSAGE_MOST + NFIELDS * (FIELD_MOST + 16) + 128 <= LINE_MAX_BYTES,
	       "a whole line fits");

struct field {
	const char *name, *value;
};

/* Process-wide by nature: there is one stderr. */
static atomic_uint max_level = COSI_INFO;
static atomic_bool as_json;
static atomic_int to_journal = -1; /* -1: not looked up yet */

static const char *const level_names[] = {
	[COSI_ERROR] = "error", [COSI_WARNING] = "warning", [COSI_NOTICE] = "notice",
	[COSI_INFO] = "info",   [COSI_DEBUG] = "debug",
};

uint32_t
log_level_parse(const char *word)
{
	for (uint32_t level = COSI_ERROR; level <= COSI_DEBUG; level++)
		if (strcmp(word, level_names[level]) == 0)
			return level;
	return 0;
}

/* $JOURNAL_STREAM is "device:inode" of the socket that systemd gave us (systemd.exec(5)). */
static bool
stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char ours[64];
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	(void)snprintf(ours, sizeof ours, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, ours) == 0;
}

void
log_setup(uint32_t level, bool json)
{
	atomic_store(&max_level, level);
	atomic_store(&as_json, json);
	atomic_store(&to_journal, stderr_is_journal());
}

bool
log_wants(uint32_t level)
{
	return level <= atomic_load(&max_level);
}

static void
add_time(struct line *line)
{
	char now[UTC_MAX];

	line_add(line, utc_text_ms(now, clock_wall_us()));
}

/* Masking comes before the cut, or the cut could leave the first half of a secret. */
static void
add_masked(struct line *line, enum line_escape escape, size_t most, const char *text)
{
	char *copy = wiped_strdup(text);

	if (copy == NULL) {
		line_add(line, "(no memory)");
		return;
	}
	line_add_escaped(line, escape, most, copy, secret_mask(copy, strlen(copy)));
	wiped_free(copy);
}

static void __attribute__((format(printf, 3, 0)))
add_message(struct line *line, enum line_escape escape, const char *fmt, va_list ap)
{
	int saved = errno;
	char *text = NULL;
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len >= 0)
		text = wiped_malloc((size_t)len + 1);
	if (text == NULL) {
		line_add(line, "(no memory)");
		return;
	}
	errno = saved;
	(void)vsnprintf(text, (size_t)len + 1, fmt, ap);
	line_add_escaped(line, escape, MESSAGE_MOST, text, secret_mask(text, (size_t)len));
	wiped_free(text);
}

static void
add_text_field(struct line *line, const struct field *field)
{
	const char *quote = chars_only(field->value, CHARS_ALNUM "-_.:/+@*") ? "" : "\"";

	line_addf(line, " %s=%s", field->name, quote);
	add_masked(line, LINE_QUOTED, FIELD_MOST, field->value);
	line_add(line, quote);
}

static void
add_json_field(struct line *line, const struct field *field)
{
	line_addf(line, ",\"%s\":\"", field->name);
	add_masked(line, LINE_JSON, FIELD_MOST, field->value);
	line_add(line, "\"");
}

static void
add_fields(struct line *line, const struct log_fields *fields, bool json)
{
	const struct field all[NFIELDS] = {
		{ "api", fields->api },         { "method", fields->method },
		{ "backend", fields->backend }, { "name", fields->name },
		{ "bucket", fields->bucket },   { "account", fields->account },
		{ "code", fields->code },
	};

	for (size_t i = 0; i < NFIELDS; i++) {
		if (all[i].value == NULL)
			continue;
		if (json)
			add_json_field(line, &all[i]);
		else
			add_text_field(line, &all[i]);
	}
	if (fields->ms >= 0)
		line_addf(line, json ? ",\"ms\":%lld" : " ms=%lld", (long long)fields->ms);
}

/* escape: of the message. */
static void __attribute__((format(printf, 5, 0)))
lay_out(struct line *line, uint32_t level, const struct log_fields *fields, enum line_escape escape,
	const char *fmt, va_list ap)
{
	const char *name = level >= COSI_ERROR && level <= COSI_DEBUG ? level_names[level]
								      : level_names[COSI_ERROR];
	bool json = escape == LINE_JSON;

	line_add(line, json ? "{\"time\":\"" : "");
	add_time(line);
	line_addf(line, json ? "\",\"level\":\"%s\",\"msg\":\"" : " %s ", name);
	add_message(line, escape, fmt, ap);
	line_add(line, json ? "\"" : "");
	if (fields != NULL)
		add_fields(line, fields, json);
	line_add(line, json ? "}\n" : "\n");
}

/* One write() is one record for a pipe up to PIPE_BUF and for the journal's socket.  A stderr that
 * takes nothing more cannot be told about. */
static void
put(const struct line *line)
{
	for (size_t done = 0; done < line->len;) {
		ssize_t n = write(STDERR_FILENO, line->text + done, line->len - done);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0)
			done += (size_t)n;
	}
}

static void __attribute__((format(printf, 4, 0)))
write_line(uint32_t level, const struct log_fields *fields, enum line_escape escape,
	   const char *fmt, va_list ap)
{
	struct line line;
	int saved = errno; /* for a %m in fmt, and for the caller */

	if (!log_wants(level))
		return;
	line.len = 0;
	if (atomic_load(&to_journal) == -1)
		atomic_store(&to_journal, stderr_is_journal());
	if (atomic_load(&to_journal) == 1)
		line_addf(&line, "<%u>", (unsigned)level);
	errno = saved;
	lay_out(&line, level, fields, atomic_load(&as_json) ? LINE_JSON : escape, fmt, ap);
	put(&line);
	errno = saved;
}

void
log_line(uint32_t level, const struct log_fields *fields, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(level, fields, LINE_PLAIN, fmt, ap);
	va_end(ap);
}

void
log_shown(uint32_t level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(level, LOG_NO_FIELDS, LINE_SHOWN, fmt, ap);
	va_end(ap);
}
