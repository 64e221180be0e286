/* SPDX-License-Identifier: Apache-2.0
 * file.c - reading files with a limit, what is refused before libconfig sees a text, and the list
 * of an include_dir. */
#include "config/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/trust.h"

#include "banned.h"

/* ---- reading ---- */

char *
file_read(const char *path, size_t most, size_t *out_len, struct stat *out_st,
	  struct status *status)
{
	CLEANUP_FD int fd = -1;
	size_t room = most, len = 0;
	ssize_t n = 1;
	char *text;

	if (trust_check(path, status) < 0)
		return NULL;
	/* Not blocking, for the case that a FIFO has that name. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, out_st) != 0) {
		status_fail(status, COSI_INVALID, "%s", strerrordesc_np(errno));
		return NULL;
	}
	if (!S_ISREG(out_st->st_mode)) {
		status_fail(status, COSI_INVALID, "this is %s",
			    S_ISDIR(out_st->st_mode) ? "a directory" : "not a regular file");
		return NULL;
	}
	if (out_st->st_size > 0 && (size_t)out_st->st_size < most)
		room = (size_t)out_st->st_size;
	text = wiped_malloc(room + 2);
	while (text != NULL && n != 0 && len <= room) {
		n = read(fd, text + len, room + 1 - len);
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	if (text == NULL || n < 0) {
		status_fail(status, COSI_INVALID, "%s",
			    strerrordesc_np(text == NULL ? ENOMEM : errno));
	} else if (len > room) {
		status_fail(status, COSI_INVALID, "%s",
			    room == most ? "the file is too large"
					 : "the file grew while it was read");
	} else {
		text[len] = '\0';
		*out_len = len;
		return text;
	}
	wiped_free(text);
	return NULL;
}

/* ---- a first look at the text ----
 *
 * libconfig 1.5 cuts numbers that do not fit, drops "\\x00", lets a comment or a file end early,
 * opens other files for @include, and descends as deep as the text says.  All of that is refused
 * here.  Nothing else of the grammar is known: comments, strings, numbers and braces. */

struct scan {
	const char *p, *end;
	int line;
	int depth;
	const char *file;
	struct diag *diag;
};

static void
scan_error(struct scan *s, const char *text)
{
	diag_error(s->diag, s->file, s->line, "%s", text);
}

static void
step(struct scan *s)
{
	if (*s->p == '\n')
		s->line++;
	s->p++;
}

static bool
at(const struct scan *s, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(s->end - s->p) >= len && memcmp(s->p, word, len) == 0;
}

/* Leaves p after the word, or at the end of the text: then the comment has no end. */
static void
skip_comment(struct scan *s)
{
	int line = s->line;

	for (s->p += 2; s->p < s->end; step(s)) {
		if (at(s, "*/")) {
			s->p += 2;
			return;
		}
	}
	diag_error(s->diag, s->file, line, "the comment that begins here has no end");
}

/* A string ends on the line that it begins on: no value has a line break, and a quote that is
 * missing would swallow the lines up to the next one. */
static void
skip_string(struct scan *s)
{
	for (s->p++; s->p < s->end && *s->p != '\n'; step(s)) {
		if (*s->p == '"') {
			s->p++;
			return;
		}
		if (at(s, "\\x00"))
			scan_error(s, "a NUL within a string");
		if (*s->p == '\\' && s->p + 1 < s->end && s->p[1] != '\n')
			step(s);
	}
	scan_error(s, "the string has no closing quote on its line");
	s->p = s->end; /* what follows would be misread */
}

static bool
is_scan_word(char c)
{
	return chars_is_alnum((unsigned char)c) || (c != '\0' && strchr("_-+.*", c) != NULL);
}

/* libconfig takes "L" for 64 bits; without it a number has 32, and more is cut off. */
static void
check_number(struct scan *s, const char *word, size_t len)
{
	size_t skip = *word == '-' || *word == '+' ? 1 : 0;
	int64_t value = 0;
	char digits[24] = "";
	size_t n = 0;

	if (skip == len || word[skip] < '0' || word[skip] > '9')
		return;
	if (len - skip > 1 && word[skip] == '0' && (word[skip + 1] | 0x20) == 'x') {
		scan_error(s, "write numbers in decimal");
		return;
	}
	while (skip + n < len && word[skip + n] >= '0' && word[skip + n] <= '9' &&
	       n < sizeof digits - 1) {
		digits[n] = word[skip + n];
		n++;
	}
	if (parse_int(digits, &value) < 0)
		scan_error(s, "the number is too large");
	else if (value > INT32_MAX && skip + n == len)
		scan_error(s, "a number above 2147483647 needs an L at its end");
}

static void
check_include(struct scan *s)
{
	const char *p = s->p;

	while (p < s->end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(s->end - p) >= 8 && memcmp(p, "@include", 8) == 0)
		scan_error(s, "@include is not allowed here; files are added with include_dir");
}

/* Bytes that no part of a file may hold, strings and comments included. */
static bool
check_text_bytes(struct scan *s)
{
	int line = 1;
	uint32_t c;

	if (at(s, "\xef\xbb\xbf")) {
		diag_error(s->diag, s->file, line,
			   "a byte order mark: save the file as UTF-8 without one");
		return false;
	}
	for (const char *p = s->p; p < s->end;) {
		size_t n = parse_utf8_char(p, (size_t)(s->end - p), &c);

		if (n == 0 || (c < 0x20 && strchr("\t\n\r\f", (int)c) == NULL) || c == 0 ||
		    c == 0x7f) {
			diag_error(s->diag, s->file, line,
				   n == 0 ? "the text is not UTF-8" : "a control character");
			return false;
		}
		line += c == '\n';
		p += n;
	}
	return true;
}

void
file_scan(const char *text, size_t len, const char *file, struct diag *diag)
{
	struct scan s = { .p = text, .end = text + len, .line = 1, .file = file, .diag = diag };
	const char *word;

	if (!check_text_bytes(&s))
		return;
	check_include(&s);
	while (s.p < s.end) {
		if (at(&s, "/*")) {
			skip_comment(&s);
		} else if (*s.p == '#' || at(&s, "//")) {
			s.p += strcspn(s.p, "\n");
		} else if (*s.p == '"') {
			skip_string(&s);
		} else if (is_scan_word(*s.p)) {
			word = s.p;
			while (s.p < s.end && is_scan_word(*s.p))
				s.p++;
			check_number(&s, word, (size_t)(s.p - word));
		} else {
			if (strchr("({[", *s.p) != NULL && ++s.depth == SCAN_DEPTH_MAX + 1)
				diag_error(diag, file, s.line,
					   "more than %d groups and lists within another",
					   SCAN_DEPTH_MAX);
			if (strchr(")}]", *s.p) != NULL)
				s.depth--;
			step(&s);
			if (s.p[-1] == '\n')
				check_include(&s);
		}
	}
}

/* ---- files of a configuration ---- */

int
file_load(struct config_file *file, struct arena *arena, const char *path, struct diag *diag)
{
	struct status status = { 0 };
	struct stat st;
	size_t len, before = diag->nerrors;
	char *text = file_read(path, FILE_SIZE_MAX, &len, &st, &status);

	file->path = arena_strdup(arena, path);
	if (text == NULL) {
		diag_error(diag, path, 0, "cannot read the configuration: %s", status.text);
		return -1;
	}
	file_scan(text, len, file->path, diag);
	if (diag->nerrors == before) {
		config_init(&file->tree);
		if (config_read_string(&file->tree, text) == CONFIG_TRUE) {
			wiped_free(text);
			return 0;
		}
		diag_error(diag, file->path, config_error_line(&file->tree), "%s",
			   config_error_text(&file->tree));
		file_done(file);
	}
	wiped_free(text);
	return -1;
}

/* Every text of the tree that begins with prefix. */
static void
wipe_texts(config_setting_t *setting, const char *prefix)
{
	if (config_setting_type(setting) == CONFIG_TYPE_STRING &&
	    strncmp(setting->value.sval, prefix, strlen(prefix)) == 0)
		explicit_bzero(setting->value.sval, strlen(setting->value.sval));
	if (config_setting_is_aggregate(setting) == CONFIG_FALSE)
		return;
	for (int i = 0; i < config_setting_length(setting); i++)
		wipe_texts(config_setting_get_elem(setting, (unsigned)i), prefix);
}

void
file_forget(struct config_file *file)
{
	wipe_texts(config_root_setting(&file->tree), "plain:");
}

void
file_done(struct config_file *file)
{
	wipe_texts(config_root_setting(&file->tree), "");
	config_destroy(&file->tree);
}

static int
is_include(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && strcmp(entry->d_name + len - 5, ".conf") == 0;
}

/* By bytes, unlike alphasort(), which follows the locale. */
static int
entry_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int
file_list(struct arena *arena, const char *dir, const char *const **out_paths, size_t *out_n,
	  const char **out_reason)
{
	struct dirent **entries = NULL;
	struct status status = { 0 };
	const char **paths;
	int n = trust_check(dir, &status) < 0 ? -1
					      : scandir(dir, &entries, is_include, entry_by_name);

	if (n < 0) {
		*out_reason = status_ok(&status) ? strerrordesc_np(errno)
						 : arena_strdup(arena, status.text);
		return -1;
	}
	paths = arena_alloc(arena, ((size_t)n + 1) * sizeof *paths);
	for (int i = 0; i < n; i++) {
		if (paths != NULL)
			paths[i] = arena_printf(arena, "%s/%s", dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	*out_reason = "out of memory";
	if (paths != NULL && n > FILE_INCLUDES_MAX)
		*out_reason = arena_printf(arena, "the directory holds more than %d files *.conf",
					   FILE_INCLUDES_MAX);
	if (paths == NULL || n > FILE_INCLUDES_MAX)
		return -1;
	*out_paths = paths;
	*out_n = (size_t)n;
	return 0;
}

#ifdef COSID_SANITIZED
/* libconfig 1.5 loses the string that it holds when it meets a syntax error, some 60 bytes for each
 * broken file that is read. */
#define SANITIZER_ASKS __attribute__((visibility("default"), weak))
SANITIZER_ASKS const char *__lsan_default_suppressions(void);
SANITIZER_ASKS const char *__lsan_default_options(void);
const char *
__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

const char *
__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif
