/* SPDX-License-Identifier: Apache-2.0
 * hash.c - libcrypto's digests; where they fail, the call does.
 *
 * By its low-level functions: the others look the algorithm up anew each time, which takes longer
 * than to hash such short texts.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "text/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <string.h>

#include "banned.h"

enum { PAD = SHA256_CBLOCK, INNER = 0x36, OUTER = 0x5c }; /* RFC 2104 */

/* begin: a whole block, or NULL. */
static int
hash_digest(struct cosi_call *call, const uint8_t *begin, const void *data, size_t len,
	    struct hash *out)
{
	SHA256_CTX ctx;
	bool ok = SHA256_Init(&ctx) == 1 &&
		  (begin == NULL || SHA256_Update(&ctx, begin, PAD) == 1) &&
		  SHA256_Update(&ctx, data, len) == 1 && SHA256_Final(out->bytes, &ctx) == 1;

	hash_wipe(&ctx, sizeof ctx);
	return ok ? 0 : cosi_fail(call, COSI_INTERNAL, "libcrypto cannot compute SHA-256");
}

int
hash_sha256(struct cosi_call *call, const void *data, size_t len, struct hash *out)
{
	return hash_digest(call, NULL, data, len, out);
}

static void
hash_mask(uint8_t pad[PAD], uint8_t with)
{
	for (size_t i = 0; i < PAD; i++)
		pad[i] ^= with;
}

int
hash_hmac(struct cosi_call *call, const void *key, size_t key_len, const void *data, size_t len,
	  struct hash *out)
{
	uint8_t pad[PAD] = { 0 };
	struct hash short_key;
	int rc;

	if (key_len > PAD) {
		if (hash_sha256(call, key, key_len, &short_key) < 0)
			return -1;
		key = &short_key;
		key_len = sizeof short_key;
	}
	memcpy(pad, key, key_len);
	hash_mask(pad, INNER);
	rc = hash_digest(call, pad, data, len, out);
	hash_mask(pad, INNER ^ OUTER);
	if (rc == 0)
		rc = hash_digest(call, pad, out, sizeof *out, out);
	hash_wipe(pad, sizeof pad);
	hash_wipe(&short_key, sizeof short_key);
	return rc;
}

void
hash_hex(const struct hash *hash, char out[HASH_HEX_MAX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < HASH_BYTES; i++) {
		out[2 * i] = digits[hash->bytes[i] >> 4];
		out[2 * i + 1] = digits[hash->bytes[i] & 0xf];
	}
	out[HASH_HEX_MAX - 1] = '\0';
}

void
hash_base32(const struct hash *hash, char out[HASH_BASE32_MAX])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	unsigned pool = 0, nbits = 0;
	size_t n = 0;

	for (size_t i = 0; i < HASH_BYTES; i++) {
		pool = (pool << 8 | hash->bytes[i]) & 0xfff;
		for (nbits += 8; nbits >= 5; nbits -= 5)
			out[n++] = digits[pool >> (nbits - 5) & 0x1f];
	}
	out[n++] = digits[pool << (5 - nbits) & 0x1f];
	out[n] = '\0';
}

void
hash_base64(const struct hash *hash, char out[HASH_BASE64_MAX])
{
	(void)EVP_EncodeBlock((unsigned char *)out, hash->bytes, HASH_BYTES);
}

void
hash_wipe(void *secret, size_t len)
{
	OPENSSL_cleanse(secret, len);
}
