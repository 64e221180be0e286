/* SPDX-License-Identifier: Apache-2.0
 * log.c - lays a line out as text or JSON: masked first, then escaped, then cut. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/secret.h"

#include "banned.h"

/* ---- lines -------------------------------------------------------------------------- */

static const char cut_mark[] = "...";
enum { ESCAPED_MAX = 8 }; /* what one character becomes at most, with its NUL */

static void
line_add_bytes(struct line *line, const char *bytes, size_t len)
{
	if (len > sizeof line->text - line->len)
		return;
	memcpy(line->text + line->len, bytes, len);
	line->len += len;
}

void
line_add(struct line *line, const char *text)
{
	line_add_bytes(line, text, strlen(text));
}

void
line_addf(struct line *line, const char *fmt, ...)
{
	char piece[128];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(piece, sizeof piece, fmt, ap);
	va_end(ap);
	if (len > 0 && (size_t)len < sizeof piece)
		line_add_bytes(line, piece, (size_t)len);
}

/* Writes what the first character of text becomes; returns the bytes read from text. */
static size_t
escape_char(enum line_escape escape, const char *text, size_t len, char out[ESCAPED_MAX])
{
	uint32_t c;
	size_t n = parse_utf8_char(text, len, &c);
	bool quoted = escape == LINE_QUOTED || escape == LINE_JSON;

	if (n == 0) {
		(void)snprintf(out, ESCAPED_MAX, escape == LINE_JSON ? "\\\\x%02x" : "\\x%02x",
			       (unsigned)(unsigned char)text[0]);
		return 1;
	}
	if (c == '\n' || c == '\t' || c == '\r')
		(void)snprintf(out, ESCAPED_MAX, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
	else if ((c == '\\' && escape != LINE_SHOWN) || (c == '"' && quoted))
		(void)snprintf(out, ESCAPED_MAX, "\\%c", (char)c);
	else if (chars_is_control(c))
		(void)snprintf(out, ESCAPED_MAX, "\\u%04x", (unsigned)c);
	else
		(void)snprintf(out, ESCAPED_MAX, "%.*s", (int)n, text);
	return n;
}

void
line_add_escaped(struct line *line, enum line_escape escape, size_t most, const char *text,
		 size_t len)
{
	size_t room = sizeof line->text - line->len;
	size_t limit = line->len + (most < room ? most : room);
	size_t cut = line->len; /* the last border that leaves room for the mark */
	char unit[ESCAPED_MAX];

	for (size_t i = 0, size; i < len; line->len += size) {
		i += escape_char(escape, text + i, len - i, unit);
		size = strlen(unit);
		if (size > limit - line->len) {
			line->len = cut;
			if (sizeof cut_mark - 1 <= limit - cut)
				line_add(line, cut_mark);
			return;
		}
		memcpy(line->text + line->len, unit, size);
		if (line->len + size + sizeof cut_mark - 1 <= limit)
			cut = line->len + size;
	}
}

/* ---- the log ------------------------------------------------------------------------ */

/* Seven fields of FIELD_MOST with their names, the head and the message fill a line at most. */
enum { FIELD_MOST = 256, MESSAGE_MOST = 6144, NFIELDS = 7 };
_Static_assert(MESSAGE_MOST + NFIELDS * (FIELD_MOST + 16) + 128 <= LINE_MAX_BYTES,
	       "a whole line fits");

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

/* $JOURNAL_STREAM is "device:inode" of the socket that systemd opened (systemd.exec(5)). */
static bool
stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	(void)snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, own) == 0;
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

/* Masking comes before the cut, or the cut could leave the first half of a secret. */
static void
add_masked(struct line *line, enum line_escape escape, size_t most, const char *text)
{
	char *copy = wiped_strdup(text);

	if (copy == NULL) {
		line_add(line, "(out of memory)");
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
		line_add(line, "(out of memory)");
		return;
	}
	errno = saved;
	(void)vsnprintf(text, (size_t)len + 1, fmt, ap);
	line_add_escaped(line, escape, MESSAGE_MOST, text, secret_mask(text, (size_t)len));
	wiped_free(text);
}

static void
add_fields(struct line *line, const struct log_fields *fields, bool json, bool masked)
{
	const struct {
		const char *name, *value;
	} all[NFIELDS] = {
		{ "api", fields->api },         { "method", fields->method },
		{ "backend", fields->backend }, { "name", fields->name },
		{ "bucket", fields->bucket },   { "account", fields->account },
		{ "code", fields->code },
	};
	enum line_escape escape = json ? LINE_JSON : LINE_QUOTED;

	for (size_t i = 0; i < NFIELDS; i++) {
		const char *value = all[i].value;
		const char *quote;

		if (value == NULL)
			continue;
		quote = json || !chars_only(value, CHARS_ALNUM "-_.:/+@*") ? "\"" : "";
		line_addf(line, json ? ",\"%s\":%s" : " %s=%s", all[i].name, quote);
		if (masked)
			add_masked(line, escape, FIELD_MOST, value);
		else
			line_add_escaped(line, escape, FIELD_MOST, value, strlen(value));
		line_add(line, quote);
	}
	if (fields->ms >= 0)
		line_addf(line, json ? ",\"ms\":%lld" : " ms=%lld", (long long)fields->ms);
}

/* All up to the message. */
static void
begin_line(struct line *line, uint32_t level, bool json)
{
	const char *name = level_names[level < COSI_ERROR ? COSI_ERROR : level];
	char now[UTC_MAX];
	bool journal;

	if (atomic_load(&to_journal) == -1)
		atomic_store(&to_journal, stderr_is_journal());
	journal = atomic_load(&to_journal) == 1;
	(void)utc_text_ms(now, clock_wall_us());
	line->len = 0;
	if (journal)
		line_addf(line, "<%u>", (unsigned)level);
	if (json)
		line_addf(line, "{\"time\":\"%s\",\"level\":\"%s\",\"msg\":\"", now, name);
	else
		line_addf(line, "%s%s%s ", journal ? "" : now, journal ? "" : " ", name);
}

/* All after the message; out it goes. */
static void
end_line(struct line *line, const struct log_fields *fields, bool json, bool masked)
{
	ssize_t n = 0;

	line_add(line, json ? "\"" : "");
	if (fields != NULL)
		add_fields(line, fields, json, masked);
	line_add(line, json ? "}\n" : "\n");
	/* One write() is one record for a pipe up to PIPE_BUF and for the journal's socket.  Where
	 * stderr takes nothing, there is no place to report that. */
	for (size_t done = 0; done < line->len && (n >= 0 || errno == EINTR);) {
		n = write(STDERR_FILENO, line->text + done, line->len - done);
		done += n > 0 ? (size_t)n : 0;
	}
}

/* escape: of the message of a text. */
static void __attribute__((format(printf, 4, 0)))
write_line(uint32_t level, const struct log_fields *fields, enum line_escape escape,
	   const char *fmt, va_list ap)
{
	bool json = atomic_load(&as_json);
	int saved = errno; /* for a %m in fmt, and for the caller */
	struct line line;

	if (!log_wants(level))
		return;
	begin_line(&line, level, json);
	errno = saved;
	add_message(&line, json ? LINE_JSON : escape, fmt, ap);
	end_line(&line, fields, json, true);
	errno = saved;
}

void
log_dying(const struct log_fields *fields, const char *fmt, ...)
{
	bool json = atomic_load(&as_json);
	char text[FIELD_MOST * 2];
	struct line line;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	begin_line(&line, COSI_ERROR, json);
	line_add_escaped(&line, json ? LINE_JSON : LINE_PLAIN, MESSAGE_MOST, text, strlen(text));
	end_line(&line, fields, json, false);
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
