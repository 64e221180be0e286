/* SPDX-License-Identifier: Apache-2.0
 * value.c - texts into members, and back into their canonical spelling; request parameters. */
#include "config/value.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "config/config.h"

#include "banned.h"

#define MEMBER(ctype) sizeof(ctype), alignof(ctype)
static const struct value_type value_types[] = {
	{ COSI_T_STRING, "string", MEMBER(char *) },
	{ COSI_T_SECRET, "secret", MEMBER(char *) },
	{ COSI_T_SECRET_LIST, "secret-list", MEMBER(char **) },
	{ COSI_T_BOOL, "bool", MEMBER(bool) },
	{ COSI_T_INT, "int", MEMBER(int64_t) },
	{ COSI_T_SIZE, "size", MEMBER(int64_t) },
	{ COSI_T_MSEC, "duration", MEMBER(int64_t) },
	{ COSI_T_URL, "url", MEMBER(char *) },
	{ COSI_T_ENUM, "enum", MEMBER(char *) },
	{ COSI_T_PATH, "path", MEMBER(char *) },
	{ VALUE_STRINGS, "string-list", MEMBER(char **) },
	{ VALUE_IDS, "int-list", MEMBER(struct value_ids) },
	{ VALUE_GROUP, "group", MEMBER(void *) },
	{ VALUE_LIST, "list", MEMBER(void *) },
	{ VALUE_CHOICE, "enum", MEMBER(uint32_t) },
	{ VALUE_EITHER, "enum", MEMBER(bool) },
};

const struct value_type *
value_type(uint32_t type)
{
	for (size_t i = 0; i < sizeof value_types / sizeof value_types[0]; i++)
		if (value_types[i].type == type)
			return &value_types[i];
	return NULL;
}

static bool
value_has_words(uint32_t type)
{
	return type == COSI_T_ENUM || type == VALUE_CHOICE || type == VALUE_EITHER;
}

void
value_describe_type(const struct cosi_key *key, char *out, size_t size)
{
	const char *name = value_type(key->type)->name;

	if (!value_has_words(key->type)) {
		(void)snprintf(out, size, "%s", name);
		return;
	}
	(void)snprintf(out, size, "%s(%s)", name, key->choices);
	for (char *p = out; *p != '\0'; p++)
		if (*p == ' ')
			*p = '|';
}

const struct cosi_key *
value_key(const struct cosi_schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->nkeys; i++)
		if (strcmp(schema->keys[i].name, name) == 0)
			return &schema->keys[i];
	return NULL;
}

void
value_store(const struct cosi_key *key, void *out, const void *member, size_t size)
{
	memcpy((char *)out + key->offset, member, size);
}

static int
parse_number(uint32_t type, const char *text, int64_t *out)
{
	if (type == COSI_T_SIZE)
		return parse_size(text, out);
	return type == COSI_T_MSEC ? parse_duration(text, out) : parse_int(text, out);
}

const char *
value_store_number(struct arena *arena, const struct cosi_key *key, int64_t number, void *out)
{
	const char *dots = key->choices != NULL ? strstr(key->choices, "..") : NULL;
	int64_t least = 0, most = INT64_MAX;
	const char *word;

	if (number < 0)
		return "expected a number of at least 0";
	if (dots != NULL) {
		word = arena_strndup(arena, key->choices, (size_t)(dots - key->choices));
		(void)parse_number(key->type, word, &least);
		(void)parse_number(key->type, dots + 2, &most);
		if (number < least && most == INT64_MAX)
			return arena_printf(arena, "expected at least %s", word);
		if (number < least || number > most)
			return arena_printf(arena, "expected a value within %s", key->choices);
	}
	value_store(key, out, &number, sizeof number);
	return NULL;
}

/* The position of the word in choices, -1: it is not among them. */
static int
position_of(const char *choices, const char *word)
{
	size_t len = strlen(word);
	int i = 0;

	for (const char *p = choices; *p != '\0'; p += strspn(p, " "), i++) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, n) == 0)
			return i;
		p += n;
	}
	return -1;
}

/* The word at a position. */
static const char *
word_at(struct arena *arena, const char *choices, uint32_t position)
{
	for (; position > 0; position--)
		choices += strcspn(choices, " ") + 1;
	return arena_strndup(arena, choices, strcspn(choices, " "));
}

