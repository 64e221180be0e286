/* SPDX-License-Identifier: Apache-2.0
 * capture.h - stderr into a buffer, and a reader for the JSON found there. */
#ifndef TESTS_UNIT_BASE_CAPTURE_H
#define TESTS_UNIT_BASE_CAPTURE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int old_stderr;
static FILE *sink;
static char got[1 << 20];

/* What log_line() wrote since capture_start(), in got. */
static inline void
capture_start(void)
{
	sink = tmpfile();
	assert_non_null(sink);
	(void)fflush(stderr);
	old_stderr = dup(STDERR_FILENO);
	assert_int_equal(dup2(fileno(sink), STDERR_FILENO), STDERR_FILENO);
}

static inline void
capture_end(void)
{
	size_t len;

	assert_int_equal(dup2(old_stderr, STDERR_FILENO), STDERR_FILENO);
	(void)close(old_stderr);
	rewind(sink);
	len = fread(got, 1, sizeof got - 1, sink);
	got[len] = '\0';
	(void)fclose(sink);
}

/* The end of the JSON string that begins at p, or NULL. */
static inline const char *
skip_string(const char *p)
{
	while (*++p != '"') {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p == '\\' && strchr("\"\\/bfnrtu", *++p) == NULL)
			return NULL;
	}
	return p + 1;
}

/* One object of strings and integers on one line? */
static inline bool
is_flat_json(const char *p)
{
	for (char before = '{'; *p == before; before = ',') {
		if (p[1] != '"' || (p = skip_string(p + 1)) == NULL || *p++ != ':')
			return false;
		p = *p == '"' ? skip_string(p) : p + strspn(p, "0123456789");
		if (p == NULL)
			return false;
	}
	return strcmp(p, "}\n") == 0;
}

static inline const char *
message_of(const char *line)
{
	const char *level = strchr(line, ' ');

	assert_non_null(level);
	return strchr(level + 1, ' ') + 1;
}

#endif
