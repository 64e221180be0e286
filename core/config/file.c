/* SPDX-License-Identifier: Apache-2.0
 * file.c - reading files with a limit, and the list of an include_dir. */
#include "config/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/secret.h"
#include "config/scan.h"

#include "banned.h"

static int
read_all(int fd, char *text, size_t most, size_t *out_len)
{
	size_t len = 0;

	while (len < most) {
		ssize_t n = read(fd, text + len, most - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*out_len = len;
	return 0;
}

char *
file_read(const char *path, size_t most, size_t *out_len, struct stat *out_st,
	  const char **out_reason)
{
	/* Not blocking, for the case that a FIFO has that name. */
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t room = most;
	char *text;

	if (fd < 0 || fstat(fd, out_st) != 0) {
		*out_reason = strerrordesc_np(errno);
		return NULL;
	}
	if (!S_ISREG(out_st->st_mode)) {
		*out_reason = S_ISDIR(out_st->st_mode) ? "it is a directory" : "it is not a file";
		return NULL;
	}
	if (out_st->st_size > 0 && (size_t)out_st->st_size < most)
		room = (size_t)out_st->st_size;
	text = wiped_malloc(room + 2);
	if (text == NULL || read_all(fd, text, room + 1, out_len) != 0) {
		*out_reason = strerrordesc_np(text == NULL ? ENOMEM : errno);
	} else if (*out_len > room) {
		*out_reason = room == most ? "it is too large" : "it grew while it was read";
	} else {
		text[*out_len] = '\0';
		return text;
	}
	wiped_free(text);
	return NULL;
}

static int
parse(struct config_file *file, const char *text, size_t len, struct diag *diag)
{
	size_t before = diag->nerrors;

	scan_text(text, len, file->path, diag);
	if (diag->nerrors > before)
		return -1;
	config_init(&file->tree);
	if (config_read_string(&file->tree, text) == CONFIG_TRUE)
		return 0;
	diag_error(diag, file->path, config_error_line(&file->tree), "%s",
		   config_error_text(&file->tree));
	file_done(file);
	return -1;
}

int
file_load(struct config_file *file, struct arena *arena, const char *path, struct diag *diag)
{
	const char *reason = NULL;
	struct stat st;
	size_t len;
	char *text = file_read(path, FILE_SIZE_MAX, &len, &st, &reason);
	int rc;

	file->path = arena_strdup(arena, path);
	if (text == NULL) {
		diag_error(diag, path, 0, "cannot read the configuration: %s", reason);
		return -1;
	}
	rc = parse(file, text, len, diag);
	wiped_free(text);
	return rc;
}

/* Every text of the tree that begins with prefix. */
static void
wipe(config_setting_t *setting, const char *prefix)
{
	if (config_setting_type(setting) == CONFIG_TYPE_STRING &&
	    strncmp(setting->value.sval, prefix, strlen(prefix)) == 0)
		explicit_bzero(setting->value.sval, strlen(setting->value.sval));
	if (config_setting_is_aggregate(setting) == CONFIG_FALSE)
		return;
	for (int i = 0; i < config_setting_length(setting); i++)
		wipe(config_setting_get_elem(setting, (unsigned)i), prefix);
}

void
file_forget(struct config_file *file)
{
	wipe(config_root_setting(&file->tree), "plain:");
}

void
file_done(struct config_file *file)
{
	wipe(config_root_setting(&file->tree), "");
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
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int
file_list(struct arena *arena, const char *dir, const char *const **out_paths, size_t *out_n,
	  const char **out_reason)
{
	struct dirent **entries = NULL;
	const char **paths;
	int n = scandir(dir, &entries, is_include, by_name);

	if (n < 0) {
		*out_reason = strerrordesc_np(errno);
		return -1;
	}
	paths = arena_alloc(arena, ((size_t)n + 1) * sizeof *paths);
	for (int i = 0; i < n; i++) {
		if (paths != NULL)
			paths[i] = arena_printf(arena, "%s/%s", dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	*out_reason = paths == NULL ? "no memory" : "it holds more than 256 files *.conf";
	*out_paths = paths;
	*out_n = (size_t)n;
	return paths != NULL && n <= FILE_INCLUDES_MAX ? 0 : -1;
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
