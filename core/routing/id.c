/* SPDX-License-Identifier: Apache-2.0
 * id.c - ids taken apart and put together. */
#include "routing/id.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

enum { HASHED_HEAD = 32, HASH_BYTES = 6 };

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
is_alnum(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool
id_is_native(const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || len > ID_MAX || !is_alnum(text[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_alnum(text[i]) && text[i] != '.' && text[i] != '-')
			return false;
	}
	return true;
}

struct backend *
id_backend(const struct generation *generation, const char *id, const char **out_native)
{
	char name[ID_BACKEND_MAX + 1] = "";
	const char *dot = strchr(id, '.');
	struct backend *backend;

	if (dot == NULL || dot == id || (size_t)(dot - id) > ID_BACKEND_MAX)
		return NULL;
	memcpy(name, id, (size_t)(dot - id));
	backend = generation_find(generation, name);
	if (backend != NULL)
		*out_native = dot + 1;
	return backend;
}

bool
id_may_be_orphan(const char *id)
{
	const char *dot = strchr(id, '.');

	if (dot == NULL || dot == id || (size_t)(dot - id) > ID_BACKEND_MAX)
		return false;
	for (const char *c = id; c < dot; c++) {
		if (!is_lower(*c) && *c != '-')
			return false;
	}
	return true;
}

const char *
id_format(struct arena *arena, const char *backend, const char *native, struct status *status)
{
	if (!id_is_native(native)) {
		status_fail(status, COSI_INVALID,
			    "'%.160s' cannot be part of an id: letters, digits, '.' and '-' alone, "
			    "the first of them a letter or a digit",
			    native);
		return NULL;
	}
	if (strlen(backend) + 1 + strlen(native) > ID_MAX) {
		status_fail(status, COSI_INVALID, "the id '%s.%s' is longer than %d bytes", backend,
			    native, ID_MAX);
		return NULL;
	}
	return arena_printf(arena, "%s.%s", backend, native);
}

const char *
id_account_native(struct arena *arena, const char *name)
{
	const char *plain = arena_printf(arena, ID_ACCOUNT_PREFIX "%s", name);
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char head[HASHED_HEAD + 1] = "", hex[2 * HASH_BYTES + 1];
	bool fits = strlen(plain) <= ID_ACCOUNT_MAX;

	for (size_t i = 0; plain[i] != '\0'; i++) {
		bool valid = is_lower(plain[i]) || plain[i] == '-';

		fits = fits && valid;
		if (i < HASHED_HEAD)
			head[i] = plain[i];
		if (i < HASHED_HEAD && !valid)
			head[i] = '-';
	}
	if (fits)
		return plain;
	SHA256((const unsigned char *)name, strlen(name), digest);
	parse_hex(digest, HASH_BYTES, hex);
	return arena_printf(arena, "%s-%s", head, hex);
}
