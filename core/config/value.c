/* SPDX-License-Identifier: Apache-2.0
 * value.c - texts into members, and back into their canonical spelling. */
#include "config/value.h"

#include <inttypes.h>
#include <string.h>

#include "base/parse.h"
#include "config/syntax.h"

#include "banned.h"

void
value_store(const struct cosi_key *key, void *out, const void *member, size_t size)
{
	memcpy((char *)out + key->offset, member, size);
}

const char *
value_type_name(uint32_t type)
{
	switch (type) {
	case COSI_T_STRING:
		return "string";
	case COSI_T_SECRET:
		return "secret";
	case COSI_T_SECRET_LIST:
		return "secret-list";
	case COSI_T_BOOL:
		return "bool";
	case COSI_T_INT:
		return "int";
	case COSI_T_SIZE:
		return "size";
	case COSI_T_MSEC:
		return "duration";
	case COSI_T_URL:
		return "url";
	case COSI_T_ENUM:
		return "enum";
	case COSI_T_PATH:
		return "path";
	case VALUE_STRINGS:
		return "string-list";
	case VALUE_IDS:
		return "int-list";
	case VALUE_GROUP:
		return "group";
	case VALUE_LIST:
		return "list";
	default:
		return "unknown";
	}
}

static int
parse_number(uint32_t type, const char *text, int64_t *out)
{
	if (type == COSI_T_SIZE)
		return parse_size(text, out);
	return type == COSI_T_MSEC ? parse_duration(text, out) : parse_int(text, out);
}

/* "LEAST..MOST", both as they would stand in the file. */
static bool
is_within(struct arena *arena, const struct cosi_key *key, int64_t number)
{
	const char *dots = key->choices != NULL ? strstr(key->choices, "..") : NULL;
	int64_t least = 0, most = INT64_MAX;

	if (dots == NULL)
		return true;
	(void)parse_number(key->type,
			   arena_strndup(arena, key->choices, (size_t)(dots - key->choices)),
			   &least);
	(void)parse_number(key->type, dots + 2, &most);
	return number >= least && number <= most;
}

const char *
value_store_number(struct arena *arena, const struct cosi_key *key, int64_t number, void *out)
{
	if (number < 0)
		return "expected a number of at least 0";
	if (!is_within(arena, key, number))
		return arena_printf(arena, "expected a value within %s", key->choices);
	value_store(key, out, &number, sizeof number);
	return NULL;
}

static const char *
parse_and_store_number(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	int64_t number;

	if (parse_number(key->type, text, &number) == 0)
		return value_store_number(arena, key, number, out);
	if (key->type == COSI_T_SIZE)
		return "expected a size in bytes such as 1024, 5M or 10Gi";
	if (key->type == COSI_T_MSEC)
		return "expected a duration such as 250ms, 10s, 5m or 24h";
	return "expected a whole number of at least 0";
}

static bool
is_choice(const char *choices, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = choices; p != NULL && *p != '\0'; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

static const char *
parse_text(struct arena *arena, const struct cosi_key *key, const char *text, const char **out)
{
	const char *reason = syntax_text(text);

	if (reason != NULL)
		return reason;
	if (key->type == COSI_T_URL)
		return syntax_url(arena, text, out);
	if (key->type == COSI_T_ENUM && !is_choice(key->choices, text))
		return arena_printf(arena, "expected one of: %s", key->choices);
	if (key->type == COSI_T_PATH)
		reason = syntax_path(text);
	if (reason == NULL)
		*out = arena_strdup(arena, text);
	return reason;
}

static const char *
parse_and_store_text(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	const char *value = NULL;
	const char *reason = parse_text(arena, key, text, &value);

	if (reason == NULL)
		value_store(key, out, &value, sizeof value);
	return reason;
}

static const char *
parse_and_store_bool(const struct cosi_key *key, const char *text, void *out)
{
	bool yes;

	if (parse_bool(text, &yes) != 0)
		return "expected true or false";
	value_store(key, out, &yes, sizeof yes);
	return NULL;
}

static const char *
store_one_string(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	const char **strings = arena_alloc(arena, 2 * sizeof *strings);

	if (strings == NULL)
		return "no memory";
	strings[0] = arena_strdup(arena, text);
	value_store(key, out, &strings, sizeof strings);
	return NULL;
}

const char *
value_parse(struct arena *arena, const struct cosi_key *key, const char *text, void *out)
{
	switch (key->type) {
	case COSI_T_STRING:
	case COSI_T_URL:
	case COSI_T_ENUM:
	case COSI_T_PATH:
		return parse_and_store_text(arena, key, text, out);
	case COSI_T_BOOL:
		return parse_and_store_bool(key, text, out);
	case COSI_T_INT:
	case COSI_T_SIZE:
	case COSI_T_MSEC:
		return parse_and_store_number(arena, key, text, out);
	case VALUE_STRINGS:
		return store_one_string(arena, key, text, out);
	default:
		return "cannot be given as a text";
	}
}

const char *
value_canonical(struct arena *arena, const struct cosi_key *key, const void *out)
{
	const char *member = (const char *)out + key->offset;
	const char *text;
	int64_t number;
	bool yes;

	switch (key->type) {
	case COSI_T_BOOL:
		memcpy(&yes, member, sizeof yes);
		return yes ? "true" : "false";
	case COSI_T_INT:
	case COSI_T_SIZE:
	case COSI_T_MSEC:
		memcpy(&number, member, sizeof number);
		return arena_printf(arena, "%" PRId64, number);
	default:
		memcpy(&text, member, sizeof text);
		return text;
	}
}
