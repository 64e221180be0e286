/* SPDX-License-Identifier: Apache-2.0
 * files.c - the rig's view of the root, by plain paths. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

static void
full_path(const struct rig *rig, const char *path, char out[PATH_MAX])
{
	assert_true(snprintf(out, PATH_MAX, "%s/%s", rig->root, path) < PATH_MAX);
}

bool
rig_exists(const struct rig *rig, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	full_path(rig, path, full);
	return lstat(full, &st) == 0;
}

void
rig_mkdir(const struct rig *rig, const char *path)
{
	char full[PATH_MAX];

	full_path(rig, path, full);
	assert_int_equal(mkdir(full, 0755), 0);
}

void
rig_write(const struct rig *rig, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	full_path(rig, path, full);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

char *
rig_read(struct rig *rig, const char *path)
{
	char full[PATH_MAX], *text;
	struct stat st;
	FILE *file;

	full_path(rig, path, full);
	file = fopen(full, "r");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	text = arena_alloc(&rig->arena, (size_t)st.st_size + 1);
	assert_int_equal(fread(text, 1, (size_t)st.st_size, file), st.st_size);
	assert_int_equal(fclose(file), 0);
	return text;
}

void
rig_link(const struct rig *rig, const char *target, const char *path)
{
	char full[PATH_MAX];

	full_path(rig, path, full);
	assert_int_equal(symlink(target, full), 0);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *list_dir(struct rig *rig, const char *path);

static char *
list_entry(struct rig *rig, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	full_path(rig, path, full);
	assert_int_equal(lstat(full, &st), 0);
	if (S_ISDIR(st.st_mode))
		return arena_printf(&rig->arena, "%s/\n%s", path, list_dir(rig, path));
	if (S_ISREG(st.st_mode))
		return arena_printf(&rig->arena, "%s = %s\n", path, rig_read(rig, path));
	return arena_printf(&rig->arena, "%s ?\n", path);
}

static char *
list_dir(struct rig *rig, const char *path)
{
	enum { ENTRIES_MAX = 64 };
	char full[PATH_MAX], *names[ENTRIES_MAX], *text = arena_strdup(&rig->arena, "");
	const struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	full_path(rig, path, full);
	dir = opendir(full);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			assert_true(n < ENTRIES_MAX);
			names[n++] = arena_printf(&rig->arena, "%s%s%s", path,
						  path[0] != '\0' ? "/" : "", entry->d_name);
		}
	assert_int_equal(closedir(dir), 0);
	qsort(names, n, sizeof names[0], by_name);
	for (size_t i = 0; i < n; i++)
		text = arena_printf(&rig->arena, "%s%s", text, list_entry(rig, names[i]));
	return text;
}

char *
rig_listing(struct rig *rig)
{
	return list_dir(rig, "");
}
