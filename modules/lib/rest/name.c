/* SPDX-License-Identifier: Apache-2.0
 * name.c - names of accounts, names that a store cannot keep as they are; JSON as text. */
#include <string.h>

#include "rest/rest.h"
#include "text/hash.h"

#include "banned.h"

#define ACCOUNT_PREFIX "cosi-"

enum { NAME_MOST = 63, HASH_DIGITS = 12 };

bool
rest_is_account(const char *native)
{
	size_t len = strlen(ACCOUNT_PREFIX);

	return strncmp(native, ACCOUNT_PREFIX, len) == 0 && native[len] != '\0' &&
	       native[strspn(native, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

const char *
rest_name_shorten(struct cosi_call *call, const struct rest_names *names, const char *asked)
{
	char head[NAME_MOST], hex[HASH_HEX_MAX];
	size_t most = names->max - 1 - HASH_DIGITS, n = 0;
	struct hash hash;

	if (hash_sha256(call, asked, strlen(asked), &hash) < 0)
		return NULL;
	hash_hex(&hash, hex);
	for (const char *p = asked; *p != '\0' && n < most; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			head[n++] = c;
		else if (n > 0 && (!names->single_dashes || head[n - 1] != '-'))
			head[n++] = '-';
	}
	if (names->single_dashes && n > 0 && head[n - 1] == '-')
		n--;
	return n > 0 ? cosi_printf(call, "%.*s-%.*s", (int)n, head, HASH_DIGITS, hex)
		     : cosi_printf(call, "bucket-%.*s", HASH_DIGITS, hex);
}

const char *
rest_name_map(struct cosi_call *call, const struct rest_names *names, const char *asked,
	      const char *broken_rule, bool exact)
{
	if (broken_rule == NULL)
		return asked;
	if (!exact)
		return rest_name_shorten(call, names, asked);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a %s: %s", asked, names->what,
		  broken_rule);
	return NULL;
}

/* ---- JSON ---- */

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
