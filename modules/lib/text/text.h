/* SPDX-License-Identifier: Apache-2.0
 * text.h - texts joined, percent-encoded, decoded and hashed; locals that clean up after
 * themselves.
 */
#ifndef LIB_TEXT_TEXT_H
#define LIB_TEXT_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cosi_module.h"

/* KEY colon VALUE of each part, comma between two of them, end after the last; without values when
 * colon is NULL.  From the call's memory; the empty string when there are no parts or the call has
 * failed. */
const char *text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts,
		      const char *colon, const char *comma, const char *end);

/* Percent-encodes (RFC 3986) every byte but A-Z a-z 0-9 - . _ ~, with upper-case digits: what
 * signatures ask for and every server reads alike.  From the call's memory; the empty string when
 * the call has failed. */
const char *uri_encode(struct cosi_call *call, const char *text);
/* The same, but '/' stays. */
const char *uri_encode_path(struct cosi_call *call, const char *path);

/* Decodes in place and ends the result with a NUL; '+' stays a '+'.  The result may hold NULs: its
 * length is returned, or -1 when a '%' is not followed by two hex digits (text is then undefined).
 */
long uri_decode(char *text, size_t len);

/* ---- SHA-256, HMAC-SHA256 and their texts ---- */

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

/* ---- cleanup: what base/cleanup.h is to the core, which modules do not see ---- */

/* CLEANUP_FREE char *body = NULL;      json_auto_t does the same for jansson's values */
static inline void
cleanup_free(void *p)
{
	free(*(void **)p);
}

#define CLEANUP(fn)  __attribute__((cleanup(fn)))
#define CLEANUP_FREE CLEANUP(cleanup_free)

#endif
