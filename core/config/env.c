/* SPDX-License-Identifier: Apache-2.0
 * env.c - takes values out of the environment and remembers them.
 *
 * The variable stays, empty: to remove it would move the others under threads that call getenv().
 */
#include "config/env.h"

#include <stdlib.h>
#include <string.h>

#include "banned.h"

struct taken {
	struct taken *next;
	struct secret *value; /* owned */
	char name[];
};

/* Process-wide, as the environment is. */
static struct taken *all;

static struct taken *
find(const char *name)
{
	for (struct taken *taken = all; taken != NULL; taken = taken->next)
		if (strcmp(taken->name, name) == 0)
			return taken;
	return NULL;
}

/* A place for the name; NULL: no memory. */
static struct taken *
find_or_add(const char *name)
{
	struct taken *taken = find(name);
	size_t size = strlen(name) + 1;

	if (taken != NULL)
		return taken;
	taken = malloc(sizeof *taken + size);
	if (taken == NULL)
		return NULL;
	*taken = (struct taken){ .next = all };
	memcpy(taken->name, name, size);
	all = taken;
	return taken;
}

static const struct secret *
keep(const char *name, char *text, const char **out_reason)
{
	size_t len = strlen(text);
	struct secret *value = secret_new(text, len);
	struct taken *taken = value != NULL ? find_or_add(name) : NULL;

	if (taken == NULL) {
		secret_free(value);
		*out_reason = "too much for the memory that is left";
		return NULL;
	}
	explicit_bzero(text, len);
	secret_free(taken->value);
	taken->value = value;
	return value;
}

const struct secret *
env_take(const char *name, size_t most, const char **out_reason)
{
	const struct taken *taken = find(name);
	char *text = getenv(name);

	if (text != NULL && strlen(text) > most)
		*out_reason = "larger than 64 KiB";
	else if (text != NULL && text[0] != '\0')
		return keep(name, text, out_reason);
	else if (text != NULL && taken != NULL)
		return taken->value;
	else
		*out_reason = text == NULL ? "not set" : "empty";
	return NULL;
}
