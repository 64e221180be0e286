/* SPDX-License-Identifier: Apache-2.0
 * files.h - a directory of the target's own, in memory, which is the working directory: seeds name
 * what is in it below /proc/self/cwd. */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

static char files_root[64];

static inline void
files_end(void)
{
	(void)chdir("/");
	if (fork() == 0) {
		(void)execl("/bin/rm", "rm", "-rf", files_root, (char *)NULL);
		_exit(127);
	}
}

static inline void
files_begin(void)
{
	if (files_root[0] != '\0')
		return;
	(void)snprintf(files_root, sizeof files_root, "%s/cosid-fuzz.XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	must(mkdtemp(files_root) != NULL && chdir(files_root) == 0);
	must(atexit(files_end) == 0);
}

static inline void
files_write(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && close(fd) == 0);
}

#endif
