/* SPDX-License-Identifier: Apache-2.0
 * state.c - a private directory per process, held by a flock, and the removal of dead ones.
 *
 *   STATE/modules/PID.RANDOM          when there is a state directory
 *   /tmp/cosid-modules.PID.RANDOM     when there is none
 */
#include "module/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

#include "banned.h"

enum { TRIES = 8, RANDOM_DIGITS = 8 };

struct state_dir {
	char *path;  /* owned */
	char *base;  /* owned; what path lies in */
	int base_fd; /* owned */
	int fd;      /* owned; its flock says that we live */
};

/* Reads from the start, whatever was read through dir_fd before; NULL: not readable. */
static DIR *
open_listing(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir == NULL && fd >= 0)
		(void)close(fd);
	return dir;
}

static void
remove_files(int dir_fd)
{
	DIR *dir = open_listing(dir_fd);
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dir_fd, entry->d_name, 0);
	(void)closedir(dir);
}

/* PREFIX + digits + '.' + RANDOM_DIGITS of lower-case hex. */
static bool
has_our_form(const char *name, const char *prefix)
{
	size_t skip = strlen(prefix), ndigits;

	if (strncmp(name, prefix, skip) != 0)
		return false;
	name += skip;
	ndigits = strspn(name, "0123456789");
	if (ndigits == 0 || ndigits > 10 || name[ndigits] != '.')
		return false;
	name += ndigits + 1;
	return strlen(name) == RANDOM_DIGITS && strspn(name, "0123456789abcdef") == RANDOM_DIGITS;
}

static bool
is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 07777) == 0700;
}

static void
remove_leftover(int base_fd, const char *name)
{
	CLEANUP_FD int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || !is_ours(fd) || flock(fd, LOCK_EX | LOCK_NB) != 0)
		return;
	remove_files(fd);
	if (unlinkat(base_fd, name, AT_REMOVEDIR) == 0)
		log_debug("removed '%s', left by a daemon that did not end by itself", name);
}

static void
remove_leftovers(int base_fd, const char *prefix)
{
	DIR *dir = open_listing(base_fd);
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (has_our_form(entry->d_name, prefix))
			remove_leftover(base_fd, entry->d_name);
	(void)closedir(dir);
}

/* Another daemon that cleans up may take the directory between mkdir and flock: then the name
 * leads to nothing, or to something else, and a new one is made. */
