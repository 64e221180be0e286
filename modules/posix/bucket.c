/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - create: the record, then the directory; delete: the directory, then the record; list.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "posix.h"
#include "record.h"

#include "banned.h"

/* Minus the daemon's umask.  The group is for a gateway that runs as another user. */
enum { BUCKET_MODE = 0770 };

/* Writes the record of a new bucket, or compares the one that exists with the request. */
static int
fs_claim_bucket(const struct fs *fs, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	json_auto_t *record = NULL;
	enum fs_entry entry;

	if (record_read(fs, call, COSI_BUCKET, req->native, &record) < 0)
		return -1;
	if (record == NULL) {
		if (fs_lookup(fs, call, req->native, &entry) < 0)
			return -1;
		if (entry != FS_NOTHING)
			return cosi_fail(call, COSI_EXISTS,
					 "cannot create bucket '%s': a file or directory of that "
					 "name has no record of cosid's",
					 req->native);
		record = record_new(call, &req->mark);
		return record == NULL ? -1
				      : record_write(fs, call, COSI_BUCKET, req->native, record);
	}
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_EXISTS,
				 "cannot create bucket '%s': the bucket belongs to '%s', whose "
				 "name for it is '%s'",
				 req->native, record_text(record, "owner"),
				 record_text(record, "name"));
	if (strcmp(record_text(record, "params"), req->mark.params) != 0)
		return cosi_fail(
			call, COSI_EXISTS,
			"cannot create bucket '%s': the bucket exists with other parameters",
			req->native);
	return record_sync(fs, call, COSI_BUCKET, req->native);
}

/* The root is synced in any case: the call that made the directory may have been killed before it
 * did that. */
static int
fs_make_bucket(const struct fs *fs, struct cosi_call *call, const char *name)
{
	enum fs_entry entry;

	if (mkdirat(fs->root, name, BUCKET_MODE) < 0 && errno != EEXIST)
		return fs_fail_below(fs, call, errno, "create bucket", name);
	if (fs_lookup(fs, call, name, &entry) < 0)
		return -1;
	if (entry == FS_OTHER)
		return cosi_fail(call, COSI_EXISTS,
				 "cannot create bucket '%s': a file of that name exists", name);
	return fsync(fs->root) == 0 ? 0 : fs_fail_below(fs, call, errno, "create bucket", name);
}

int
fs_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		 struct cosi_bucket *out)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	CLEANUP_LOCK int lock = record_lock(&fs, call, COSI_BUCKET, req->native, false);

	if (lock < 0 || fs_claim_bucket(&fs, call, req) < 0 ||
	    fs_make_bucket(&fs, call, req->native) < 0)
		return -1;
	fs_describe(out);
	out->ours = true;
	out->params = cosi_printf(call, "%s", req->mark.params);
	return 0;
}

int
fs_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	      struct cosi_bucket *out)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	json_auto_t *record = NULL;
	enum fs_entry entry;
	bool ours;

	if (record_read(&fs, call, COSI_BUCKET, req->native, &record) < 0 ||
	    fs_lookup(&fs, call, req->native, &entry) < 0)
		return -1;
	ours = record != NULL && record_is_ours(record, &req->mark);
	/* A record without a directory exists only for the request that creates it, which has a
	 * name. */
	if (entry != FS_DIRECTORY && (!ours || req->mark.name == NULL))
		return cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist", req->native);
	fs_describe(out);
	out->ours = ours;
	out->unfinished = ours && entry != FS_DIRECTORY;
	if (ours && !out->unfinished)
		out->params = cosi_printf(call, "%s", record_text(record, "params"));
	return 0;
}

