/* SPDX-License-Identifier: Apache-2.0
 * text.c - joining, percent-encoding and its reverse; libcrypto's digests, where they fail, the
 * call does.
 *
 * By libcrypto's low-level functions: the others look the algorithm up anew each time, which takes
 * longer than to hash such short texts.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "text/text.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <string.h>

#include "banned.h"

/* RFC 3986 */
#define UNRESERVED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

enum { PAD = SHA256_CBLOCK, INNER = 0x36, OUTER = 0x5c }; /* RFC 2104 */

static char *
text_put(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

const char *
text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts, const char *colon,
	  const char *comma, const char *end)
{
	size_t size = strlen(end) + 1;
	char *out, *at;

	for (size_t i = 0; i < nparts; i++) {
		size += strlen(parts[i].key) + strlen(comma);
		if (colon != NULL)
			size += strlen(colon) + strlen(parts[i].value);
	}
	out = at = cosi_alloc(call, size);
	if (out == NULL)
		return "";
	for (size_t i = 0; i < nparts; i++) {
		at = text_put(at, parts[i].key);
		if (colon != NULL)
			at = text_put(text_put(at, colon), parts[i].value);
		at = text_put(at, i + 1 < nparts ? comma : end);
	}
	return out;
}

static const char *
uri_encode_but(struct cosi_call *call, const char *text, const char *kept)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = cosi_alloc(call, 3 * strlen(text) + 1), *p = out;

	if (out == NULL)
		return "";
	for (; *text != '\0'; text++) {
		if (strchr(kept, *text) != NULL) {
			*p++ = *text;
			continue;
		}
		*p++ = '%';
		*p++ = hex[(unsigned char)*text >> 4];
		*p++ = hex[(unsigned char)*text & 0xf];
	}
	return out;
}

const char *
uri_encode(struct cosi_call *call, const char *text)
{
	return uri_encode_but(call, text, UNRESERVED);
}

const char *
uri_encode_path(struct cosi_call *call, const char *path)
{
	return uri_encode_but(call, path, UNRESERVED "/");
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

long
uri_decode(char *text, size_t len)
{
	char *out = text;

	for (size_t i = 0; i < len; i++) {
		int high, low;

		if (text[i] != '%') {
			*out++ = text[i];
			continue;
		}
		if (len - i < 3)
			return -1;
		high = hex_digit(text[i + 1]);
		low = hex_digit(text[i + 2]);
		if (high < 0 || low < 0)
			return -1;
		*out++ = (char)(high << 4 | low);
		i += 2;
	}
	*out = '\0';
	return out - text;
}

/* ---- hashes ---- */

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
