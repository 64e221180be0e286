/* SPDX-License-Identifier: Apache-2.0
 * schema.c - the bucket parameters of all stores; checks of a module's keys, one at a time. */
#include "module/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/value.h"
#include "module/text.h"

#include "banned.h"

/* A row of the table, at the position of its bit. */
#define BUCKET(bit, m, name, type, fallback, choices, help)                                        \
	[__builtin_ctz(bit)] = { (name),     (type),                                               \
				 0,          offsetof(struct cosi_bucket_params, m),               \
				 (fallback), (choices),                                            \
				 (help) }
static const struct cosi_key bucket_keys[] = {
	BUCKET(COSI_P_REGION, region, "region", COSI_T_STRING, NULL, NULL,
	       "location of the bucket in the store"),
	BUCKET(COSI_P_VERSIONING, versioning, "versioning", COSI_T_BOOL, "false", NULL,
	       "keep old versions of objects"),
	BUCKET(COSI_P_OBJECT_LOCK, object_lock, "objectLock", COSI_T_BOOL, "false", NULL,
	       "objects can be locked against deletion"),
	BUCKET(COSI_P_QUOTA_SIZE, quota_size, "quotaMaxSize", COSI_T_SIZE, NULL, "1..",
	       "maximum size of the bucket in bytes"),
	BUCKET(COSI_P_QUOTA_OBJECTS, quota_objects, "quotaMaxObjects", COSI_T_INT, NULL, "1..",
	       "maximum number of objects"),
	/* The words in the order of enum cosi_anonymous. */
	BUCKET(COSI_P_ANONYMOUS, anonymous, "anonymousAccess", VALUE_CHOICE, NULL,
	       "private readOnly writeOnly readWrite",
	       "access without a key; absent: the store's default"),
	BUCKET(COSI_P_WHEN_NOT_EMPTY, purge, "whenNotEmpty", VALUE_EITHER, "refuse", "refuse purge",
	       "what happens when a bucket with objects is deleted"),
};
const struct cosi_schema schema_bucket = COSI_SCHEMA(struct cosi_bucket_params, bucket_keys);

uint32_t
schema_bucket_bit(const char *name)
{
	const struct cosi_key *key = value_key(&schema_bucket, name);

	return key != NULL ? 1u << (key - bucket_keys) : 0;
}

static bool
is_key_name(const char *name)
{
	size_t len = name == NULL ? 0 : strnlen(name, 65);

	return len > 0 && len <= 64 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
		       len &&
	       strchr("0123456789_", name[0]) == NULL;
}

/* Why the key cannot take its own default, or NULL. */
static const char *
try_default(const struct cosi_key *key, char reason[static SCHEMA_TEXT_MAX])
{
	struct cosi_key alone = *key;
	_Alignas(max_align_t) char member[16];
	struct arena arena;
	const char *why;

	alone.offset = 0;
	arena_init(&arena, 64 << 10);
	why = value_parse(&arena, &alone, key->fallback, member);
	if (why != NULL)
		(void)snprintf(reason, SCHEMA_TEXT_MAX, "%s", why);
	arena_done(&arena);
	return why != NULL ? reason : NULL;
}

static int
check_key(const struct cosi_schema *schema, const struct cosi_key *key, struct status *status)
{
	const struct value_type *type = key->type <= COSI_T_PATH ? value_type(key->type) : NULL;
	bool has_choices = key->choices != NULL;
	char reason[SCHEMA_TEXT_MAX];

	if (!is_key_name(key->name))
		return status_fail(status, COSI_INVALID, "a key has a malformed name");
	if (type == NULL)
		return status_fail(status, COSI_INVALID, "key '%s' has the unknown type %u",
				   key->name, key->type);
	if (!text_is_clean(key->help, 1, SCHEMA_TEXT_MAX))
		return status_fail(status, COSI_INVALID, "key '%s' has no help", key->name);
	if ((key->type == COSI_T_ENUM) != has_choices ||
	    (has_choices && !text_is_clean(key->choices, 1, SCHEMA_TEXT_MAX)))
		return status_fail(status, COSI_INVALID, "key '%s' has bad choices", key->name);
	if (key->fallback != NULL && !text_is_clean(key->fallback, 1, SCHEMA_TEXT_MAX))
		return status_fail(status, COSI_INVALID, "key '%s' has a malformed default",
				   key->name);
	if (key->fallback != NULL && try_default(key, reason) != NULL)
		return status_fail(status, COSI_INVALID,
				   "key '%s' cannot take its default '%.64s': %s", key->name,
				   key->fallback, reason);
	if (key->offset > schema->size || type->size > schema->size - key->offset)
		return status_fail(status, COSI_INVALID, "key '%s' lies outside of its struct",
				   key->name);
	if (key->offset % type->align != 0)
		return status_fail(status, COSI_INVALID, "key '%s' is not aligned", key->name);
	return 0;
}

int
schema_check_config(const struct cosi_schema *schema, struct status *status)
{
	if (schema->size > SCHEMA_SIZE_MAX || schema->nkeys > SCHEMA_KEYS_MAX ||
	    (schema->nkeys > 0 && schema->keys == NULL))
		return status_fail(status, COSI_INVALID, "the module has a malformed schema");
	for (size_t i = 0; i < schema->nkeys; i++) {
		if (check_key(schema, &schema->keys[i], status) < 0)
			return -1;
		if (value_key(schema, schema->keys[i].name) != &schema->keys[i])
			return status_fail(status, COSI_INVALID, "key '%s' is there twice",
					   schema->keys[i].name);
	}
	return 0;
}

int
schema_check_params(const struct cosi_schema *schema, struct status *status)
{
	if (schema_check_config(schema, status) < 0)
		return -1;
	for (size_t i = 0; i < schema->nkeys; i++) {
		const struct cosi_key *key = &schema->keys[i];

		if (schema_bucket_bit(key->name) != 0 || strcmp(key->name, "backend") == 0 ||
		    strcmp(key->name, "accessMode") == 0)
			return status_fail(status, COSI_INVALID,
					   "parameter '%s' belongs to the daemon", key->name);
		/* A request must not make the daemon read a file. */
		if (key->type == COSI_T_SECRET || key->type == COSI_T_SECRET_LIST)
			return status_fail(status, COSI_INVALID, "parameter '%s' is a secret",
					   key->name);
	}
	return 0;
}
