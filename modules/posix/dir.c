/* SPDX-License-Identifier: Apache-2.0
 * dir.c - readdir() with its two kinds of NULL told apart. */
#include "dir.h"

#include <errno.h>
#include <string.h>

#include "banned.h"

DIR *
dir_of(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int error = errno;

	if (dir == NULL) {
		posix_close_fd(&fd);
		errno = error;
	}
	return dir;
}

const char *
dir_next(DIR *dir)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(dir);
		if (entry == NULL)
			return NULL;
	} while (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	return entry->d_name;
}

void
dir_close(DIR **dir)
{
	if (*dir != NULL)
		(void)closedir(*dir);
}
