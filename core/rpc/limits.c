/* SPDX-License-Identifier: Apache-2.0
 * limits.c - sizes and forms of fields in requests and answers. */
#include "rpc/limits.h"

#include <stdlib.h>
#include <string.h>

#include "banned.h"

static int
limits_check(uint32_t code, const char *field, const char *value, size_t max, bool required,
	     struct status *status)
{
	size_t len = value != NULL ? strlen(value) : 0;

	if (len == 0 && required)
		return status_fail(status, code, "field '%s' is required", field);
	if (len > max)
		return status_fail(status, code,
				   "field '%s' is %zu bytes long, at most %zu are allowed", field,
				   len, max);
	return 0;
}

int
limits_string(const char *field, const char *value, size_t max, bool required,
	      struct status *status)
{
	return limits_check(COSI_INVALID, field, value, max, required, status);
}

int
limits_answer(const char *field, const char *value, size_t max, bool required,
	      struct status *status)
{
	if (limits_check(COSI_INTERNAL, field, value, max, required, status) == 0)
		return 0;
	return status_fail(status, COSI_INTERNAL, "cannot encode the answer");
}

static bool
limits_is_lower_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
limits_is_id_char(char c)
{
	return limits_is_lower_alnum(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.';
}

int
limits_id(const char *field, const char *value, struct status *status)
{
	if (limits_string(field, value, LIMIT_LONG_ID, true, status) < 0)
		return -1;
	for (const char *p = value; *p != '\0'; p++)
		if (!limits_is_id_char(*p))
			return status_fail(
				status, COSI_INVALID,
				"field '%s' may contain only letters, digits, '-' and '.'", field);
	return 0;
}

/* Labels of [a-z0-9-] that neither begin nor end with '-', joined by dots. */
static bool
limits_is_subdomain(const char *name)
{
	for (const char *p = name; *p != '\0'; p++) {
		bool edge = p == name || p[-1] == '.' || p[1] == '.' || p[1] == '\0';

		if (!limits_is_lower_alnum(*p) && (edge || (*p != '-' && *p != '.')))
			return false;
	}
	return true;
}

int
limits_dns_name(const char *field, const char *value, struct status *status)
{
	if (limits_string(field, value, LIMIT_DNS_NAME, true, status) < 0)
		return -1;
	if (!limits_is_subdomain(value))
		return status_fail(status, COSI_INVALID,
				   "field '%s' is not a DNS subdomain in lower case", field);
	return 0;
}

struct limits_entry {
	struct cosi_kv kv;
	size_t position;
};

static int
limits_entry_compare(const void *a, const void *b)
{
	const struct limits_entry *x = a, *y = b;
	int order = strcmp(x->kv.key, y->kv.key);

	if (order != 0)
		return order;
	return x->position < y->position ? -1 : 1;
}

/* Every map<string, string> has an entry type of its own, of the same form: key is field 1,
 * value 2. */
static const char *
limits_entry_text(const ProtobufCMessage *entry, unsigned field)
{
	const char *at = (const char *)entry + entry->descriptor->fields[field].offset;
	const char *text;

	memcpy(&text, at, sizeof text);
	return text != NULL ? text : "";
}

int
limits_map(const char *field, size_t n, ProtobufCMessage *const *entries, struct request *out,
	   struct arena *arena, struct status *status)
{
	struct limits_entry *sorted = arena_alloc(arena, n * sizeof *sorted);
	struct cosi_kv *params = arena_alloc(arena, n * sizeof *params);
	size_t bytes = 0;

	if (sorted == NULL || params == NULL)
		return status_no_memory(status);
	for (size_t i = 0; i < n; i++) {
		sorted[i].kv = (struct cosi_kv){ limits_entry_text(entries[i], 0),
						 limits_entry_text(entries[i], 1) };
		sorted[i].position = i;
		bytes += strlen(sorted[i].kv.key) + strlen(sorted[i].kv.value);
	}
	if (bytes > LIMIT_MAP)
		return status_fail(status, COSI_INVALID,
				   "field '%s' holds %zu bytes, at most %d are allowed", field,
				   bytes, LIMIT_MAP);
	qsort(sorted, n, sizeof *sorted, limits_entry_compare);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(sorted[i].kv.key, sorted[i + 1].kv.key) == 0)
			continue;
		params[out->nparams++] = sorted[i].kv;
	}
	out->params = params;
	return 0;
}
