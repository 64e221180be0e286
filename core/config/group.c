/* SPDX-License-Identifier: Apache-2.0
 * group.c - a group's members into a struct; what a member may be stands in its key. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/parse.h"
#include "config/load.h"

#include "banned.h"

const char *
group_found(const config_setting_t *setting)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_STRING:
		return "a string";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a number";
	case CONFIG_TYPE_FLOAT:
		return "a fraction";
	case CONFIG_TYPE_BOOL:
		return "true or false";
	case CONFIG_TYPE_GROUP:
		return "a group { }";
	case CONFIG_TYPE_ARRAY:
		return "an array [ ]";
	default:
		return "a list ( )";
	}
}

int
group_line(const config_setting_t *setting)
{
	/* The root has none of its own. */
	return config_setting_is_root(setting) ? 1 : (int)config_setting_source_line(setting);
}

void
group_error(const struct reader *reader, const config_setting_t *setting, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(reader->diag, reader->file, setting != NULL ? group_line(setting) : 0, fmt, ap);
	va_end(ap);
}

static void
wrong_type(const struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	   const char *expected)
{
	group_error(reader, setting, "'%s': expected %s, found %s", key->name, expected,
		    group_found(setting));
}

static bool
is_number(const config_setting_t *setting)
{
	int type = config_setting_type(setting);

	return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

static int64_t
number_of(const config_setting_t *setting)
{
	return config_setting_type(setting) == CONFIG_TYPE_INT ? config_setting_get_int(setting)
							       : config_setting_get_int64(setting);
}

/* Checks that setting is a list of most elements at most; the length or -1. */
static int
list_len(const struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	 const char *expected, int most)
{
	int type = config_setting_type(setting), len = config_setting_length(setting);

	if (type != CONFIG_TYPE_LIST && type != CONFIG_TYPE_ARRAY)
		wrong_type(reader, key, setting, expected);
	else if (len > most)
		group_error(reader, setting, "'%s': expected %d elements at most, found %d",
			    key->name, most, len);
	else
		return len;
	return -1;
}

static const char *
read_secret(const struct reader *reader, const struct cosi_key *key,
	    const config_setting_t *setting)
{
	struct source_location location = { reader->file, key->name, group_line(setting) };
	const char *text = config_setting_get_string(setting);

	if (text != NULL)
		return source_read(reader->source, text, &location, reader->diag);
	wrong_type(reader, key, setting, "a string");
	return NULL;
}

static void
read_strings(const struct reader *reader, const struct cosi_key *key,
	     const config_setting_t *setting, void *out)
{
	const struct cosi_key string = { .name = key->name, .type = COSI_T_STRING };
	bool secret = key->type == COSI_T_SECRET_LIST;
	int len = list_len(reader, key, setting, "a list of strings",
			   secret ? VALUE_SECRETS_MAX : VALUE_STRINGS_MAX);
	const char **texts =
		len < 0 ? NULL : arena_alloc(reader->arena, ((size_t)len + 1) * sizeof *texts);

	if (texts == NULL)
		return;
	for (int i = 0; i < len; i++) {
		const config_setting_t *element = config_setting_get_elem(setting, (unsigned)i);
		const char *text = config_setting_get_string(element), *reason = NULL;

		if (secret)
			texts[i] = read_secret(reader, key, element);
		else if (text == NULL)
			wrong_type(reader, key, element, "strings");
		else
			reason = value_parse(reader->arena, &string, text, &texts[i]);
		if (reason != NULL)
			group_error(reader, element, "'%s': %s", key->name, reason);
	}
	value_store(key, out, &texts, sizeof texts);
}

static void
read_ids(const struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	 void *out)
{
	int len = list_len(reader, key, setting, "a list of numbers", VALUE_IDS_MAX);
	uint32_t *list = len < 0 ? NULL : arena_alloc(reader->arena, (size_t)len * sizeof *list);
	struct value_ids ids = { 0 };

	if (list == NULL)
		return;
	for (int i = 0; i < len; i++) {
		const config_setting_t *element = config_setting_get_elem(setting, (unsigned)i);
		int64_t id = is_number(element) ? number_of(element) : -1;

		if (id < 0 || id >= UINT32_MAX)
			group_error(reader, element, "'%s': expected numbers of 0 to 4294967294",
				    key->name);
		list[i] = (uint32_t)id;
	}
	ids = (struct value_ids){ (size_t)len, list };
	value_store(key, out, &ids, sizeof ids);
}

static void
read_scalar(const struct reader *reader, const struct cosi_key *key,
	    const config_setting_t *setting, void *out)
{
	bool is_int = key->type == COSI_T_INT, is_size = key->type == COSI_T_SIZE;
	const char *text = config_setting_get_string(setting), *reason = NULL;

	if (key->type == COSI_T_BOOL && config_setting_type(setting) == CONFIG_TYPE_BOOL) {
		bool yes = config_setting_get_bool(setting) == CONFIG_TRUE;

		value_store(key, out, &yes, sizeof yes);
	} else if ((is_int || is_size) && is_number(setting)) {
		reason = value_store_number(reader->arena, key, number_of(setting), out);
	} else if (text != NULL && key->type != COSI_T_BOOL && !is_int) {
		reason = value_parse(reader->arena, key, text, out);
	} else {
		wrong_type(reader, key, setting,
			   key->type == COSI_T_BOOL   ? "true or false"
			   : is_int                   ? "a number"
			   : is_size                  ? "a string such as \"10Gi\" or a number"
			   : key->type == COSI_T_MSEC ? "a string such as \"10s\""
						      : "a string");
	}
	if (reason != NULL)
		group_error(reader, setting, "'%s': %s", key->name, reason);
}

static void
read_member(const struct reader *reader, const struct cosi_key *key,
	    const config_setting_t *setting, void *out)
{
	int type = config_setting_type(setting);
	const char *secret;

	switch (key->type) {
	case COSI_T_SECRET:
		secret = read_secret(reader, key, setting);
		value_store(key, out, &secret, sizeof secret);
		break;
	case COSI_T_SECRET_LIST:
	case VALUE_STRINGS:
		read_strings(reader, key, setting, out);
		break;
	case VALUE_IDS:
		read_ids(reader, key, setting, out);
		break;
	case VALUE_GROUP:
		if (type == CONFIG_TYPE_GROUP)
			value_store(key, out, &setting, sizeof setting);
		else
			wrong_type(reader, key, setting, "a group { }");
		break;
	case VALUE_LIST:
		/* "[ ]" is an empty array, and as good as an empty list. */
		if (type == CONFIG_TYPE_LIST ||
		    (type == CONFIG_TYPE_ARRAY && config_setting_length(setting) == 0))
			value_store(key, out, &setting, sizeof setting);
		else
			wrong_type(reader, key, setting, "a list ( )");
		break;
	default:
		read_scalar(reader, key, setting, out);
	}
}

/* ---- keys that are misspelt ---- */

static const char *
nearest_key(const struct cosi_schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->nkeys; i++)
		if (chars_is_near(schema->keys[i].name, name))
			return schema->keys[i].name;
	return NULL;
}

