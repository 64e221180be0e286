/* SPDX-License-Identifier: Apache-2.0
 * wire.c - a walk over the wire format by the message's descriptor, before protobuf-c sees it. */
#include "rpc/wire.h"

#include <stdbool.h>
#include <string.h>

#include "base/parse.h"
#include "rpc/limits.h"

#include "banned.h"

enum { WIRE_VARINT = 0, WIRE_64BIT = 1, WIRE_BYTES = 2, WIRE_32BIT = 5 };
enum { FIELD_NUMBER_MAX = (1 << 29) - 1 };

struct walk {
	const uint8_t *at, *end;
};

static bool
wire_take_varint(struct walk *walk, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && walk->at < walk->end; shift += 7) {
		uint8_t byte = *walk->at++;

		value |= (uint64_t)(byte & 0x7fu) << shift;
		if ((byte & 0x80u) == 0) {
			*out = value;
			return true;
		}
	}
	return false;
}

static bool
wire_skip(struct walk *walk, uint64_t len)
{
	if (len > (uint64_t)(walk->end - walk->at))
		return false;
	walk->at += len;
	return true;
}

/* Walks past one value; *out_len is the length of a WIRE_BYTES value, whose bytes end at walk->at.
 */
static bool
wire_skip_value(struct walk *walk, unsigned wire_type, uint64_t *out_len)
{
	uint64_t value;

	switch (wire_type) {
	case WIRE_VARINT:
		return wire_take_varint(walk, &value);
	case WIRE_64BIT:
		return wire_skip(walk, 8);
	case WIRE_32BIT:
		return wire_skip(walk, 4);
	case WIRE_BYTES:
		return wire_take_varint(walk, out_len) && wire_skip(walk, *out_len);
	default: /* groups do not exist in proto3 */
		return false;
	}
}

static int
wire_check_string(const ProtobufCFieldDescriptor *field, const uint8_t *bytes, size_t len,
		  struct status *status)
{
	if (len == 0 || parse_utf8((const char *)bytes, len))
		return 0;
	if (memchr(bytes, '\0', len) != NULL)
		return status_fail(status, COSI_INVALID, "field '%s' holds a NUL byte",
				   field->name);
	return status_fail(status, COSI_INVALID, "field '%s' is not valid UTF-8", field->name);
}

static int
wire_check_message(const ProtobufCMessageDescriptor *type, struct walk walk, unsigned depth,
		   unsigned *budget, struct status *status)
{
	if (depth > LIMIT_DEPTH)
		return status_fail(status, COSI_INVALID, "messages are nested more than %d deep",
				   LIMIT_DEPTH);
	while (walk.at < walk.end) {
		const ProtobufCFieldDescriptor *field;
		uint64_t key, len = 0;
		int rc = 0;

		if ((*budget)-- == 0)
			return status_fail(status, COSI_INVALID,
					   "the message has more than %d fields", LIMIT_FIELDS);
		if (!wire_take_varint(&walk, &key) || key >> 3 == 0 ||
		    key >> 3 > FIELD_NUMBER_MAX || !wire_skip_value(&walk, key & 7u, &len))
			return status_fail(status, COSI_INVALID, "malformed protobuf");
		field = protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
		if (field == NULL || (key & 7u) != WIRE_BYTES)
			continue;
		if (field->type == PROTOBUF_C_TYPE_STRING)
			rc = wire_check_string(field, walk.at - len, (size_t)len, status);
		else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
			rc = wire_check_message(field->descriptor,
						(struct walk){ walk.at - len, walk.at }, depth + 1,
						budget, status);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int
wire_check(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len,
	   struct status *status)
{
	unsigned budget = LIMIT_FIELDS;

	if (len == 0)
		return 0;
	return wire_check_message(type, (struct walk){ bytes, bytes + len }, 1, &budget, status);
}

static void *
wire_from_arena(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

static void
wire_to_arena(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

ProtobufCMessage *
wire_decode(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len,
	    struct arena *arena, struct status *status)
{
	ProtobufCAllocator allocator = { .alloc = wire_from_arena,
					 .free = wire_to_arena,
					 .allocator_data = arena };
	ProtobufCMessage *message;

	if (wire_check(type, bytes, len, status) < 0)
		return NULL;
	message = protobuf_c_message_unpack(type, &allocator, len, bytes);
	if (message == NULL && arena_failed(arena))
		status_no_memory(status);
	else if (message == NULL)
		status_fail(status, COSI_INVALID, "malformed protobuf");
	return message;
}
