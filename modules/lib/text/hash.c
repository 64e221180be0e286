/* SPDX-License-Identifier: Apache-2.0
 * hash.c - libcrypto's digests behind the errors of a call. */
#include "text/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "banned.h"

int
hash_sha256(struct cosi_call *call, const void *data, size_t len, struct hash *out)
{
	if (EVP_Digest(data, len, out->bytes, NULL, EVP_sha256(), NULL) != 1)
		return cosi_fail(call, COSI_INTERNAL, "libcrypto cannot compute SHA-256");
	return 0;
}

int
hash_hmac(struct cosi_call *call, const void *key, size_t key_len, const void *data, size_t len,
	  struct hash *out)
{
	unsigned size = HASH_BYTES;

	if (HMAC(EVP_sha256(), key, (int)key_len, data, len, out->bytes, &size) == NULL)
		return cosi_fail(call, COSI_INTERNAL, "libcrypto cannot compute HMAC-SHA256");
	return 0;
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
