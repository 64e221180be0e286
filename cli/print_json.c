/* SPDX-License-Identifier: Apache-2.0
 * print_json.c - one object; cosictl(1) describes its members, which only ever grow.
 *
 * What was not told is left out.  Everything above ASCII is escaped, so that the line is safe on a
 * terminal as well.
 */
#include <jansson.h>
#include <stdio.h>

#include "print.h"

#include "banned.h"

/* jansson's setters take NULL as "no memory" and say so; one check of the whole at the end. */
struct object {
	json_t *json;
	int failed;
};

static void
set(struct object *object, const char *key, json_t *value)
{
	object->failed |= json_object_set_new(object->json, key, value);
}

static void
set_text(struct object *object, const char *key, const char *value)
{
	if (value != NULL)
		set(object, key, json_string(value));
}

static json_t *
fields(const void *of, const struct answer_field *field)
{
	struct object object = { .json = json_object() };

	for (; field->json != NULL; field++)
		set_text(&object, field->json, answer_field(of, field));
	if (object.failed == 0)
		return object.json;
	json_decref(object.json);
	return NULL;
}

static void
set_bucket(struct object *object, const struct answer_bucket *bucket)
{
	struct object protocols = { .json = json_object() };

	for (size_t i = 0; i < bucket->ninfos; i++)
		set(&protocols, answer_protocol_name(bucket->infos[i].protocol),
		    fields(&bucket->infos[i], answer_info_fields));
	object->failed |= protocols.failed;
	set_text(object, "bucketId", bucket->id);
	set(object, "protocols", protocols.json);
}

static void
set_info(struct object *object, const struct answer *answer)
{
	json_t *list = json_array();

	set_text(object, "name", answer->driver);
	for (uint32_t bit = 1; bit < 1u << ANSWER_PROTOCOLS; bit <<= 1)
		if ((answer->protocols & bit) != 0)
			object->failed |=
				json_array_append_new(list, json_string(answer_protocol_name(bit)));
	if (json_array_size(list) > 0)
		set(object, "protocols", list);
	else
		json_decref(list);
}

static void
set_grant(struct object *object, const struct answer *answer)
{
	const struct answer_credentials *credentials = &answer->credentials;
	struct object secrets = { .json = json_object() };
	json_t *list = json_array();

	set_text(object, "accountId", answer->account_id);
	for (size_t i = 0; i < answer->nbuckets; i++) {
		struct object bucket = { .json = json_object() };

		set_bucket(&bucket, &answer->buckets[i]);
		object->failed |= bucket.failed | json_array_append_new(list, bucket.json);
	}
	set(object, "buckets", list);
	if (credentials->protocol != 0)
		set(&secrets, answer_protocol_name(credentials->protocol),
		    fields(credentials, answer_credential_fields));
	object->failed |= secrets.failed;
	set(object, "credentials", secrets.json);
}

const char *
print_json(struct arena *arena, const struct ask *ask, const struct answer *answer)
{
	struct object object = { .json = json_object() };

	(void)arena;
	if (ask->op == ASK_INFO)
		set_info(&object, answer);
	else if (ask->op == ASK_GRANT)
		set_grant(&object, answer);
	else if (answer->nbuckets == 1)
		set_bucket(&object, &answer->buckets[0]);
	if (object.failed == 0 &&
	    json_dumpf(object.json, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) == 0)
		putchar('\n');
	json_decref(object.json);
	return object.failed == 0 ? NULL : "cannot write the answer as JSON: no memory";
}
