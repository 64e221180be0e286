/* SPDX-License-Identifier: Apache-2.0
 * dialect.c - what both dialects need: every map of theirs has entries {key = 1, value = 2}. */
#include "dialect.h"

#include <string.h>

#include "banned.h"

static void
entry_set(struct arena *arena, ProtobufCMessage *entry, const ProtobufCFieldDescriptor *field,
	  const char *text)
{
	char *copy = arena_strdup(arena, text);

	memcpy((char *)entry + field->offset, &copy, sizeof copy);
}

void *
dialect_map(struct arena *arena, const struct ask *ask, const ProtobufCMessageDescriptor *entry)
{
	ProtobufCMessage **map = arena_alloc(arena, (ask->nparams + 1) * sizeof *map);

	for (size_t i = 0; map != NULL && i < ask->nparams; i++) {
		map[i] = arena_alloc(arena, entry->sizeof_message);
		if (map[i] == NULL)
			return NULL;
		protobuf_c_message_init(entry, map[i]);
		entry_set(arena, map[i], &entry->fields[0], ask->params[i].key);
		entry_set(arena, map[i], &entry->fields[1], ask->params[i].value);
	}
	return map;
}
