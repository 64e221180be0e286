/* SPDX-License-Identifier: Apache-2.0
 * policy_equal.c - whether two policy documents say the same. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "s3/policy.h"
#include "text/cleanup.h"

#include "banned.h"

static int
by_text(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a),
		      json_string_value(*(json_t *const *)b));
}

/* 0 also when it is no list of strings. */
static int
sort_strings(json_t *array)
{
	size_t n = json_array_size(array);
	CLEANUP_FREE json_t **items = calloc(n + 1, sizeof(json_t *));

	if (items == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		items[i] = json_array_get(array, i);
		if (!json_is_string(items[i]))
			return 0;
	}
	for (size_t i = 0; i < n; i++)
		(void)json_incref(items[i]);
	qsort(items, n, sizeof(json_t *), by_text);
	for (size_t i = 0; i < n; i++)
		(void)json_array_set_new(array, i, items[i]);
	return 0;
}

/* As deep as jansson reads: 2048 levels. */
static int
sort_sets(json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach(value, i, item) {
		if (sort_sets(item) != 0)
			return -1;
	}
	json_object_foreach(value, key, item) {
		if (sort_sets(item) != 0)
			return -1;
	}
	return json_is_array(value) ? sort_strings(value) : 0;
}

bool
s3_policy_equal(const char *a, const char *b)
{
	json_auto_t *left = json_loads(a, 0, NULL);
	json_auto_t *right = json_loads(b, 0, NULL);

	if (left == NULL || right == NULL || sort_sets(left) != 0 || sort_sets(right) != 0)
		return false;
	return json_equal(left, right) == 1;
}
