/* SPDX-License-Identifier: Apache-2.0
 * id.c - ids taken apart and put together. */
#include "routing/id.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/parse.h"
#include "base/secret.h"

#include "banned.h"

enum { HASHED_HEAD = 32, HASH_BYTES = 6 };

/* Of a backend's name, and of an account's that need not be hashed. */
#define ID_LABEL CHARS_LOWER CHARS_DIGIT "-"

bool
id_is_native(const char *text)
{
	return chars_is_alnum((unsigned char)text[0]) && strlen(text) <= ID_MAX &&
	       chars_only(text, CHARS_ALNUM ".-");
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
	size_t len = strspn(id, ID_LABEL);

	return len > 0 && len <= ID_BACKEND_MAX && id[len] == '.';
}

const char *
id_format(struct arena *arena, const char *backend, const char *native, struct status *status)
{
	if (!id_is_native(native)) {
		status_fail(status, COSI_INVALID,
			    "'%s' cannot be part of an id: letters, digits, '.' and '-' alone, "
			    "the first of them a letter or a digit",
			    secret_shown(native).text);
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

	if (strlen(plain) <= ID_ACCOUNT_MAX && chars_only(plain, ID_LABEL))
		return plain;
	for (size_t i = 0; i < HASHED_HEAD && plain[i] != '\0'; i++)
		head[i] = strchr(ID_LABEL, plain[i]) != NULL ? plain[i] : '-';
	SHA256((const unsigned char *)name, strlen(name), digest);
	parse_hex(digest, HASH_BYTES, hex);
	return arena_printf(arena, "%s-%s", head, hex);
}
