/* SPDX-License-Identifier: Apache-2.0
 * record.h - one JSON file per bucket and account: what a store would keep as tags.
 *
 *   { "version": 1, "owner": "cosid.example.org", "name": "photos", "params": "1:...",
 *     "created": 1700000000, ... }
 *
 * A record is read whole or not at all: it is written beside its place, synced, renamed into it,
 * and the directory is synced.  Functions that return int return 0, or -1 with the call failed.
 */
#ifndef POSIX_RECORD_H
#define POSIX_RECORD_H
#include <jansson.h>

#include "posix.h"

/* Bytes of a file; a longer one is not written, and not read. */
enum { RECORD_MAX = 64 * 1024 };

/* Keeps other processes away from one name until record_unlock(), which SCOPE_LOCK calls at the end
 * of the scope; -1 with the call failed, BUSY when one of them is there already.  Within this
 * process the daemon sees to that. */
int record_lock(const struct posix *posix, struct cosi_call *call, uint32_t kind, const char *name);
/* Closing alone is not enough: a child that is being started has the descriptor, too, until its
 * exec() closes it.  *fd may be -1. */
void record_unlock(const int *fd);
#define SCOPE_LOCK SCOPE(record_unlock)

/* *out: a reference for the caller, or NULL when there is no record. */
int record_read(const struct posix *posix, struct cosi_call *call, uint32_t kind, const char *name,
		json_t **out);
int record_write(const struct posix *posix, struct cosi_call *call, uint32_t kind, const char *name,
		 const json_t *record);
/* Gone already is fine. */
int record_remove(const struct posix *posix, struct cosi_call *call, uint32_t kind,
		  const char *name);

/* A new record with the mark and the time in it; NULL with the call failed. */
json_t *record_new(struct cosi_call *call, const struct cosi_mark *mark);
/* Does it bear the mark's owner, and the mark's name if that is given? */
bool record_is_ours(const json_t *record, const struct cosi_mark *mark);
/* The text of a member; "" when it has none. */
const char *record_text(const json_t *record, const char *key);

/* The directory of one kind; -1 with errno, ENOENT when nothing was ever written there. */
int record_dir(const struct posix *posix, uint32_t kind);

#endif
