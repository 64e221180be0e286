/* SPDX-License-Identifier: Apache-2.0
 * root.c - the directory of all buckets, opened by its path for each call.
 *
 * So a file system that is mounted there later is found, and a call holds none that is to be
 * unmounted.  An unmounted one leaves its empty mount point, where every bucket would seem deleted:
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
fs_fail_root(struct cosi_call *call, int error, const char *path)
{
	if (error != ENOENT && error != ENOTDIR && error != EACCES)
		return fs_fail(call, error, "use", path);
	return cosi_fail(call, error == EACCES ? COSI_DENIED : COSI_UNAVAILABLE,
			 "cannot use '%s': %s: is key 'root' right, and the file system mounted?",
			 path, strerrordesc_np(error));
}

static int
fs_check_records(struct fs_instance *instance, struct cosi_call *call, int root)
{
	const char *path = instance->config->root;
	struct stat st;

	if (fstatat(root, FS_STATE_DIR, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		atomic_store(&instance->had_records, true);
		return 0;
	}
	if (errno != ENOENT)
		return fs_fail_root(call, errno, path);
	if (!atomic_load(&instance->had_records))
		return 0;
	return cosi_fail(call, COSI_UNAVAILABLE,
			 "cannot use '%s': the records have gone: is the file system mounted?",
			 path);
}

struct fs
fs_open_root(struct fs_instance *instance, struct cosi_call *call)
{
	const char *path = instance->config->root;
	struct fs fs = {
		.instance = instance,
		.root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};

	if (fs.root < 0)
		(void)fs_fail_root(call, errno, path);
	else if (fs_check_records(instance, call, fs.root) < 0)
		fs_close_root(&fs);
	return fs;
}

void
fs_close_root(struct fs *fs)
{
	fs_close_fd(&fs->root);
	fs->root = -1;
}

int
fs_lookup(const struct fs *fs, struct cosi_call *call, const char *bucket, enum fs_entry *out_entry)
{
	struct stat st;

	if (fstatat(fs->root, bucket, &st, AT_SYMLINK_NOFOLLOW) == 0)
		*out_entry = S_ISDIR(st.st_mode) ? FS_DIRECTORY : FS_OTHER;
	else if (errno == ENOENT)
		*out_entry = FS_NOTHING;
	else
		return fs_fail(call, errno, "look up bucket", bucket);
	return 0;
}

DIR *
fs_open_dir(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int error = errno;

	if (dir == NULL) {
		fs_close_fd(&fd);
		errno = error;
	}
	return dir;
}

const char *
fs_next_name(DIR *dir)
{
	const struct dirent *entry;

	do {
		errno = 0; /* readdir() has two kinds of NULL */
		entry = readdir(dir);
		if (entry == NULL)
			return NULL;
	} while (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	return entry->d_name;
}

void
fs_close_dir(DIR **dir)
{
	if (*dir != NULL)
		(void)closedir(*dir);
}
