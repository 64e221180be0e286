/* SPDX-License-Identifier: Apache-2.0
 * hash.h - SHA-256, HMAC-SHA256 and their texts. */
#ifndef LIB_TEXT_HASH_H
#define LIB_TEXT_HASH_H
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

enum { HASH_BYTES = 32, HASH_HEX_MAX = 65, HASH_BASE32_MAX = 53, HASH_BASE64_MAX = 45 };
struct hash {
	uint8_t bytes[HASH_BYTES];
};

/* 0; or -1 with the call failed, when libcrypto cannot. */
int hash_sha256(struct cosi_call *call, const void *data, size_t len, struct hash *out);
int hash_hmac(struct cosi_call *call, const void *key, size_t key_len, const void *data, size_t len,
	      struct hash *out);

/* Lower-case hex. */
void hash_hex(const struct hash *hash, char out[HASH_HEX_MAX]);
/* Upper-case base32 (RFC 4648) without padding: what may stand in any id and URL. */
void hash_base32(const struct hash *hash, char out[HASH_BASE32_MAX]);
/* Base64 with padding. */
void hash_base64(const struct hash *hash, char out[HASH_BASE64_MAX]);
/* Overwrites a secret in a way that the compiler keeps. */
void hash_wipe(void *secret, size_t len);

#endif
