/* SPDX-License-Identifier: Apache-2.0
 * tree.c - deletes the content of a directory without recursion.
 *
 * Directories below the first level are renamed into the first level and found there by the next
 * pass, so that two descriptors are enough for a tree of any depth, and no path is ever longer than
 * one name:
 *
 *   photos/a/b/c/d  ->  photos/a  photos/.cosid-purge-0/c/d  ->  ...
 */
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "banned.h"

struct purge {
	struct cosi_call *call;
	const char *bucket;
	DIR *top;
	unsigned nlifted; /* names of renamed directories, so far */
};

static DIR *
tree_open(int parent, const char *name)
{
	return fs_open_dir(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static int
tree_fail(const struct purge *purge, int error)
{
	if (error == EBUSY)
		return cosi_fail(purge->call, COSI_PRECONDITION,
				 "cannot empty bucket '%s': the bucket holds a mount point",
				 purge->bucket);
	return fs_fail(purge->call, error, "empty bucket", purge->bucket);
}

/* Bind mounts have their parent's device number, so only the kernel can tell (Linux 5.8). */
static int
tree_check_mount(const struct purge *purge, DIR *dir)
{
	struct statx stat;

	if (statx(dirfd(dir), "", AT_EMPTY_PATH, STATX_TYPE, &stat) < 0)
		return tree_fail(purge, errno);
	if ((stat.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0)
		return cosi_fail(purge->call, COSI_UNSUPPORTED,
				 "cannot empty bucket '%s': this kernel cannot tell mount points",
				 purge->bucket);
	return (stat.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0 ? 0 : tree_fail(purge, EBUSY);
}

static int
tree_check_time(const struct purge *purge)
{
	if (purge->call->host->time_left_ms(purge->call) > 0)
		return 0;
	return cosi_fail(purge->call, COSI_TIMEOUT,
			 "cannot empty bucket '%s': the deadline has passed, objects are left",
			 purge->bucket);
}

/* Moves a directory up; rename() refuses a mount point, and a name that is taken by anything but
 * an empty directory, which has to go as well. */
static int
tree_lift(struct purge *purge, DIR *from, const char *name)
{
	char up[32];

	do {
		(void)snprintf(up, sizeof up, ".cosid-purge-%u", purge->nlifted++);
		if (renameat(dirfd(from), name, dirfd(purge->top), up) == 0 || errno == ENOENT)
			return 0;
	} while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
	return tree_fail(purge, errno);
}

/* One directory of the first level. */
static int
tree_remove_dir(struct purge *purge, const char *name)
{
	CLEANUP_DIR DIR *dir = tree_open(dirfd(purge->top), name);
	const char *child;

	if (dir == NULL)
		return errno == ENOENT ? 0 : tree_fail(purge, errno);
	if (tree_check_mount(purge, dir) < 0)
		return -1;
	while ((child = fs_next_name(dir)) != NULL) {
		if (tree_check_time(purge) < 0)
			return -1;
		if (unlinkat(dirfd(dir), child, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR)
			return tree_fail(purge, errno);
		if (tree_lift(purge, dir, child) < 0)
			return -1;
	}
	if (errno != 0)
		return tree_fail(purge, errno);
	/* Not empty: another process adds to it; the next pass meets it again. */
	if (unlinkat(dirfd(purge->top), name, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY &&
	    errno != ENOENT)
		return tree_fail(purge, errno);
	return 0;
}

/* One walk over the first level; *out_seen: were there any entries? */
static int
tree_pass(struct purge *purge, bool *out_seen)
{
	const char *name;

	*out_seen = false;
	rewinddir(purge->top);
	while ((name = fs_next_name(purge->top)) != NULL) {
		*out_seen = true;
		if (tree_check_time(purge) < 0)
			return -1;
		if (unlinkat(dirfd(purge->top), name, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR)
			return tree_fail(purge, errno);
		if (tree_remove_dir(purge, name) < 0)
			return -1;
	}
	return errno == 0 ? 0 : tree_fail(purge, errno);
}

int
tree_purge(struct cosi_call *call, int parent, const char *name)
{
	CLEANUP_DIR DIR *top = tree_open(parent, name);
	struct purge purge = { .call = call, .bucket = name, .top = top };
	bool seen = true;

	/* Nothing to empty; what is not a directory, the caller's rmdir() refuses. */
	if (top == NULL && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (top == NULL)
		return tree_fail(&purge, errno);
	if (tree_check_mount(&purge, top) < 0)
		return -1;
	while (seen)
		if (tree_pass(&purge, &seen) < 0)
			return -1;
	return 0;
}