/* Does schema have the key?  NULL has none. */
static bool
has_key(const struct cosi_schema *schema, const char *name)
{
	return schema == &keys_any || (schema != NULL && value_key(schema, name) != NULL);
}

/* Requires the key, or sets its default. */
static void
absent_key(const struct reader *reader, const config_setting_t *group,
	   const struct cosi_schema *schema, const struct cosi_key *key,
	   const struct cosi_schema *others, void *out)
{
	static const char *const none[] = { NULL };
	const char *const *empty = none;
	const config_setting_t *member;

	if ((key->flags & COSI_REQUIRED) == 0) {
		if (key->fallback != NULL)
			(void)value_parse(reader->arena, key, key->fallback, out);
		else if (key->type == COSI_T_SECRET_LIST)
			value_store(key, out, &empty, sizeof empty);
		return;
	}
	for (unsigned i = 0; (member = config_setting_get_elem(group, i)) != NULL; i++) {
		const char *name = config_setting_name(member);

		if (value_key(schema, name) != NULL || !chars_is_near(name, key->name))
			continue;
		if (has_key(others, name)) /* else it was reported as unknown */
			group_error(reader, member, "'%s' is required: is it what '%s' means?",
				    key->name, name);
		return;
	}
	group_error(reader, group, "'%s' is required", key->name);
}

void
group_read(struct reader *reader, const config_setting_t *group, const struct cosi_schema *schema,
	   const struct cosi_schema *others, void *out)
{
	const config_setting_t *setting;

	for (unsigned i = 0; (setting = config_setting_get_elem(group, i)) != NULL; i++) {
		const char *name = config_setting_name(setting), *nearest;
		const struct cosi_key *key = value_key(schema, name);

		if (key != NULL) {
			read_member(reader, key, setting, out);
			continue;
		}
		if (has_key(others, name))
			continue;
		nearest = nearest_key(schema, name);
		if (nearest == NULL && reader->source != NULL)
			nearest = nearest_key(&keys_backend, name);
		if (nearest != NULL)
			group_error(reader, setting, "unknown key '%s': did you mean '%s'?", name,
				    nearest);
		else
			group_error(reader, setting, "unknown key '%s'", name);
	}
	for (size_t i = 0; i < schema->nkeys; i++)
		if (config_setting_get_member(group, schema->keys[i].name) == NULL)
			absent_key(reader, group, schema, &schema->keys[i], others, out);
}
