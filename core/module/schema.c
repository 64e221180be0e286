/* SPDX-License-Identifier: Apache-2.0
 * schema.c - the bucket parameters of all stores; checks of a module's texts and keys, one at a
 * time; a module's schema as lines of words. */
#include "module/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "config/value.h"

#include "banned.h"

enum { KEY_NAME_MAX = 64 };

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

bool
text_is_clean(const char *text, size_t least, size_t most)
{
	/* No further than the limit: a module may forget the NUL. */
	size_t len = text == NULL ? 0 : strnlen(text, most + 1);

	return text != NULL && len >= least && len <= most && chars_clean_len(text, len) == len;
}

bool
text_is_url(const char *text, size_t most)
{
	size_t skip;

	if (!text_is_clean(text, 1, most))
		return false;
	skip = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
	return skip > 0 && text[skip] != '\0' && strpbrk(text, " \"<>") == NULL;
}

void
text_clean(char *text)
{
	size_t len = strlen(text);

	for (size_t i = chars_clean_len(text, len); i < len;
	     i += chars_clean_len(text + i, len - i))
		text[i++] = '?';
}

static int
check_key(const struct cosi_schema *schema, const struct cosi_key *key, struct status *status)
{
	const struct value_type *type = key->type <= COSI_T_PATH ? value_type(key->type) : NULL;
	size_t len = key->name == NULL ? 0 : strnlen(key->name, KEY_NAME_MAX + 1);
	bool has_choices = key->choices != NULL;
	struct cosi_key alone = *key;
	_Alignas(max_align_t) char member[16];
	struct arena arena;
	const char *why;

	if (len == 0 || len > KEY_NAME_MAX || strspn(key->name, CHARS_ALNUM "_") != len ||
	    strchr(CHARS_DIGIT "_", key->name[0]) != NULL)
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
	if (key->fallback != NULL) {
		alone.offset = 0;
		arena_init(&arena, 64 << 10);
		why = value_parse(&arena, &alone, key->fallback, member);
		if (why != NULL)
			status_fail(status, COSI_INVALID,
				    "key '%s' cannot take its default '%.64s': %s", key->name,
				    key->fallback, why);
		arena_done(&arena);
		if (why != NULL)
			return -1;
	}
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

static void
print_words(const char *label, uint32_t bits, const char *const *words, size_t n)
{
	(void)printf("%s", label);
	for (size_t i = 0; i < n; i++)
		if ((bits & 1u << i) != 0)
			(void)printf(" %s", words[i]);
	(void)printf("%s\n", bits == 0 ? " -" : "");
}

/* bits: which of the keys; all ones: all of them. */
static void
print_keys(const char *label, const struct cosi_schema *schema, uint64_t bits)
{
	for (size_t i = 0; i < schema->nkeys; i++) {
		const struct cosi_key *key = &schema->keys[i];
		const char *fallback = key->fallback != NULL ? key->fallback : "-";
		char type[SCHEMA_TEXT_MAX + 8];

		if (bits != UINT64_MAX && (bits & UINT64_C(1) << i) == 0)
			continue;
		if ((key->flags & COSI_REQUIRED) != 0)
			fallback = "required";
		value_describe_type(key, type, sizeof type);
		(void)printf("%s %s %s %s %s\n", label, key->name, type, fallback, key->help);
	}
}

void
schema_print(const struct cosi_module *module)
{
	static const char *const protocols[] = { "s3", "azure", "gcs" };
	static const char *const auth[] = { "key", "service-account" };
	static const char *const flags[] = { "grant-writes-bucket", "network" };

	(void)printf("name %s\nversion %s\nsummary %s\napi %u.%u\n", module->name, module->version,
		     module->summary, module->major, module->minor);
	print_words("protocols", module->protocols, protocols, 3);
	print_words("auth", module->auth, auth, 2);
	print_words("flags", module->flags, flags, 2);
	(void)printf("endpoint %s\n", module->endpoint != NULL ? module->endpoint : "-");
	print_keys("config", &module->config, UINT64_MAX);
	print_keys("common", &schema_bucket, module->common_params);
	print_keys("bucket", &module->bucket_params, UINT64_MAX);
	print_keys("access", &module->access_params, UINT64_MAX);
}
