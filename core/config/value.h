/* SPDX-License-Identifier: Apache-2.0
 * value.h - one value, from its text into the member that a key describes.
 *
 * The schema language of cosi_module.h.  The daemon's own keys and parameters use it, too, with a
 * few more types.
 */
#ifndef COSID_CONFIG_VALUE_H
#define COSID_CONFIG_VALUE_H
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "cosi_module.h"

/* Types of the daemon only, in addition to enum cosi_type. */
enum value_kind {
	VALUE_STRINGS = 101, /* const char *const *, ends with NULL */
	VALUE_IDS = 102,     /* struct value_ids */
	VALUE_GROUP = 103,   /* const config_setting_t *, read later */
	VALUE_LIST = 104,    /* likewise */
	VALUE_CHOICE = 105,  /* uint32_t: the position of the word in choices, from 0 */
	VALUE_EITHER = 106,  /* bool: the second of the two words in choices */
};
enum { VALUE_STRINGS_MAX = 256, VALUE_IDS_MAX = 256, VALUE_SECRETS_MAX = 16 };
struct value_ids {
	size_t n;
	const uint32_t *ids;
};

/* What members of a type look like; NULL: there is no such type. */
struct value_type {
	uint32_t type;
	const char *name; /* "duration" */
	size_t size, align;
};
const struct value_type *value_type(uint32_t type);
/* "duration", "enum(text|json)": the key's type for people; cut at size. */
void value_describe_type(const struct cosi_key *key, char *out, size_t size);

/* The schema's key of that name, or NULL. */
const struct cosi_key *value_key(const struct cosi_schema *schema, const char *name);

/* Reads text as the key's type and stores it in out, the struct that the key's offset counts from.
 * Returns NULL, or the reason as it follows "'key': "; strings come from the arena.  The choices of
 * a number are its limits: "1..1024", "10ms..1h", "1..". */
const char *value_parse(struct arena *arena, const struct cosi_key *key, const char *text,
			void *out);
/* The same for a number that was read already. */
const char *value_store_number(struct arena *arena, const struct cosi_key *key, int64_t number,
			       void *out);
/* What is stored in out, spelled in the one way that all spellings of it share. */
const char *value_canonical(struct arena *arena, const struct cosi_key *key, const void *out);

/* Stores a member; size is that of the member's type. */
void value_store(const struct cosi_key *key, void *out, const void *member, size_t size);

/* ---- syntax.c: names and addresses ----
 *
 * All return NULL, or the reason as it follows "'key': ".  Reasons do not repeat the text: it may
 * be a secret in the wrong place. */

enum {
	SYNTAX_TEXT_MAX = 4096,       /* bytes of any string */
	SYNTAX_DRIVER_NAME_MAX = 63,  /* the sidecars' limit */
	SYNTAX_OWNER_MAX = 63,        /* a label of GCS, the shortest place of the marks */
	SYNTAX_SOCKET_PATH_MAX = 107, /* sun_path without its NUL */
	SYNTAX_URL_MAX = 1024,
	SYNTAX_S3_URL_MAX = 128, /* COSI's limit for a string */
};

/* Not empty, not too long, no control characters, UTF-8. */
const char *syntax_text(const char *text);
/* RFC 1035 labels in lower case. */
const char *syntax_driver_name(const char *text);
const char *syntax_backend_name(const char *text);
const char *syntax_owner(const char *text);
const char *syntax_path(const char *text);
/* unix:///absolute/path.sock; *out_path is within text. */
const char *syntax_endpoint(const char *text, const char **out_path);
/* http:// or https://, host, optional port, optional path; *out_url is without slashes at its end.
 */
const char *syntax_url(struct arena *arena, const char *text, const char **out_url);

#endif
