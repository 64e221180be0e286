/* SPDX-License-Identifier: Apache-2.0
 * tree.c - a purge without recursion.
 *
 * Directories below the first level are renamed into the first level and met there, so that two
 * descriptors are enough for a tree of any depth, and no path is ever longer than one name:
 *
 *   photos/a/b/c/d  ->  photos/a  photos/.cosid-purge-0/c/d  ->  ...
 */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "dir.h"

#include "banned.h"

struct purge {
	struct cosi_call *call;
	const char *bucket;
	DIR *top;
	unsigned nlifted; /* names of renamed directories, so far */
};

static DIR *
open_dir(int parent, const char *name)
{
	return dir_of(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static int
fail(const struct purge *purge, int error)
{
	if (error == EBUSY)
		return cosi_fail(purge->call, COSI_PRECONDITION,
				 "cannot empty '%s': there is a mount point in it", purge->bucket);
	return posix_fail(purge->call, error, "empty", purge->bucket);
}

/* Bind mounts have their parent's device number, so only the kernel can tell (Linux 5.8). */
static int
check_not_mount(const struct purge *purge, DIR *dir)
{
	struct statx stat;

	if (statx(dirfd(dir), "", AT_EMPTY_PATH, STATX_TYPE, &stat) < 0)
		return fail(purge, errno);
	if ((stat.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0)
		return cosi_fail(purge->call, COSI_UNSUPPORTED,
				 "cannot empty '%s': this kernel does not tell mount points",
				 purge->bucket);
	return (stat.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0 ? 0 : fail(purge, EBUSY);
}

static int
check_time(const struct purge *purge)
{
	if (purge->call->host->time_left_ms(purge->call) > 0)
		return 0;
	return cosi_fail(purge->call, COSI_TIMEOUT,
			 "cannot empty '%s': the time is up, objects are left", purge->bucket);
}

/* Moves a directory up; rename() refuses a mount point, and a name that is taken by anything but
 * an empty directory, which has to go as well. */
static int
lift(struct purge *purge, DIR *from, const char *name)
{
	char up[32];

	do {
		(void)snprintf(up, sizeof up, ".cosid-purge-%u", purge->nlifted++);
		if (renameat(dirfd(from), name, dirfd(purge->top), up) == 0 || errno == ENOENT)
			return 0;
	} while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
	return fail(purge, errno);
}

/* One directory of the first level. */
static int
remove_directory(struct purge *purge, const char *name)
{
	SCOPE_DIR DIR *dir = open_dir(dirfd(purge->top), name);
	const char *child;

	if (dir == NULL)
		return errno == ENOENT ? 0 : fail(purge, errno);
	if (check_not_mount(purge, dir) < 0)
		return -1;
	while ((child = dir_next(dir)) != NULL) {
		if (check_time(purge) < 0)
			return -1;
		if (unlinkat(dirfd(dir), child, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR)
			return fail(purge, errno);
		if (lift(purge, dir, child) < 0)
			return -1;
	}
	if (errno != 0)
		return fail(purge, errno);
	/* Not empty: somebody adds to it; the next pass meets it again. */
	if (unlinkat(dirfd(purge->top), name, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY &&
	    errno != ENOENT)
		return fail(purge, errno);
	return 0;
}

/* One walk over the first level; *out_seen: were there any entries? */
static int
pass(struct purge *purge, bool *out_seen)
{
	const char *name;

	*out_seen = false;
	rewinddir(purge->top);
	while ((name = dir_next(purge->top)) != NULL) {
		*out_seen = true;
		if (check_time(purge) < 0)
			return -1;
		if (unlinkat(dirfd(purge->top), name, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR)
			return fail(purge, errno);
		if (remove_directory(purge, name) < 0)
			return -1;
	}
	return errno == 0 ? 0 : fail(purge, errno);
}

int
tree_purge(struct cosi_call *call, int parent, const char *name)
{
	SCOPE_DIR DIR *top = open_dir(parent, name);
	struct purge purge = { .call = call, .bucket = name, .top = top };
	bool seen = true;

	/* Nothing to empty; what is not a directory, the caller's rmdir() refuses. */
	if (top == NULL && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (top == NULL)
		return fail(&purge, errno);
	if (check_not_mount(&purge, top) < 0)
		return -1;
	while (seen)
		if (pass(&purge, &seen) < 0)
			return -1;
	return 0;
}
