/* SPDX-License-Identifier: Apache-2.0
 * id.h - bucket_id and account_id: "<backend>.<native>", the first dot splits.
 *
 * An id is a function of the request, never random, and routes itself: no table says where a
 * bucket lies (docs/design/ids.md).
 */
#ifndef COSID_ROUTING_ID_H
#define COSID_ROUTING_ID_H
#include <stdbool.h>

#include "base/arena.h"
#include "base/status.h"
#include "module/backend.h"
#include "routing/request.h"

enum {
	ID_ACCOUNT_MAX = 48, /* bytes of an account's name before it is shortened by a hash */
};
/* The prefix of every account that cosid makes; an account without it is never touched. */
#define ID_ACCOUNT_PREFIX "cosi-"

/* May it be the part after the dot, or a native name alone: 1 to ID_MAX of [A-Za-z0-9.-], the first
 * of them a letter or a digit (so "..", which a file system would follow, is none). */
bool id_is_native(const char *text);

/* The configured backend that the part before the first dot names, and what follows the dot, not
 * checked; NULL: no configured backend has that name. */
struct backend *id_backend(const struct generation *generation, const char *id,
			   const char **out_native);
/* Of an id for which there is none: does it look like that of a backend that was configured once?
 * A native name with a dot may look so, too. */
bool id_may_be_orphan(const char *id);

/* "<backend>.<native>" from the arena; NULL with INVALID: the native name cannot be part of an id.
 */
const char *id_format(struct arena *arena, const char *backend, const char *native,
		      struct status *status);

/* The account name of a request as every store can hold it: "cosi-" + name when that is at most
 * ID_ACCOUNT_MAX of [a-z0-9-]; else its first 32, other bytes as '-', then '-' and 12 hex digits of
 * the name's SHA-256.  A module's map_name() gets this, so it may shorten it further. */
const char *id_account_native(struct arena *arena, const char *name);

#endif
