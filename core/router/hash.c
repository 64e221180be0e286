/* SPDX-License-Identifier: Apache-2.0
 * hash.c - what is hashed: "p" key value, ..., "b" mode native, ..., each word with its NUL, so
 * that no two requests give the same bytes. */
#include "router/hash.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

#define VERSION "1:"

static const char *
mode_word(uint32_t mode)
{
	switch (mode) {
	case COSI_READ_ONLY:
		return "readOnly";
	case COSI_WRITE_ONLY:
		return "writeOnly";
	default:
		return "readWrite";
	}
}

/* Appends the word with its NUL when there is room for it; returns the length in any case. */
static size_t
add(char *text, size_t len, const char *word)
{
	size_t size = strlen(word) + 1;

	if (text != NULL)
		memcpy(text + len, word, size);
	return len + size;
}

/* Writes into text, which may be NULL to learn the length first. */
static size_t
spell(char *text, const struct cosi_kv *given, size_t ngiven,
      const struct cosi_bucket_ref *const *buckets, size_t nbuckets)
{
	size_t len = 0;

	for (size_t i = 0; i < ngiven; i++) {
		len = add(text, len, "p");
		len = add(text, len, given[i].key);
		len = add(text, len, given[i].value);
	}
	for (size_t i = 0; i < nbuckets; i++) {
		len = add(text, len, "b");
		len = add(text, len, mode_word(buckets[i]->mode));
		len = add(text, len, buckets[i]->native);
	}
	return len;
}

const char *
hash_params(const struct cosi_kv *given, size_t ngiven,
	    const struct cosi_bucket_ref *const *buckets, size_t nbuckets, struct arena *arena)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	size_t len = spell(NULL, given, ngiven, buckets, nbuckets);
	char *text = arena_alloc(arena, len), hex[2 * SHA256_DIGEST_LENGTH + 1];

	if (text == NULL)
		return "";
	(void)spell(text, given, ngiven, buckets, nbuckets);
	SHA256((unsigned char *)text, len, digest);
	parse_hex(digest, sizeof digest, hex);
	return arena_printf(arena, VERSION "%s", hex);
}
