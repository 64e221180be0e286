/* SPDX-License-Identifier: Apache-2.0
 * api.c - what both API versions need: protocols, maps, members. */
#include "api.h"

#include <string.h>

#include "banned.h"

static const struct {
	uint32_t protocol;
	const char *name;
} protocols[] = { { COSI_S3, "s3" }, { COSI_AZURE, "azure" }, { COSI_GCS, "gcs" } };
enum { NPROTOCOLS = sizeof protocols / sizeof protocols[0] };

const char *
api_protocol_name(uint32_t protocol)
{
	for (size_t i = 0; i < NPROTOCOLS; i++)
		if (protocols[i].protocol == protocol)
			return protocols[i].name;
	return NULL;
}

uint32_t
api_protocol_parse(const char *name)
{
	for (size_t i = 0; i < NPROTOCOLS; i++)
		if (strcmp(protocols[i].name, name) == 0)
			return protocols[i].protocol;
	return 0;
}

/* Every map of both versions has entries {key = 1, value = 2}. */
void *
api_map(struct arena *arena, const struct request *request, const ProtobufCMessageDescriptor *entry)
{
	ProtobufCMessage **map = arena_alloc(arena, (request->nparams + 1) * sizeof *map);

	for (size_t i = 0; map != NULL && i < request->nparams; i++) {
		char *key = arena_strdup(arena, request->params[i].key);
		char *value = arena_strdup(arena, request->params[i].value);

		map[i] = arena_alloc(arena, entry->sizeof_message);
		if (map[i] == NULL)
			return NULL;
		protobuf_c_message_init(entry, map[i]);
		memcpy((char *)map[i] + entry->fields[0].offset, &key, sizeof key);
		memcpy((char *)map[i] + entry->fields[1].offset, &value, sizeof value);
	}
	return map;
}

void
api_set(json_t *object, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0')
		(void)json_object_set_new(object, key, json_string(value));
}
