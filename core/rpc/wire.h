/* SPDX-License-Identifier: Apache-2.0
 * wire.h - protobuf bytes to messages and back, with what protobuf-c lets through kept out. */
#ifndef COSID_RPC_WIRE_H
#define COSID_RPC_WIRE_H
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

/* Checks that these are the bytes of such a message, and that it is safe to unpack.  protobuf-c
 * accepts invalid UTF-8, cuts strings at a NUL, and allocates 60 bytes for 2 bytes of map entry:
 * all of that, too many fields (LIMIT_FIELDS) and too deep ones (LIMIT_DEPTH) are refused.  0, or
 * -1 with INVALID. */
int wire_check(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len,
	       struct status *status);

/* Checks and unpacks.  The message and its strings lie in the arena and are never freed one by one.
 * NULL with status: INVALID, or EXHAUSTED when the arena has failed. */
ProtobufCMessage *wire_decode(const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
			      size_t len, struct arena *arena, struct status *status);

#endif
