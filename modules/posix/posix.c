/* SPDX-License-Identifier: Apache-2.0
 * posix.c - the module, its settings, names, errors and the root directory.
 *
 * Buckets are directories that some S3 gateway serves; docs/stores/posix.md says how.
 */
#include "posix.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "s3/name.h"

#include "banned.h"

enum { CREDENTIAL_KEY_MIN = 32 };

static const struct cosi_key fs_config_keys[] = {
	COSI_PATH(struct fs_config, root, COSI_REQUIRED, NULL,
		  "directory that contains the buckets"),
	COSI_SECRET(struct fs_config, credential_key, COSI_REQUIRED,
		    "access keys are derived from it, at least 32 bytes"),
};

int
fs_fail(struct cosi_call *call, int error, const char *what, const char *name)
{
	uint32_t code = COSI_INTERNAL;

	switch (error) {
	case EACCES:
	case EPERM:
	case EROFS:
		code = COSI_DENIED;
		break;
	case EBUSY: /* a mount point */
		code = COSI_PRECONDITION;
		break;
	case ENOSPC:
	case EDQUOT:
	case EMLINK:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		code = COSI_EXHAUSTED;
		break;
	case EIO: /* and what network file systems add */
	case ESTALE:
	case ETIMEDOUT:
	case ENOLCK:
		code = COSI_UNAVAILABLE;
		break;
	}
	return cosi_fail(call, code, "cannot %s '%s': %s%s", what, name, strerrordesc_np(error),
			 error == EROFS ? ": is the directory in ReadWritePaths= of the unit?"
					: "");
}

int
fs_fail_below(const struct fs *fs, struct cosi_call *call, int error, const char *what,
	      const char *name)
{
	(void)fs_fail(call, error, what, name);
	return cosi_fail(call, 0, "cannot write below '%s'", fs->instance->config->root);
}

int
fs_check_name(struct cosi_call *call, const char *name)
{
	if (isalnum((unsigned char)name[0]) && strchr(name, '/') == NULL)
		return 0;
	return cosi_fail(call, COSI_INVALID,
			 "cannot use '%s' as a name: a name begins with a letter or digit and has "
			 "no '/'",
			 name);
}

void
fs_describe(struct cosi_bucket *out)
{
	out->protocols = COSI_S3;
	out->region = "us-east-1"; /* the default of S3 clients; a directory has no region */
	out->style = COSI_PATH_STYLE;
}

/* ---- the directory of all buckets, opened by its path for each call ----
 *
 * So a file system that is mounted there later is found, and a call holds none that is to be
 * unmounted.  An unmounted one leaves its empty mount point, where every bucket would seem deleted:
 * a root that had records is not believed to have none. */

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

/* ---- instances ---- */

/* The root is opened by probe() and by the calls: one that is absent, or hangs, must not keep the
 * other backends from being served. */
static int
fs_open(struct cosi_call *call, const void *data, void **out_instance)
{
	const struct fs_config *config = data;
	struct fs_instance *instance;

	if (call->host->public_url(call)[0] == '\0')
		return cosi_fail(call, COSI_INVALID, "key 'public_endpoint' is missing");
	if (strlen(config->credential_key) < CREDENTIAL_KEY_MIN)
		return cosi_fail(call, COSI_INVALID,
				 "key 'credential_key' is shorter than %d bytes",
				 CREDENTIAL_KEY_MIN);
	instance = malloc(sizeof *instance);
	if (instance == NULL)
		return fs_fail(call, ENOMEM, "open", config->root);
	instance->config = config;
	atomic_init(&instance->had_records, false);
	*out_instance = instance;
	return 0;
}

static int
fs_probe(void *instance, struct cosi_call *call)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);

	if (fs.root < 0)
		return -1;
	if (faccessat(fs.root, ".", R_OK | W_OK | X_OK, AT_EACCESS) < 0)
		return fs_fail_root(call, errno, fs.instance->config->root);
	return 0;
}

/* The daemon gives accounts names that any file system can hold; a bucket's name follows the rules
 * of S3, since the gateway's clients do. */
static const char *
fs_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule = kind == COSI_BUCKET ? s3_name_broken_rule(asked) : NULL;

	(void)instance;
	return s3_name_map(call, asked, rule, exact);
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "posix",
	.version = COSID_VERSION,
	.summary = "directories that an S3 gateway serves",
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct fs_config, fs_config_keys),
	.open = fs_open,
	.close = free,
	.probe = fs_probe,
	.map_name = fs_map_name,
	.create_bucket = fs_create_bucket,
	.get_bucket = fs_get_bucket,
	.delete_bucket = fs_delete_bucket,
	.grant = fs_grant,
	.revoke = fs_revoke,
	.list = fs_list,
};
