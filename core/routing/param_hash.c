/* SPDX-License-Identifier: Apache-2.0
 * param_hash.c - hashes "p" key value, ..., "b" mode native, ..., each word with its NUL, so that
 * no two requests give the same bytes. */
#include "routing/param_hash.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

static bool
hash_word(EVP_MD_CTX *hash, const char *word)
{
	return EVP_DigestUpdate(hash, word, strlen(word) + 1) == 1;
}

const char *
param_hash(const struct cosi_kv *given, size_t ngiven, const struct cosi_bucket_ref *const *buckets,
	   size_t nbuckets, struct arena *arena)
{
	static const char *const modes[] = { [COSI_READ_WRITE] = "readWrite",
					     [COSI_READ_ONLY] = "readOnly",
					     [COSI_WRITE_ONLY] = "writeOnly" };
	unsigned char digest[EVP_MAX_MD_SIZE];
	char hex[2 * EVP_MAX_MD_SIZE + 1];
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	unsigned len = 0;
	bool ok = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1;

	for (size_t i = 0; i < ngiven; i++)
		ok = ok && hash_word(hash, "p") && hash_word(hash, given[i].key) &&
		     hash_word(hash, given[i].value);
	for (size_t i = 0; i < nbuckets; i++)
		ok = ok && hash_word(hash, "b") && hash_word(hash, modes[buckets[i]->mode]) &&
		     hash_word(hash, buckets[i]->native);
	ok = ok && EVP_DigestFinal_ex(hash, digest, &len) == 1;
	EVP_MD_CTX_free(hash);
	if (!ok) { /* libcrypto got no memory: the call fails as if it had used up its own */
		arena->failed = true;
		return "";
	}
	parse_hex(digest, len, hex);
	return arena_printf(arena, "1:%s", hex);
}