static int
lock_new(const struct state_dir *state, const char *name)
{
	int fd = openat(state->base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat ours, there;

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &ours) == 0 &&
	    fstatat(state->base_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
		return fd;
	(void)close(fd);
	return -1;
}

static int
make_own(struct state_dir *state, const char *prefix, struct status *status)
{
	for (int i = 0; i < TRIES; i++) {
		CLEANUP_FREE char *name = NULL;
		unsigned number;

		if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
			return status_fail(status, COSI_INTERNAL, "cannot get random bytes: %s",
					   strerrordesc_np(errno));
		if (asprintf(&name, "%s%d.%08x", prefix, (int)getpid(), number) < 0) {
			name = NULL;
			return status_no_memory(status);
		}
		if (mkdirat(state->base_fd, name, 0700) != 0) {
			if (errno == EEXIST)
				continue;
			return status_fail(status, COSI_INTERNAL,
					   "cannot make a directory in '%s': %s", state->base,
					   strerrordesc_np(errno));
		}
		state->fd = lock_new(state, name);
		if (state->fd < 0)
			continue;
		if (asprintf(&state->path, "%s/%s", state->base, name) >= 0)
			return 0;
		state->path = NULL;
		(void)unlinkat(state->base_fd, name, AT_REMOVEDIR);
		return status_no_memory(status);
	}
	return status_fail(status, COSI_INTERNAL, "cannot lock a directory in '%s'", state->base);
}

/* The mount point that path lies on, for the error alone. */
static void
find_mount(const char *path, char *out, size_t size)
{
	struct statx st;

	if (realpath(path, out) == NULL)
		(void)snprintf(out, size, "%s", path);
	while (strcmp(out, "/") != 0) {
		char *slash = strrchr(out, '/');

		if (statx(AT_FDCWD, out, 0, 0, &st) == 0 &&
		    (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
			return;
		if (slash == NULL)
			return;
		slash[slash == out] = '\0';
	}
}

static int
check_dir(int fd, const char *path, struct status *status)
{
	char mount[PATH_MAX];
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) != 0 || fstatvfs(fd, &fs) != 0)
		return status_fail(status, COSI_INTERNAL, "%s", strerrordesc_np(errno));
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return status_fail(status, COSI_INTERNAL, "it belongs to user %u", st.st_uid);
	if ((st.st_mode & 022) != 0 && (st.st_mode & S_ISVTX) == 0)
		return status_fail(status, COSI_INTERNAL, "others may write to it");
	if ((fs.f_flag & ST_NOEXEC) == 0)
		return 0;
	find_mount(path, mount, sizeof mount);
	return status_fail(status, COSI_INTERNAL,
			   "'%s' is mounted noexec, and modules are run from there", mount);
}

/* A directory in which nobody else can replace what is ours.  The descriptor, or -1. */
static int
open_dir(const char *path, struct status *status)
{
	int fd;

	/* Reported below when it is still not there. */
	(void)mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && check_dir(fd, path, status) == 0)
		return fd;
	if (fd < 0)
		(void)status_fail(status, COSI_INTERNAL, "%s", strerrordesc_np(errno));
	else
		(void)close(fd);
	return status_fail(status, 0, "cannot use the state directory '%s'", path);
}

/* The first directory of $STATE_DIRECTORY, which may hold several with ':' between; NULL: none. */
static char *
from_environment(void)
{
	const char *value = getenv("STATE_DIRECTORY");

	return value == NULL || *value != '/' ? NULL : strndup(value, strcspn(value, ":"));
}

/* The variable often outlives its directory: in a chroot, after su. */
static const char *
runtime_dir(void)
{
	const char *value = getenv("XDG_RUNTIME_DIR");

	return value != NULL && *value == '/' && access(value, W_OK | X_OK) == 0 ? value : "/tmp";
}

static int
open_base(struct state_dir *state, const char *state_dir, const char **out_prefix,
	  struct status *status)
{
	CLEANUP_FREE char *given = state_dir != NULL ? strdup(state_dir) : from_environment();
	CLEANUP_FD int given_fd = -1;

	*out_prefix = given == NULL ? "cosid-modules." : "";
	if (given == NULL)
		state->base = strdup(runtime_dir());
	else if (asprintf(&state->base, "%s/modules", given) < 0)
		state->base = NULL;
	if (state->base == NULL)
		return status_no_memory(status);
	/* Before anything is made in it: it may be another user's. */
	if (given != NULL && (given_fd = open_dir(given, status)) < 0)
		return -1;
	state->base_fd = open_dir(state->base, status);
	return state->base_fd < 0 ? -1 : 0;
}

struct state_dir *
state_open(const char *state_dir, struct status *status)
{
	struct state_dir *state = calloc(1, sizeof *state);
	const char *prefix;

	if (state == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	state->base_fd = state->fd = -1;
	if (open_base(state, state_dir, &prefix, status) != 0) {
		state_close(state);
		return NULL;
	}
	remove_leftovers(state->base_fd, prefix);
	if (make_own(state, prefix, status) != 0) {
		state_close(state);
		return NULL;
	}
	return state;
}

const char *
state_path(const struct state_dir *state)
{
	return state->path;
}

void
state_close(struct state_dir *state)
{
	if (state == NULL)
		return;
	if (state->path != NULL) {
		remove_files(state->fd);
		(void)rmdir(state->path);
	}
	if (state->fd >= 0)
		(void)close(state->fd);
	if (state->base_fd >= 0)
		(void)close(state->base_fd);
	free(state->path);
	free(state->base);
	free(state);
}
