/* SPDX-License-Identifier: Apache-2.0
 * group.c - walks a group's members; what a member may be stands in its key. */
#include "config/group.h"

#include <stdint.h>
#include <string.h>

#include "config/value.h"

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

static void
wrong_type(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	   const char *expected)
{
	diag_error(reader->diag, reader->file, group_line(setting), "'%s': expected %s, found %s",
		   key->name, expected, group_found(setting));
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

static bool
is_sequence(const config_setting_t *setting)
{
	int type = config_setting_type(setting);

	return type == CONFIG_TYPE_LIST || type == CONFIG_TYPE_ARRAY;
}

/* Checks that setting is a list of most elements at most; the length or -1. */
static int
sequence_len(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	     const char *expected, int most)
{
	int len = config_setting_length(setting);

	if (!is_sequence(setting)) {
		wrong_type(reader, key, setting, expected);
		return -1;
	}
	if (len > most) {
		diag_error(reader->diag, reader->file, group_line(setting),
			   "'%s': expected %d elements at most, found %d", key->name, most, len);
		return -1;
	}
	return len;
}

static const char *
read_secret(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting)
{
	struct source_place place = { reader->file, key->name, group_line(setting) };
	const char *text = config_setting_get_string(setting);

	if (text == NULL) {
		wrong_type(reader, key, setting, "a string");
		return NULL;
	}
	return source_read(reader->source, text, &place, reader->diag);
}

static const char *
read_string(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting)
{
	struct cosi_key element = { .name = key->name, .type = COSI_T_STRING };
	const char *text = config_setting_get_string(setting), *value = NULL, *reason;

	if (text == NULL) {
		wrong_type(reader, key, setting, "strings");
		return NULL;
	}
	reason = value_parse(reader->arena, &element, text, &value);
	if (reason != NULL)
		diag_error(reader->diag, reader->file, group_line(setting), "'%s': %s", key->name,
			   reason);
	return value;
}

static void
read_texts(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	   void *out)
{
	bool secret = key->type == COSI_T_SECRET_LIST;
	int len = sequence_len(reader, key, setting, "a list of strings",
			       secret ? VALUE_SECRETS_MAX : VALUE_STRINGS_MAX);
	const char **texts;

	if (len < 0)
		return;
	texts = arena_alloc(reader->arena, ((size_t)len + 1) * sizeof *texts);
	if (texts == NULL)
		return;
	for (int i = 0; i < len; i++) {
		const config_setting_t *element = config_setting_get_elem(setting, (unsigned)i);

		texts[i] = secret ? read_secret(reader, key, element)
				  : read_string(reader, key, element);
	}
	value_store(key, out, &texts, sizeof texts);
}

static void
read_ids(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	 void *out)
{
	int len = sequence_len(reader, key, setting, "a list of numbers", VALUE_IDS_MAX);
	struct value_ids ids = { 0 };
	uint32_t *list;

	if (len < 0)
		return;
	list = arena_alloc(reader->arena, (size_t)len * sizeof *list);
	if (list == NULL)
		return;
	for (int i = 0; i < len; i++) {
		const config_setting_t *element = config_setting_get_elem(setting, (unsigned)i);
		int64_t id = is_number(element) ? number_of(element) : -1;

		if (id < 0 || id >= UINT32_MAX)
			diag_error(reader->diag, reader->file, group_line(element),
				   "'%s': expected numbers of 0 to 4294967294", key->name);
		list[i] = (uint32_t)id;
	}
	ids = (struct value_ids){ (size_t)len, list };
	value_store(key, out, &ids, sizeof ids);
}

static void
read_aggregate(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	       void *out)
{
	int type = config_setting_type(setting);

	if (key->type == VALUE_GROUP && type != CONFIG_TYPE_GROUP)
		wrong_type(reader, key, setting, "a group { }");
	else if (key->type == VALUE_LIST && type != CONFIG_TYPE_LIST &&
		 !(type == CONFIG_TYPE_ARRAY && config_setting_length(setting) == 0))
		wrong_type(reader, key, setting, "a list ( )");
	else
		value_store(key, out, &setting, sizeof setting);
}

static const char *
expected_scalar(uint32_t type)
{
	switch (type) {
	case COSI_T_BOOL:
		return "true or false";
	case COSI_T_INT:
		return "a number";
	case COSI_T_SIZE:
		return "a string such as \"10Gi\" or a number";
	case COSI_T_MSEC:
		return "a string such as \"10s\"";
	default:
		return "a string";
	}
}

static void
read_scalar(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	    void *out)
{
	bool takes_number = key->type == COSI_T_INT || key->type == COSI_T_SIZE;
	bool takes_text = key->type != COSI_T_BOOL && key->type != COSI_T_INT;
	const char *text = config_setting_get_string(setting), *reason = NULL;

	if (key->type == COSI_T_BOOL && config_setting_type(setting) == CONFIG_TYPE_BOOL) {
		bool yes = config_setting_get_bool(setting) == CONFIG_TRUE;

		value_store(key, out, &yes, sizeof yes);
	} else if (takes_number && is_number(setting)) {
		reason = value_store_number(reader->arena, key, number_of(setting), out);
	} else if (takes_text && text != NULL) {
		reason = value_parse(reader->arena, key, text, out);
	} else {
		wrong_type(reader, key, setting, expected_scalar(key->type));
	}
	if (reason != NULL)
		diag_error(reader->diag, reader->file, group_line(setting), "'%s': %s", key->name,
			   reason);
}

static void
read_member(struct reader *reader, const struct cosi_key *key, const config_setting_t *setting,
	    void *out)
{
	const char *secret;

	switch (key->type) {
	case COSI_T_SECRET:
		secret = read_secret(reader, key, setting);
		value_store(key, out, &secret, sizeof secret);
		break;
	case COSI_T_SECRET_LIST:
	case VALUE_STRINGS:
		read_texts(reader, key, setting, out);
		break;
	case VALUE_IDS:
		read_ids(reader, key, setting, out);
		break;
	case VALUE_GROUP:
	case VALUE_LIST:
		read_aggregate(reader, key, setting, out);
		break;
	default:
		read_scalar(reader, key, setting, out);
	}
}

/* What an absent key means. */
static void
complete(struct reader *reader, const config_setting_t *group, const struct cosi_key *key,
	 void *out)
{
	static const char *const none[] = { NULL };
	const char *const *empty = none;
	const char *reason = NULL;

	if ((key->flags & COSI_REQUIRED) != 0)
		diag_error(reader->diag, reader->file, group_line(group), "'%s' is required",
			   key->name);
	else if (key->fallback != NULL)
		reason = value_parse(reader->arena, key, key->fallback, out);
	else if (key->type == COSI_T_SECRET_LIST)
		value_store(key, out, &empty, sizeof empty);
	if (reason != NULL)
		diag_error(reader->diag, reader->file, group_line(group), "the default of '%s': %s",
			   key->name, reason);
}

void
group_read(struct reader *reader, const config_setting_t *group, const struct cosi_schema *schema,
	   bool (*known)(const char *name), void *out)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		const char *name = config_setting_name(setting);
		const struct cosi_key *key = value_key(schema, name);

		if (key != NULL)
			read_member(reader, key, setting, out);
		else if (known == NULL || !known(name))
			diag_error(reader->diag, reader->file, group_line(setting),
				   "unknown key '%s'", name);
	}
	for (size_t i = 0; i < schema->nkeys; i++)
		if (config_setting_get_member(group, schema->keys[i].name) == NULL)
			complete(reader, group, &schema->keys[i], out);
}
