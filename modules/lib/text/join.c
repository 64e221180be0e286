/* SPDX-License-Identifier: Apache-2.0
 * join.c - measures, allocates once, copies. */
#include "text/join.h"

#include <string.h>

#include "banned.h"

static char *
add(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

const char *
text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts, const char *colon,
	  const char *comma, const char *end)
{
	size_t size = strlen(end) + 1;
	char *out, *at;

	for (size_t i = 0; i < nparts; i++) {
		size += strlen(parts[i].key) + strlen(comma);
		if (colon != NULL)
			size += strlen(colon) + strlen(parts[i].value);
	}
	out = at = cosi_alloc(call, size);
	if (out == NULL)
		return "";
	for (size_t i = 0; i < nparts; i++) {
		at = add(at, parts[i].key);
		if (colon != NULL)
			at = add(add(at, colon), parts[i].value);
		at = add(at, i + 1 < nparts ? comma : end);
	}
	return out;
}
