/* SPDX-License-Identifier: Apache-2.0
 * message.h - what the dialects need to build their answers out of an arena. */
#ifndef COSID_RPC_MESSAGE_H
#define COSID_RPC_MESSAGE_H
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

/* protobuf-c's strings are char * though packing only reads them; NULL becomes the empty string. */
char *message_text(const char *text);

/* Zeroed memory of the arena; NULL with EXHAUSTED. */
void *message_alloc(struct arena *arena, size_t size, struct status *status);

/* Seconds since the epoch as a date in UTC: 2027-11-20T00:00:00Z (ISO 8601), or as Go prints it,
 * 2027-11-20 00:00:00 +0000 UTC.  NULL with INTERNAL: no such date. */
enum message_date { MESSAGE_ISO_8601 = 1, MESSAGE_GO };
const char *message_time(enum message_date form, int64_t epoch_s, struct arena *arena,
			 struct status *status);

#endif
