/* SPDX-License-Identifier: Apache-2.0
 * posix.h - what the files of this module share.
 *
 *   posix.c    the module, its settings, open, probe, names, errors; the root directory, for one
 * call bucket.c   create, get, delete; everything of one owner access.c   grant, revoke, keys
 *   record.c   ownership records and locks
 *   tree.c     empties a bucket
 *
 *   root/photos/                      a bucket
 *   root/.cosid/buckets/photos.json   its owner, and the parameters it was created with
 *   root/.cosid/accounts/cosi-x.json  an account: its owner, its buckets and modes
 *   root/.cosid/lock                  one byte of it is locked for each bucket or account in use
 *
 * The record claims a name: it is written before the directory is made and removed after it, so
 * that the retry of a call that was cut off anywhere finishes the work, and a directory without a
 * record does not belong to cosid.
 */
#ifndef POSIX_POSIX_H
#define POSIX_POSIX_H
#include <dirent.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cosi_module.h"
#include "text/text.h"

struct fs_config {
	const char *root, *credential_key;
};

/* One per backend; used by several threads at once. */
struct fs_instance {
	const struct fs_config *config; /* borrowed from the daemon, for the instance's life */
	atomic_bool had_records;        /* a call has seen FS_STATE_DIR, or made it */
};
/* One per call, on the handler's stack. */
struct fs {
	struct fs_instance *instance; /* borrowed */
	int root;                     /* the directory; every path is looked up from it */
};
#define FS_STATE_DIR ".cosid"

static inline void
fs_close_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}
#define CLEANUP_FD CLEANUP(fs_close_fd)

/* ---- posix.c: errors and names ---- */

/* Records "cannot WHAT 'NAME': reason" for an errno value, with the code that fits it. */
int fs_fail(struct cosi_call *call, int error, const char *what, const char *name);
/* The same for a change: names the root as well, whose permissions, mount options or free space are
 * the cause. */
int fs_fail_below(const struct fs *fs, struct cosi_call *call, int error, const char *what,
		  const char *name);
/* The same for the root, with a hint where its setting may be to blame. */
int fs_fail_root(struct cosi_call *call, int error, const char *path);
/* Fails with COSI_INVALID unless the name is safe as a file name: no '/', no leading dot. */
int fs_check_name(struct cosi_call *call, const char *name);
/* The fields of an answer that are the same for every bucket. */
void fs_describe(struct cosi_bucket *out);

/* ---- posix.c: the root ---- */

/* Opens the root until fs_close_root(), which CLEANUP_ROOT calls at the end of the scope.  When it
 * is absent or another file system's empty mount point, the call has failed, UNAVAILABLE, and
 * .root is -1. */
struct fs fs_open_root(struct fs_instance *instance, struct cosi_call *call);
void fs_close_root(struct fs *fs);
#define CLEANUP_ROOT CLEANUP(fs_close_root)

enum fs_entry { FS_NOTHING, FS_DIRECTORY, FS_OTHER };
/* What the root has under the name of a bucket; a symbolic link is FS_OTHER. */
int fs_lookup(const struct fs *fs, struct cosi_call *call, const char *bucket,
	      enum fs_entry *out_entry);

/* Takes ownership of the descriptor, which may be -1.  NULL with errno; CLEANUP_DIR closes it. */
DIR *fs_open_dir(int fd);
/* The next name except "." and ".."; NULL at the end, with errno 0, or on an error, with errno. */
const char *fs_next_name(DIR *dir);
void fs_close_dir(DIR **dir);
#define CLEANUP_DIR CLEANUP(fs_close_dir)

/* ---- tree.c ---- */

/* Removes everything below parent/name, but not that directory.  Follows no symbolic link, enters
 * no mount point (PRECONDITION), and stops when the call's time is up (TIMEOUT); a retry continues.
 * What others add during the removal is removed as well while the time lasts.  0 also when there is
 * no such directory; else -1 with the call failed. */
int tree_purge(struct cosi_call *call, int parent, const char *name);

/* ---- the handlers: bucket.c, access.c ---- */

int fs_create_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *,
		     struct cosi_bucket *);
int fs_get_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *, struct cosi_bucket *);
int fs_delete_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *);
int fs_grant(void *, struct cosi_call *, const struct cosi_access_req *, struct cosi_access *);
int fs_revoke(void *, struct cosi_call *, const struct cosi_access_req *);
int fs_list(void *, struct cosi_call *, const char *owner,
	    int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
