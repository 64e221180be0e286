/* SPDX-License-Identifier: Apache-2.0
 * json.c - jansson's values to texts of the call's memory. */
#include "rest/json.h"

#include "banned.h"

const char *
rest_json(struct cosi_call *call, json_t *document)
{
	json_auto_t *owned = document;
	size_t len = owned != NULL ? json_dumpb(owned, NULL, 0, JSON_COMPACT) : 0;
	char *text = len > 0 ? cosi_alloc(call, len + 1) : NULL;

	if (text != NULL && json_dumpb(owned, text, len, JSON_COMPACT) == len)
		return text;
	cosi_fail(call, COSI_EXHAUSTED, "no memory for a document");
	return NULL;
}

const char *
rest_json_text(struct cosi_call *call, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? cosi_printf(call, "%s", text) : "";
}