static int
fs_remove_bucket(const struct fs *fs, struct cosi_call *call, const char *name)
{
	if (unlinkat(fs->root, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return fsync(fs->root) == 0 ? 0
					    : fs_fail_below(fs, call, errno, "delete bucket", name);
	if (errno == ENOTEMPTY || errno == EEXIST)
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot delete bucket '%s': the bucket is not empty", name);
	if (errno == ENOTDIR)
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot delete bucket '%s': a file of that name exists", name);
	return fs_fail_below(fs, call, errno, "delete bucket", name);
}

int
fs_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	json_auto_t *record = NULL;
	CLEANUP_LOCK int lock = record_lock(&fs, call, COSI_BUCKET, req->native, true);
	enum fs_entry entry;

	if (lock < 0 || record_read(&fs, call, COSI_BUCKET, req->native, &record) < 0)
		return -1;
	if (record == NULL) {
		if (fs_lookup(&fs, call, req->native, &entry) < 0)
			return -1;
		return entry == FS_NOTHING
			       ? record_sync(&fs, call, COSI_BUCKET, req->native)
			       : cosi_fail(call, COSI_PRECONDITION,
					   "cannot delete bucket '%s': a file or directory of that "
					   "name has no record of cosid's",
					   req->native);
	}
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot delete bucket '%s': the bucket belongs to '%s'",
				 req->native, record_text(record, "owner"));
	if (req->common->purge && tree_purge(call, fs.root, req->native) < 0)
		return -1;
	if (fs_remove_bucket(&fs, call, req->native) < 0)
		return -1;
	return record_remove(&fs, call, COSI_BUCKET, req->native);
}

/* ---- list: every record of one owner ---- */

struct fs_listing {
	const struct fs *fs;
	struct cosi_call *call;
	const char *owner;
	int (*found)(struct cosi_call *, const struct cosi_found *);
};
enum { LIST_MORE = 0, LIST_STOP = 1 };

static int
fs_list_record(const struct fs_listing *list, uint32_t kind, const char *name)
{
	json_auto_t *record = NULL;
	int64_t created;

	if (record_read(list->fs, list->call, kind, name, &record) < 0)
		return -1;
	if (record == NULL || strcmp(record_text(record, "owner"), list->owner) != 0)
		return LIST_MORE;
	created = json_integer_value(json_object_get(record, "created"));
	return list->found(list->call,
			   COSI_FOUND(.kind = kind, .native = name, .created = created,
				      .mark = { list->owner, record_text(record, "name"),
						record_text(record, "params") })) == 0
		       ? LIST_MORE
		       : LIST_STOP;
}

static int
fs_list_kind(const struct fs_listing *list, uint32_t kind)
{
	CLEANUP_DIR DIR *dir = fs_open_dir(record_dir(list->fs, kind));
	const char *root = list->fs->instance->config->root, *file;
	size_t suffix = strlen(".json");
	int rc = LIST_MORE;

	if (dir == NULL)
		return errno == ENOENT ? LIST_MORE : fs_fail(list->call, errno, "list", root);
	while (rc == LIST_MORE && (file = fs_next_name(dir)) != NULL) {
		size_t len = strlen(file);

		if (list->call->host->time_left_ms(list->call) <= 0)
			return cosi_fail(list->call, COSI_TIMEOUT,
					 "cannot list '%s': the deadline has passed", root);
		/* A name with a leading dot is a record that is being written. */
		if (file[0] != '.' && len > suffix && strcmp(file + len - suffix, ".json") == 0)
			rc = fs_list_record(
				list, kind,
				cosi_printf(list->call, "%.*s", (int)(len - suffix), file));
	}
	if (rc == LIST_MORE && errno != 0)
		return fs_fail(list->call, errno, "list", root);
	return rc;
}

int
fs_list(void *instance, struct cosi_call *call, const char *owner,
	int (*found)(struct cosi_call *, const struct cosi_found *))
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	const struct fs_listing list = { &fs, call, owner, found };
	int rc;

	if (fs.root < 0)
		return -1;
	rc = fs_list_kind(&list, COSI_BUCKET);
	if (rc == LIST_MORE)
		rc = fs_list_kind(&list, COSI_ACCOUNT);
	return rc < 0 ? -1 : 0;
}