static const char *
parse_text(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	const char *reason = syntax_text(text), *value = NULL;
	uint32_t choice;
	int position;
	bool second;

	if (reason == NULL && value_has_words(key->type)) {
		position = position_of(key->choices, text);
		if (position < 0)
			return arena_printf(arena, "expected one of: %s", key->choices);
		choice = (uint32_t)position;
		second = position == 1;
		if (key->type == VALUE_CHOICE)
			value_store(key, out, &choice, sizeof choice);
		if (key->type == VALUE_EITHER)
			value_store(key, out, &second, sizeof second);
		if (key->type != COSI_T_ENUM)
			return NULL;
	}
	if (reason == NULL && key->type == COSI_T_URL)
		reason = syntax_url(arena, text, &value);
	else if (reason == NULL && key->type == COSI_T_PATH)
		reason = syntax_path(text);
	if (reason != NULL)
		return reason;
	if (value == NULL)
		value = arena_strdup(arena, text);
	value_store(key, out, &value, sizeof value);
	return NULL;
}

const char *
value_parse(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	const char **strings;
	int64_t number;
	bool yes;

	switch (key->type) {
	case COSI_T_STRING:
	case COSI_T_URL:
	case COSI_T_PATH:
	case COSI_T_ENUM:
	case VALUE_CHOICE:
	case VALUE_EITHER:
		return parse_text(arena, key, text, out);
	case COSI_T_BOOL:
		if (parse_bool(text, &yes) < 0)
			return "expected true or false";
		value_store(key, out, &yes, sizeof yes);
		return NULL;
	case COSI_T_INT:
	case COSI_T_SIZE:
	case COSI_T_MSEC:
		if (parse_number(key->type, text, &number) == 0)
			return value_store_number(arena, key, number, out);
		if (key->type == COSI_T_SIZE)
			return "expected a size in bytes such as 1024, 5M or 10Gi";
		if (key->type == COSI_T_MSEC)
			return "expected a duration such as 250ms, 10s, 5m or 24h";
		return "expected a whole number of at least 0";
	case VALUE_STRINGS:
		strings = arena_alloc(arena, 2 * sizeof *strings);
		if (strings == NULL)
			return "out of memory";
		strings[0] = arena_strdup(arena, text);
		value_store(key, out, &strings, sizeof strings);
		return NULL;
	default:
		return "cannot be given as a text";
	}
}

const char *
value_canonical(struct arena *arena, const struct cosi_key *key, const void *out)
{
	const char *member = (const char *)out + key->offset;
	const char *text;
	uint32_t choice;
	int64_t number;
	bool yes;

	switch (key->type) {
	case COSI_T_BOOL:
	case VALUE_EITHER:
		memcpy(&yes, member, sizeof yes);
		if (key->type == VALUE_EITHER)
			return word_at(arena, key->choices, yes);
		return yes ? "true" : "false";
	case COSI_T_INT:
	case COSI_T_SIZE:
	case COSI_T_MSEC:
		memcpy(&number, member, sizeof number);
		return arena_printf(arena, "%" PRId64, number);
	case VALUE_CHOICE:
		memcpy(&choice, member, sizeof choice);
		return word_at(arena, key->choices, choice);
	default:
		memcpy(&text, member, sizeof text);
		return text;
	}
}

/* ---- request parameters ---- */

int
config_params(const struct cosi_schema *schema, const struct cosi_kv *params, size_t nparams,
	      bool demand, void *out, struct arena *arena, const char **canonical,
	      const char **out_error)
{
	const char *reason;

	for (size_t i = 0; i < nparams; i++) {
		const struct cosi_key *key = value_key(schema, params[i].key);

		if (key == NULL) {
			*out_error = arena_printf(arena, "unknown parameter '%s'", params[i].key);
			return -1;
		}
		reason = value_parse(arena, key, params[i].value, out);
		if (reason != NULL) {
			*out_error = arena_printf(arena, "parameter '%s': %s", key->name, reason);
			return -1;
		}
		if (canonical != NULL)
			canonical[i] = value_canonical(arena, key, out);
	}
	for (size_t i = 0; i < schema->nkeys; i++) {
		const struct cosi_key *key = &schema->keys[i];
		size_t at = 0;

		while (at < nparams && strcmp(params[at].key, key->name) != 0)
			at++;
		if (at < nparams)
			continue;
		if (demand && (key->flags & COSI_REQUIRED) != 0) {
			*out_error = arena_printf(arena, "parameter '%s' is required", key->name);
			return -1;
		}
		/* A module's defaults were tried when it was loaded (core/module/schema.c). */
		if (key->fallback != NULL)
			(void)value_parse(arena, key, key->fallback, out);
	}
	if (!arena_failed(arena))
		return 0;
	*out_error = "out of memory";
	return -1;
}
