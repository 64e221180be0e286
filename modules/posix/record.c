/* SPDX-License-Identifier: Apache-2.0
 * record.c - reads, writes and locks records; no symbolic link is ever followed. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/text.h"

#include "banned.h"

enum { DIR_MODE = 0750, FILE_MODE = 0640, VERSION = 1 };
enum { IF_THERE = 0, CREATE = 1 };

static const char *
record_kind_name(uint32_t kind)
{
	return kind == COSI_BUCKET ? "buckets" : "accounts";
}

/* A directory below another; -1 with errno.  Its entry is synced when it was created. */
static int
fs_open_subdir(int parent, const char *name, int create)
{
	if (create == CREATE) {
		if (mkdirat(parent, name, DIR_MODE) == 0) {
			if (fsync(parent) < 0)
				return -1;
		} else if (errno != EEXIST) {
			return -1;
		}
	}
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int
record_open_dir(const struct fs *fs, const char *name, int create)
{
	CLEANUP_FD int state = fs_open_subdir(fs->root, FS_STATE_DIR, create);

	return state < 0 ? -1 : fs_open_subdir(state, name, create);
}

int
record_dir(const struct fs *fs, uint32_t kind)
{
	return record_open_dir(fs, record_kind_name(kind), IF_THERE);
}

/* Ranges of one file stand for names: no files to clean up, and the kernel drops the lock of a
 * process that dies.  Two names on one byte would only cost a BUSY. */
int
record_lock(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
	    bool removes)
{
	const char *key = cosi_printf(call, "%s/%s", record_kind_name(kind), name);
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	CLEANUP_FD int state = -1;
	int fd = -1, error;
	struct hash hash;

	if (fs->root < 0 || fs_check_name(call, name) < 0 ||
	    hash_sha256(call, key, strlen(key), &hash) < 0)
		return -1;
	for (size_t i = 0; i < sizeof range.l_start - 1; i++) /* it stays positive */
		range.l_start = range.l_start << 8 | hash.bytes[i];
	state = fs_open_subdir(fs->root, FS_STATE_DIR, removes ? IF_THERE : CREATE);
	if (state < 0 && removes && errno == ENOENT)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "cannot use '%s': it has no records: is the file system mounted? "
				 "(In a new root the first bucket makes them.)",
				 fs->instance->config->root);
	if (state >= 0) {
		atomic_store(&fs->instance->had_records, true);
		fd = openat(state, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	}
	if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &range) == 0)
		return fd;
	error = errno;
	fs_close_fd(&fd);
	if (error == EAGAIN || (fd >= 0 && error == EACCES)) /* fcntl() may say either */
		return cosi_fail(call, COSI_BUSY, "cannot lock '%s': another process has locked it",
				 name);
	return fs_fail_below(fs, call, error, "lock", name);
}

void
record_unlock(const int *fd)
{
	struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	if (*fd < 0)
		return;
	(void)fcntl(*fd, F_OFD_SETLK, &all);
	(void)close(*fd);
}

static int
fs_read_all(int fd, char *buffer, size_t size, size_t *out_len)
{
	size_t len = 0;
	ssize_t n;

	while (len < size) {
		n = read(fd, buffer + len, size - len);
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

static int
fs_write_all(int fd, const char *buffer, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = write(fd, buffer, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		buffer += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A record that cannot be parsed is an error, never taken for an absent one. */
static int
record_parse(struct cosi_call *call, const char *name, int fd, json_t **out)
{
	CLEANUP_FREE char *text = malloc(RECORD_MAX + 1);
	size_t len;
	json_t *json;

	if (text == NULL || fs_read_all(fd, text, RECORD_MAX + 1, &len) < 0)
		return fs_fail(call, errno, "read the record of", name);
	json = len > RECORD_MAX ? NULL : json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (json_integer_value(json_object_get(json, "version")) == VERSION &&
	    json_is_string(json_object_get(json, "owner")) &&
	    json_is_string(json_object_get(json, "name")) &&
	    json_is_string(json_object_get(json, "params"))) {
		*out = json;
		return 0;
	}
	json_decref(json);
	return cosi_fail(call, COSI_INTERNAL, "cannot read the record of '%s': the file is damaged",
			 name);
}

int
record_read(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
	    json_t **out)
{
	const char *file = cosi_printf(call, "%s.json", name);
	CLEANUP_FD int dir = -1;
	CLEANUP_FD int fd = -1;

	*out = NULL;
	if (cosi_failed(call) || fs_check_name(call, name) < 0)
		return -1;
	dir = record_dir(fs, kind);
	/* Not blocking: should a FIFO stand there, it ends as an empty, damaged record. */
	if (dir >= 0)
		fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		return record_parse(call, name, fd, out);
	return errno == ENOENT ? 0 : fs_fail(call, errno, "read the record of", name);
}

int
record_write(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
	     const json_t *record)
{
	const char *file = cosi_printf(call, "%s.json", name);
	const char *next = cosi_printf(call, ".%s.next", name);
	CLEANUP_FREE char *text = json_dumps(record, JSON_INDENT(2) | JSON_SORT_KEYS);
	CLEANUP_FD int dir = -1;
	CLEANUP_FD int fd = -1;

	if (cosi_failed(call))
		return -1;
	if (text == NULL)
		return fs_fail(call, ENOMEM, "write the record of", name);
	if (strlen(text) > RECORD_MAX)
		return cosi_fail(
			call, COSI_OUT_OF_RANGE,
			"cannot write the record of '%s': the record is longer than %d bytes", name,
			RECORD_MAX);
	dir = record_open_dir(fs, record_kind_name(kind), CREATE);
	if (dir >= 0)
		fd = openat(dir, next, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			    FILE_MODE);
	if (fd < 0 || fs_write_all(fd, text, strlen(text)) < 0 || fsync(fd) < 0 ||
	    renameat(dir, next, dir, file) < 0 || fsync(dir) < 0)
		return fs_fail_below(fs, call, errno, "write the record of", name);
	return 0;
}

int
record_sync(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name)
{
	CLEANUP_FD int dir = record_dir(fs, kind);

	if (dir < 0 ? errno == ENOENT : fsync(dir) == 0)
		return 0;
	return fs_fail_below(fs, call, errno, "sync the record of", name);
}

int
record_remove(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name)
{
	const char *file = cosi_printf(call, "%s.json", name);
	CLEANUP_FD int dir = record_dir(fs, kind);

	if (cosi_failed(call))
		return -1;
	if (dir >= 0 && unlinkat(dir, file, 0) == 0 && fsync(dir) == 0)
		return 0;
	return errno == ENOENT ? 0 : fs_fail_below(fs, call, errno, "remove the record of", name);
}

json_t *
record_new(struct cosi_call *call, const struct cosi_mark *mark)
{
	json_t *record = json_pack("{s:i, s:s, s:s, s:s, s:I}", "version", VERSION, "owner",
				   mark->owner, "name", mark->name, "params", mark->params,
				   "created", (json_int_t)call->host->now(call));

	if (record == NULL)
		(void)fs_fail(call, ENOMEM, "create the record of", mark->name);
	return record;
}

const char *
record_text(const json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text != NULL ? text : "";
}

bool
record_is_ours(const json_t *record, const struct cosi_mark *mark)
{
	if (strcmp(record_text(record, "owner"), mark->owner) != 0)
		return false;
	return mark->name == NULL || strcmp(record_text(record, "name"), mark->name) == 0;
}
