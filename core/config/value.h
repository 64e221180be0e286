/* SPDX-License-Identifier: Apache-2.0
 * value.h - one value, from its text into the member that a key describes.
 *
 * The schema language of cosi_module.h, which the daemon's own keys use too, with a few kinds more.
 */
#ifndef COSID_CONFIG_VALUE_H
#define COSID_CONFIG_VALUE_H
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "cosi_module.h"

/* Kinds of the daemon's own keys, besides enum cosi_type. */
enum value_kind {
	VALUE_STRINGS = 101, /* const char *const *, ends with NULL */
	VALUE_IDS = 102,     /* struct value_ids */
	VALUE_GROUP = 103,   /* const config_setting_t *, left to whoever owns the key */
	VALUE_LIST = 104,    /* likewise */
};
enum { VALUE_STRINGS_MAX = 256, VALUE_IDS_MAX = 256, VALUE_SECRETS_MAX = 16 };
struct value_ids {
	size_t n;
	const uint32_t *ids;
};

/* Reads text as the key's type and stores it in out, the struct that the key's offset counts from.
 * Returns NULL, or the reason as it follows "'key': "; strings come from the arena.  choices of
 * a number mean its limits: "1..1024", "10ms..1h". */
const char *value_parse(struct arena *arena, const struct cosi_key *key, const char *text,
			void *out);
/* The same for a number that was read already. */
const char *value_store_number(struct arena *arena, const struct cosi_key *key, int64_t number,
			       void *out);
/* What is stored in out, spelled in the one way that all spellings of it share. */
const char *value_canonical(struct arena *arena, const struct cosi_key *key, const void *out);
/* "string", "duration"; never NULL. */
const char *value_type_name(uint32_t type);

/* Stores a member; size is that of the member's type. */
void value_store(const struct cosi_key *key, void *out, const void *member, size_t size);

#endif
