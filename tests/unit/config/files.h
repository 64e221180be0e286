/* SPDX-License-Identifier: Apache-2.0
 * files.h - configuration files in a directory of their own, and what diag says of them. */
#ifndef TESTS_UNIT_CONFIG_FILES_H
#define TESTS_UNIT_CONFIG_FILES_H
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

#define NAME        "driver_name = \"cosid.example.org\";\n"
#define POSIX(name) "{ name = \"" name "\"; module = \"posix\"; }"

static char files_dir[512];

static inline int
files_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	(void)unsetenv("COSI_ENDPOINT");
	(void)unsetenv("CREDENTIALS_DIRECTORY");
	(void)snprintf(files_dir, sizeof files_dir, "%s/cosid-config.XXXXXX",
		       tmp != NULL ? tmp : "/tmp");
	return mkdtemp(files_dir) != NULL ? 0 : -1;
}

static inline int
files_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int
files_teardown(void **state)
{
	(void)state;
	return nftw(files_dir, files_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a name in the directory; good until the eighth call after it. */
static inline const char *
files_path(const char *name)
{
	static char paths[8][1024];
	static unsigned turn;
	char *path = paths[turn++ % 8];

	(void)snprintf(path, sizeof paths[0], "%s/%s", files_dir, name);
	return path;
}

static inline const char *
files_put_bytes(const char *name, const void *bytes, size_t len, mode_t mode)
{
	const char *path = files_path(name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static inline const char *
files_put(const char *name, const char *text)
{
	return files_put_bytes(name, text, strlen(text), 0600);
}

/* All lines of diag, each without the directory and with a line break; diag is done. */
static inline const char *
files_lines(struct diag *diag)
{
	static char text[DIAG_MAX * 2500];
	char prefix[sizeof files_dir + 1];
	size_t len = 0;

	(void)snprintf(prefix, sizeof prefix, "%s/", files_dir);
	for (size_t i = 0; i < diag->nlines; i++) {
		const char *line = diag->lines[i];

		for (const char *hit; (hit = strstr(line, prefix)) != NULL;
		     line = hit + strlen(prefix))
			len += (size_t)snprintf(text + len, sizeof text - len, "%.*s",
						(int)(hit - line), line);
		len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", line);
	}
	text[len] = '\0';
	diag_done(diag);
	return text;
}

/* Loads text as cosid.conf, which must work without a word. */
static inline struct config *
files_load(const char *text)
{
	struct diag diag = { 0 };
	struct config *config = config_load(files_put("cosid.conf", text), &diag);

	assert_string_equal(files_lines(&diag), "");
	assert_non_null(config);
	return config;
}

/* Loads text as cosid.conf, which must be wrong in exactly these ways. */
static inline void
files_refuse(const char *text, const char *lines)
{
	struct diag diag = { 0 };
	struct config *config = config_load(files_put("cosid.conf", text), &diag);

	assert_true(diag.nerrors > 0);
	assert_string_equal(files_lines(&diag), lines);
	config_unref(config);
}

/* Must load, and say exactly this. */
static inline void
files_warn(const char *text, const char *lines)
{
	struct diag diag = { 0 };
	struct config *config = config_load(files_put("cosid.conf", text), &diag);

	assert_non_null(config);
	assert_int_equal(diag.nerrors, 0);
	assert_string_equal(files_lines(&diag), lines);
	config_unref(config);
}

#endif
