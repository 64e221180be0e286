/* SPDX-License-Identifier: Apache-2.0
 * schema.c - the checks of a module's keys, one key at a time. */
#include "module/schema.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"
#include "module/text.h"

#include "banned.h"

static const struct type {
	const char *name;
	size_t size, align; /* of the member */
} types[] = {
	[COSI_T_STRING] = { "string", sizeof(char *), alignof(char *) },
	[COSI_T_SECRET] = { "secret", sizeof(char *), alignof(char *) },
	[COSI_T_SECRET_LIST] = { "secret-list", sizeof(char **), alignof(char **) },
	[COSI_T_BOOL] = { "bool", sizeof(bool), alignof(bool) },
	[COSI_T_INT] = { "int", sizeof(int64_t), alignof(int64_t) },
	[COSI_T_SIZE] = { "size", sizeof(int64_t), alignof(int64_t) },
	[COSI_T_MSEC] = { "duration", sizeof(int64_t), alignof(int64_t) },
	[COSI_T_URL] = { "url", sizeof(char *), alignof(char *) },
	[COSI_T_ENUM] = { "enum", sizeof(char *), alignof(char *) },
	[COSI_T_PATH] = { "path", sizeof(char *), alignof(char *) },
};

const char *
schema_type_name(uint32_t type)
{
	return type < sizeof types / sizeof types[0] ? types[type].name : NULL;
}

const struct schema_common *
schema_common(size_t *out_n)
{
	static const struct schema_common common[] = {
		{ COSI_P_REGION, "region", "string", NULL, "where the bucket lies" },
		{ COSI_P_VERSIONING, "versioning", "bool", "false",
		  "keep old versions of objects" },
		{ COSI_P_OBJECT_LOCK, "objectLock", "bool", "false",
		  "objects can be locked against deletion" },
		{ COSI_P_QUOTA_SIZE, "quotaMaxSize", "size", NULL, "most bytes in the bucket" },
		{ COSI_P_QUOTA_OBJECTS, "quotaMaxObjects", "int", NULL,
		  "most objects in the bucket" },
		{ COSI_P_ANONYMOUS, "anonymousAccess", "enum(private|readOnly|writeOnly|readWrite)",
		  NULL, "what requests without a key may do; absent: nothing is opened" },
		{ COSI_P_WHEN_NOT_EMPTY, "whenNotEmpty", "enum(refuse|purge)", "refuse",
		  "what deleting a bucket with objects does" },
	};

	*out_n = sizeof common / sizeof common[0];
	return common;
}

static bool
is_daemons_word(const char *name)
{
	size_t n;
	const struct schema_common *common = schema_common(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(common[i].name, name) == 0)
			return true;
	return strcmp(name, "backend") == 0 || strcmp(name, "accessMode") == 0;
}

static bool
is_text(const char *text)
{
	return text_is_clean(text, 1, SCHEMA_TEXT_MAX);
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

static bool
is_choice(const char *choices, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = choices; *at != '\0'; at += *at == ' ') {
		size_t n = strcspn(at, " ");

		if (n == len && memcmp(at, word, len) == 0)
			return true;
		at += n;
	}
	return false;
}

static bool
fallback_parses(const struct cosi_key *key)
{
	int64_t number;
	bool yes;

	switch (key->type) {
	case COSI_T_BOOL:
		return parse_bool(key->fallback, &yes) == 0;
	case COSI_T_INT:
		return parse_int(key->fallback, &number) == 0;
	case COSI_T_SIZE:
		return parse_size(key->fallback, &number) == 0;
	case COSI_T_MSEC:
		return parse_duration(key->fallback, &number) == 0;
	case COSI_T_URL:
		return text_is_url(key->fallback, SCHEMA_TEXT_MAX);
	case COSI_T_ENUM:
		return is_choice(key->choices, key->fallback);
	case COSI_T_PATH:
		return key->fallback[0] == '/';
	case COSI_T_SECRET:
	case COSI_T_SECRET_LIST:
		return false;
	default:
		return true;
	}
}

static int
check_member(const struct cosi_schema *schema, const struct cosi_key *key, struct status *status)
{
	const struct type *type = &types[key->type];

	if (key->offset > schema->size || type->size > schema->size - key->offset)
		return status_fail(status, COSI_INVALID, "key '%s' lies outside of its struct",
				   key->name);
	if (key->offset % type->align != 0)
		return status_fail(status, COSI_INVALID, "key '%s' is not aligned", key->name);
	return 0;
}

static int
check_key(const struct cosi_schema *schema, const struct cosi_key *key, struct status *status)
{
	if (!is_key_name(key->name))
		return status_fail(status, COSI_INVALID, "a key has a malformed name");
	if (schema_type_name(key->type) == NULL)
		return status_fail(status, COSI_INVALID, "key '%s' has the unknown type %u",
				   key->name, key->type);
	if (!is_text(key->help))
		return status_fail(status, COSI_INVALID, "key '%s' has no help", key->name);
	if ((key->type == COSI_T_ENUM) != (key->choices != NULL) ||
	    (key->choices != NULL && !is_text(key->choices)))
		return status_fail(status, COSI_INVALID, "key '%s' has bad choices", key->name);
	if (key->fallback != NULL && !is_text(key->fallback))
		return status_fail(status, COSI_INVALID, "key '%s' has a malformed default",
				   key->name);
	if (key->fallback != NULL && !fallback_parses(key))
		return status_fail(status, COSI_INVALID,
				   "key '%s' has a default that it cannot take", key->name);
	return check_member(schema, key, status);
}

int
schema_check_config(const struct cosi_schema *schema, struct status *status)
{
	if (schema->size > SCHEMA_SIZE_MAX || schema->nkeys > SCHEMA_KEYS_MAX ||
	    (schema->nkeys > 0 && schema->keys == NULL))
		return status_fail(status, COSI_INVALID, "it has a malformed schema");
	for (size_t i = 0; i < schema->nkeys; i++) {
		if (check_key(schema, &schema->keys[i], status) != 0)
			return -1;
		for (size_t j = 0; j < i; j++)
			if (strcmp(schema->keys[i].name, schema->keys[j].name) == 0)
				return status_fail(status, COSI_INVALID, "key '%s' is there twice",
						   schema->keys[i].name);
	}
	return 0;
}

int
schema_check_params(const struct cosi_schema *schema, struct status *status)
{
	if (schema_check_config(schema, status) != 0)
		return -1;
	for (size_t i = 0; i < schema->nkeys; i++) {
		const struct cosi_key *key = &schema->keys[i];

		if (is_daemons_word(key->name))
			return status_fail(status, COSI_INVALID, "parameter '%s' is the daemon's",
					   key->name);
		/* A request must not make the daemon read a file. */
		if (key->type == COSI_T_SECRET || key->type == COSI_T_SECRET_LIST)
			return status_fail(status, COSI_INVALID, "parameter '%s' is a secret",
					   key->name);
	}
	return 0;
}
