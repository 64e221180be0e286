/* SPDX-License-Identifier: Apache-2.0
 * record.h - one JSON file per bucket and account, with what a store would keep as tags.
 *
 *   { "version": 1, "owner": "cosid.example.org", "name": "photos", "params": "1:...",
 *     "created": 1700000000, ... }
 *
 * A record is read whole or not at all: it is written under another name, synced and renamed, and
 * then the directory is synced.  Functions that return int return 0, or -1 with the call failed.
 */
#ifndef POSIX_RECORD_H
#define POSIX_RECORD_H
#include <jansson.h>

#include "posix.h"

/* Bytes of a file; a longer one is not written, and not read. */
enum { RECORD_MAX = 64 * 1024 };

/* Locks a name against other processes until record_unlock(), which CLEANUP_LOCK calls at the end
 * of the scope; -1 with the call failed, BUSY when another process has the lock.  Calls of this
 * process are kept apart by the daemon.  removes: the call makes no first record, so a root that
 * has none is not believed (UNAVAILABLE): its file system may not be mounted. */
int record_lock(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
		bool removes);
/* close() alone does not unlock: a child that is being started has the descriptor, too, until its
 * exec().  *fd may be -1. */
void record_unlock(const int *fd);
#define CLEANUP_LOCK CLEANUP(record_unlock)

/* *out: a reference for the caller, or NULL when there is no record. */
int record_read(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
		json_t **out);
int record_write(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name,
		 const json_t *record);
/* Makes sure that what an earlier call wrote or removed outlasts a loss of power: that call may
 * have been killed before it synced the directory. */
int record_sync(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name);
/* Succeeds when there is none. */
int record_remove(const struct fs *fs, struct cosi_call *call, uint32_t kind, const char *name);

/* A new record with the mark and the time in it; NULL with the call failed. */
json_t *record_new(struct cosi_call *call, const struct cosi_mark *mark);
/* Does it bear the mark's owner, and the mark's name if that is given? */
bool record_is_ours(const json_t *record, const struct cosi_mark *mark);
/* The text of a member; "" when it has none. */
const char *record_text(const json_t *record, const char *key);

/* The directory of one kind; -1 with errno, ENOENT when nothing was ever written there. */
int record_dir(const struct fs *fs, uint32_t kind);

#endif
