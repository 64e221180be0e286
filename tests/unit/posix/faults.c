/* SPDX-License-Identifier: Apache-2.0
 * faults.c - what the linker puts in the place of the module's system calls (--wrap). */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "banned.h"

void (*faults_at_fsync)(void);

static struct {
	bool armed;
	enum fault fault;
	unsigned nth, count;
	int error;
} now;

void
fault_arm(enum fault fault, unsigned nth, int error)
{
	now.fault = fault;
	now.nth = nth;
	now.error = error;
	now.count = 0;
	now.armed = true;
}

unsigned
fault_disarm(void)
{
	now.armed = false;
	return now.count;
}

static struct {
	const char *root;
	char lines[4096];
} trace;

void
fault_trace(const char *root)
{
	trace.root = root;
	trace.lines[0] = '\0';
}

const char *
fault_traced(void)
{
	trace.root = NULL;
	return trace.lines;
}

static void
note(const char *what, int fd, const char *name, const char *other)
{
	size_t used = strlen(trace.lines);
	char link[64], path[256];
	ssize_t len;

	if (trace.root == NULL)
		return;
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	/* "/tmp/root/a" -> "a/", "/tmp/root" -> "" */
	(void)snprintf(trace.lines + used, sizeof trace.lines - used, "%s %s%s%s%s%s\n", what,
		       strlen(path) > strlen(trace.root) ? path + strlen(trace.root) + 1 : ".",
		       name[0] != '\0' ? "/" : "", name, other[0] != '\0' ? " " : "", other);
}

/* Is it this call's turn?  Then it fails, if it comes back at all. */
static bool
strikes(void)
{
	if (!now.armed || ++now.count != now.nth || now.fault == FAULT_SHORT)
		return false;
	if (now.fault == FAULT_KILL)
		_exit(FAULT_KILLED);
	if (now.fault == FAULT_STOP) {
		(void)raise(SIGSTOP);
		return false;
	}
	errno = now.error;
	return true;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
int __real_mkdirat(int dir, const char *path, mode_t mode);
int __wrap_mkdirat(int dir, const char *path, mode_t mode);
int __real_fstatat(int dir, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags);
int __real_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st);
int __wrap_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __real_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __real_unlinkat(int dir, const char *path, int flags);
int __wrap_unlinkat(int dir, const char *path, int flags);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

/* The module creates nothing by it. */
int
__wrap_open(const char *path, int flags, ...)
{
	return strikes() ? -1 : __real_open(path, flags);
}

int
__wrap_openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return strikes() ? -1 : __real_openat(dir, path, flags, mode);
}

DIR *
__wrap_fdopendir(int fd)
{
	return strikes() ? NULL : __real_fdopendir(fd);
}

int
__wrap_mkdirat(int dir, const char *path, mode_t mode)
{
	int rc = strikes() ? -1 : __real_mkdirat(dir, path, mode);

	if (rc == 0)
		note("mkdir", dir, path, "");
	return rc;
}

int
__wrap_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return strikes() ? -1 : __real_fstatat(dir, path, st, flags);
}

int
__wrap_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	return strikes() ? -1 : __real_statx(dir, path, flags, mask, st);
}

ssize_t
__wrap_read(int fd, void *buffer, size_t size)
{
	return strikes() ? -1 : __real_read(fd, buffer, size);
}

ssize_t
__wrap_write(int fd, const void *buffer, size_t size)
{
	if (now.armed && now.fault == FAULT_KILL && now.count + 1 == now.nth)
		(void)__real_write(fd, buffer, size / 2);
	if (now.armed && now.fault == FAULT_SHORT)
		size = 1;
	if (strikes())
		return -1;
	note("write", fd, "", "");
	return __real_write(fd, buffer, size);
}

int
__wrap_fsync(int fd)
{
	if (faults_at_fsync != NULL)
		faults_at_fsync();
	if (strikes())
		return -1;
	note("sync", fd, "", "");
	return __real_fsync(fd);
}

int
__wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	int rc = strikes() ? -1 : __real_renameat(from_dir, from, to_dir, to);

	if (rc == 0)
		note("rename", from_dir, from, to);
	return rc;
}

int
__wrap_unlinkat(int dir, const char *path, int flags)
{
	int rc = strikes() ? -1 : __real_unlinkat(dir, path, flags);

	if (rc == 0)
		note("remove", dir, path, "");
	return rc;
}

int
__wrap_fcntl(int fd, int command, ...)
{
	va_list ap;
	void *argument;

	va_start(ap, command);
	argument = va_arg(ap, void *);
	va_end(ap);
	/* Nothing depends on it but others' patience: close() follows. */
	if (command == F_OFD_SETLK && ((const struct flock *)argument)->l_type == F_UNLCK)
		return __real_fcntl(fd, command, argument);
	return strikes() ? -1 : __real_fcntl(fd, command, argument);
}
