/* SPDX-License-Identifier: Apache-2.0
 * posix.h - what the files of this module share: the instance, its directory, its errors, and
 * who does what.
 *
 * What every module has, in the order to read it:
 *   posix.c    the module, its settings, open, probe, names, errors
 *   bucket.c   create, get, delete             access.c   grant, revoke, keys
 *   list.c     what bears our marks
 * What this store needs for it, where another one has its requests and answers:
 *   root.c     the directory, for one call     record.c   whose a bucket or an account is
 *   tree.c     empties a bucket                dir.c      reads a directory
 *
 *   root/photos/                      a bucket
 *   root/.cosid/buckets/photos.json   whose it is, with which parameters it was made
 *   root/.cosid/accounts/cosi-x.json  an account: whose it is, its buckets and modes
 *   root/.cosid/lock                  ranges of it are locked, one per bucket or account
 *
 * The record is the claim on a name: it is written first and removed last, so that a call that was
 * cut off anywhere leaves nothing that its retry cannot finish, and a directory without a record
 * was made by somebody else.
 */
#ifndef POSIX_POSIX_H
#define POSIX_POSIX_H
#include <stdatomic.h>
#include <unistd.h>

#include "cosi_module.h"
#include "text/scope.h"

struct posix_config {
	const char *root, *credential_key;
};

/* One per backend; used by several threads at once. */
struct posix_instance {
	const struct posix_config *config; /* borrowed from the daemon, for the instance's life */
	atomic_bool had_records;           /* a call has seen POSIX_STATE_DIR, or made it */
};
/* One per call, on the handler's stack. */
struct posix {
	struct posix_instance *instance; /* borrowed */
	int root;                        /* the directory; every path is looked up from it */
};
#define POSIX_STATE_DIR ".cosid"

static inline void
posix_close_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}
#define SCOPE_FD SCOPE(posix_close_fd)

/* The root as it is now, until posix_leave(), which SCOPE_ROOT calls at the end of the scope.  With
 * the call failed its root is -1: UNAVAILABLE when there is none, or an empty one in its place. */
struct posix posix_enter(struct posix_instance *instance, struct cosi_call *call);
void posix_leave(struct posix *posix);
#define SCOPE_ROOT SCOPE(posix_leave)

/* Records "cannot WHAT 'NAME': reason" for an errno value, with the code that fits it. */
int posix_fail(struct cosi_call *call, int error, const char *what, const char *name);
/* The same for the root, with a hint where its setting may be to blame. */
int posix_fail_root(struct cosi_call *call, int error, const char *path);
/* Fails with COSI_INVALID unless the name is safe as that of a file: no '/', no leading dot. */
int posix_name_check(struct cosi_call *call, const char *name);

enum posix_entry { POSIX_NOTHING, POSIX_DIRECTORY, POSIX_OTHER };
/* What stands in root under the name of a bucket; a symbolic link is POSIX_OTHER. */
int posix_look(const struct posix *posix, struct cosi_call *call, const char *bucket,
	       enum posix_entry *out_entry);
/* The part of every answer about a bucket that is the same for all of them. */
void posix_describe(struct cosi_bucket *out);

/* The handlers; cosi_module.h says what each of them promises.
 * bucket.c */
int posix_create_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *,
			struct cosi_bucket *);
int posix_get_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *,
		     struct cosi_bucket *);
int posix_delete_bucket(void *, struct cosi_call *, const struct cosi_bucket_req *);
/* access.c */
int posix_grant(void *, struct cosi_call *, const struct cosi_access_req *, struct cosi_access *);
int posix_revoke(void *, struct cosi_call *, const struct cosi_access_req *);
/* list.c */
int posix_list(void *, struct cosi_call *, const char *owner,
	       int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
