/* SPDX-License-Identifier: Apache-2.0
 * root.c - the directory of all buckets, opened by its path for each call.
 *
 * So a file system that is mounted there later is found, and one that is to go is not held.  When
 * it has gone, its empty mount point stands in its place, where every bucket would seem deleted:
 * a root that had records is not believed to have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "posix.h"

#include "banned.h"

/* A mount point without its file system is often closed to all but root. */
int
posix_fail_root(struct cosi_call *call, int error, const char *path)
{
	if (error != ENOENT && error != ENOTDIR && error != EACCES)
		return posix_fail(call, error, "use", path);
	return cosi_fail(call, error == EACCES ? COSI_DENIED : COSI_UNAVAILABLE,
			 "cannot use '%s': %s: is key 'root' right, and the file system mounted?",
			 path, strerrordesc_np(error));
}

/* 0, or -1 with the call failed. */
static int
check_records(struct posix_instance *instance, struct cosi_call *call, int root)
{
	const char *path = instance->config->root;
	struct stat st;

	if (fstatat(root, POSIX_STATE_DIR, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		atomic_store(&instance->had_records, true);
		return 0;
	}
	if (errno != ENOENT)
		return posix_fail_root(call, errno, path);
	if (!atomic_load(&instance->had_records))
		return 0;
	return cosi_fail(call, COSI_UNAVAILABLE,
			 "cannot use '%s': its records have gone: is the file system mounted?",
			 path);
}

struct posix
posix_enter(struct posix_instance *instance, struct cosi_call *call)
{
	const char *path = instance->config->root;
	struct posix posix = {
		.instance = instance,
		.root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};

	if (posix.root < 0)
		(void)posix_fail_root(call, errno, path);
	else if (check_records(instance, call, posix.root) < 0)
		posix_leave(&posix);
	return posix;
}

void
posix_leave(struct posix *posix)
{
	posix_close_fd(&posix->root);
	posix->root = -1;
}
