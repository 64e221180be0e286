/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - buckets: the record first, then the directory; away in the other order. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "posix.h"
#include "record.h"
#include "tree.h"

#include "banned.h"

/* Less what the daemon's umask takes.  The group's part is for a gateway that is another user. */
enum { BUCKET_MODE = 0770 };

/* No record yet: whatever stands there now was made by somebody else. */
static int
claim(const struct posix *posix, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	json_auto_t *record = NULL;
	enum posix_entry entry;

	if (posix_look(posix, call, req->native, &entry) < 0)
		return -1;
	if (entry != POSIX_NOTHING)
		return cosi_fail(call, COSI_EXISTS,
				 "cannot create '%s': it exists and has no record of ours",
				 req->native);
	record = record_new(call, &req->mark);
	return record == NULL ? -1 : record_write(posix, call, COSI_BUCKET, req->native, record);
}

static int
check_same(struct cosi_call *call, const struct cosi_bucket_req *req, const json_t *record)
{
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_EXISTS,
				 "cannot create '%s': it belongs to '%s', which calls it '%s'",
				 req->native, record_text(record, "owner"),
				 record_text(record, "name"));
	if (strcmp(record_text(record, "params"), req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS,
				 "cannot create '%s': it exists with other parameters",
				 req->native);
	return 0;
}

static int
make_directory(const struct posix *posix, struct cosi_call *call, const char *name)
{
	enum posix_entry entry;

	if (mkdirat(posix->root, name, BUCKET_MODE) == 0)
		return fsync(posix->root) == 0 ? 0 : posix_fail(call, errno, "create", name);
	if (errno != EEXIST)
		return posix_fail(call, errno, "create", name);
	if (posix_look(posix, call, name, &entry) < 0)
		return -1;
	if (entry == POSIX_OTHER)
		return cosi_fail(call, COSI_EXISTS, "cannot create '%s': it is not a directory",
				 name);
	return 0;
}

int
posix_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		    struct cosi_bucket *out)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	json_auto_t *record = NULL;
	SCOPE_LOCK int lock = record_lock(&posix, call, COSI_BUCKET, req->native);

	if (lock < 0 || record_read(&posix, call, COSI_BUCKET, req->native, &record) < 0)
		return -1;
	if ((record == NULL ? claim(&posix, call, req) : check_same(call, req, record)) < 0)
		return -1;
	if (make_directory(&posix, call, req->native) < 0)
		return -1;
	posix_describe(out);
	out->ours = true;
	out->params = cosi_printf(call, "%s", req->mark.params);
	return 0;
}

int
posix_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		 struct cosi_bucket *out)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	json_auto_t *record = NULL;
	enum posix_entry entry;
	bool ours;

	if (record_read(&posix, call, COSI_BUCKET, req->native, &record) < 0 ||
	    posix_look(&posix, call, req->native, &entry) < 0)
		return -1;
	ours = record != NULL && record_is_ours(record, &req->mark);
	/* Half made, it exists for nobody but the request that makes it, which has a name. */
	if (entry != POSIX_DIRECTORY && (!ours || req->mark.name == NULL))
		return cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist", req->native);
	posix_describe(out);
	out->ours = ours;
	out->unfinished = ours && entry != POSIX_DIRECTORY;
	if (ours && !out->unfinished)
		out->params = cosi_printf(call, "%s", record_text(record, "params"));
	return 0;
}

static int
remove_directory(const struct posix *posix, struct cosi_call *call, const char *name)
{
	if (unlinkat(posix->root, name, AT_REMOVEDIR) == 0)
		return fsync(posix->root) == 0 ? 0 : posix_fail(call, errno, "delete", name);
	if (errno == ENOENT)
		return 0;
	if (errno == ENOTEMPTY || errno == EEXIST)
		return cosi_fail(call, COSI_PRECONDITION, "cannot delete '%s': it is not empty",
				 name);
	if (errno == ENOTDIR)
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot delete '%s': it is not a directory", name);
	return posix_fail(call, errno, "delete", name);
}

/* No record: gone, or made by somebody else. */
static int
check_gone(const struct posix *posix, struct cosi_call *call, const char *name)
{
	enum posix_entry entry;

	if (posix_look(posix, call, name, &entry) < 0)
		return -1;
	if (entry == POSIX_NOTHING)
		return 0;
	return cosi_fail(call, COSI_PRECONDITION, "cannot delete '%s': it has no record of ours",
			 name);
}

int
posix_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	json_auto_t *record = NULL;
	SCOPE_LOCK int lock = record_lock(&posix, call, COSI_BUCKET, req->native);

	if (lock < 0 || record_read(&posix, call, COSI_BUCKET, req->native, &record) < 0)
		return -1;
	if (record == NULL)
		return check_gone(&posix, call, req->native);
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_PRECONDITION, "cannot delete '%s': it belongs to '%s'",
				 req->native, record_text(record, "owner"));
	if (req->common->purge && tree_purge(call, posix.root, req->native) < 0)
		return -1;
	if (remove_directory(&posix, call, req->native) < 0)
		return -1;
	return record_remove(&posix, call, COSI_BUCKET, req->native);
}
