/* SPDX-License-Identifier: Apache-2.0
 * limits.c - checks requests: their bytes, by a walk over the wire format before protobuf-c sees
 * them, then the sizes and forms of their fields. */
#include "rpc/limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

/* ---- the message ------------------------------------------------------------------------- */

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
wire_check_message(const ProtobufCMessageDescriptor *type, struct walk walk, unsigned depth,
		   unsigned *budget, struct status *status)
{
	if (depth > LIMIT_DEPTH)
		return status_fail(status, COSI_INVALID, "messages are nested more than %d deep",
				   LIMIT_DEPTH);
	while (walk.at < walk.end) {
		const ProtobufCFieldDescriptor *field;
		const uint8_t *value;
		uint64_t key, len = 0;

		if ((*budget)-- == 0)
			return status_fail(status, COSI_INVALID,
					   "the message has more than %d fields", LIMIT_FIELDS);
		if (!wire_take_varint(&walk, &key) || key >> 3 == 0 ||
		    key >> 3 > FIELD_NUMBER_MAX || !wire_skip_value(&walk, key & 7u, &len))
			return status_fail(status, COSI_INVALID, "malformed protobuf");
		field = protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
		if (field == NULL || (key & 7u) != WIRE_BYTES)
			continue;
		value = walk.at - len;
		if (field->type == PROTOBUF_C_TYPE_STRING &&
		    !parse_utf8((const char *)value, (size_t)len))
			return status_fail(status, COSI_INVALID, "field '%s' %s", field->name,
					   memchr(value, '\0', (size_t)len) != NULL
						   ? "holds a NUL byte"
						   : "is not valid UTF-8");
		if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
		    wire_check_message(field->descriptor, (struct walk){ value, walk.at },
				       depth + 1, budget, status) < 0)
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

/* ---- its fields -------------------------------------------------------------------------- */

int
limits_string(const char *field, const char *value, size_t max, bool required,
	      struct status *status)
{
	size_t len = value != NULL ? strlen(value) : 0;

	if (len == 0 && required)
		return status_fail(status, COSI_INVALID, "field '%s' is required", field);
	if (len > max)
		return status_fail(status, COSI_INVALID,
				   "field '%s' is %zu bytes long, at most %zu are allowed", field,
				   len, max);
	return 0;
}

int
limits_id(const char *field, const char *value, struct status *status)
{
	if (limits_string(field, value, LIMIT_LONG_ID, true, status) < 0)
		return -1;
	if (!chars_only(value, CHARS_ALNUM "-."))
		return status_fail(status, COSI_INVALID,
				   "field '%s' may contain only letters, digits, '-' and '.'",
				   field);
	return 0;
}

int
limits_dns_name(const char *field, const char *value, struct status *status)
{
	if (limits_string(field, value, LIMIT_DNS_NAME, true, status) < 0)
		return -1;
	/* Labels of [a-z0-9-] that neither begin nor end with '-', joined by dots. */
	for (const char *p = value; *p != '\0'; p++) {
		bool edge = p == value || p[-1] == '.' || p[1] == '.' || p[1] == '\0';
		bool alnum = chars_is_lower((unsigned char)*p) || chars_is_digit((unsigned char)*p);

		if (!alnum && (edge || (*p != '-' && *p != '.')))
			return status_fail(status, COSI_INVALID,
					   "field '%s' is not a DNS subdomain in lower case",
					   field);
	}
	return 0;
}

struct limits_entry {
	struct cosi_kv kv;
	size_t position;
};

static int
limits_entry_compare(const void *a, const void *b)
{
	const struct limits_entry *x = a, *y = b;
	int order = strcmp(x->kv.key, y->kv.key);

	if (order != 0)
		return order;
	return x->position < y->position ? -1 : 1;
}

/* Every map<string, string> has an entry type of its own, of the same form: key is field 1,
 * value 2. */
static const char *
limits_entry_text(const ProtobufCMessage *entry, unsigned field)
{
	const char *at = (const char *)entry + entry->descriptor->fields[field].offset;
	const char *text;

	memcpy(&text, at, sizeof text);
	return text != NULL ? text : "";
}

int
limits_map(const char *field, size_t n, const void *entries, struct request *out,
	   struct arena *arena, struct status *status)
{
	ProtobufCMessage *const *list = entries;
	struct limits_entry *sorted = arena_alloc(arena, n * sizeof *sorted);
	struct cosi_kv *params = arena_alloc(arena, n * sizeof *params);
	size_t bytes = 0;

	if (sorted == NULL || params == NULL)
		return status_no_memory(status);
	for (size_t i = 0; i < n; i++) {
		sorted[i].kv = (struct cosi_kv){ limits_entry_text(list[i], 0),
						 limits_entry_text(list[i], 1) };
		sorted[i].position = i;
		bytes += strlen(sorted[i].kv.key) + strlen(sorted[i].kv.value);
	}
	if (bytes > LIMIT_MAP)
		return status_fail(status, COSI_INVALID,
				   "field '%s' holds %zu bytes, at most %d are allowed", field,
				   bytes, LIMIT_MAP);
	qsort(sorted, n, sizeof *sorted, limits_entry_compare);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(sorted[i].kv.key, sorted[i + 1].kv.key) == 0)
			continue;
		params[out->nparams++] = sorted[i].kv;
	}
	out->params = params;
	return 0;
}
