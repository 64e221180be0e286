/* SPDX-License-Identifier: Apache-2.0
 * seal.c - PBKDF2 once, then AES-256-GCM body by body.
 *
 *   salt 32 | id 1 | nonce 8 | fragments: up to 16384 bytes of ciphertext and a tag of 16 each
 *
 * Source: EncryptData() of madmin-go and the format of sio-go.  Of the three ciphers that a server
 * opens this is id 2, PBKDF2 and AES-256-GCM: it needs libcrypto alone, and the server 64 MiB less
 * per request than argon2id.
 *
 * A stream of the format is a row of fragments, each with its number at the end of its nonce.
 * Fragment 0 has no text; its tag is part of the associated data of the others, after a byte that
 * marks the last one.  Bodies of this module are one fragment long.
 */
#include <openssl/evp.h>
#include <string.h>

#include "minio.h"
#include "text/text.h"

#include "banned.h"

enum {
	ID = 2, /* PBKDF2-HMAC-SHA256 and AES-256-GCM */
	ROUNDS = 8192,
	NONCE = 8,
	IV = 12,
	LAST = 0x80,
};

void
minio_seal_init(struct minio_seal *seal, const char *password)
{
	pthread_mutex_init(&seal->mutex, NULL);
	seal->password = password;
	seal->ready = false;
	atomic_init(&seal->nonce, 0);
}

void
minio_seal_done(struct minio_seal *seal)
{
	pthread_mutex_destroy(&seal->mutex);
	hash_wipe(seal, sizeof *seal);
}

/* The first call derives the key; calls that arrive before it is done wait for it. */
static int
seal_prepare(struct minio_seal *seal, struct cosi_call *call)
{
	int rc = 0;

	pthread_mutex_lock(&seal->mutex);
	if (!seal->ready)
		rc = call->host->random(call, seal->salt, sizeof seal->salt);
	if (!seal->ready && rc == 0 &&
	    PKCS5_PBKDF2_HMAC(seal->password, (int)strlen(seal->password), seal->salt,
			      MINIO_SEAL_SALT, ROUNDS, EVP_sha256(), MINIO_SEAL_KEY,
			      seal->key) != 1)
		rc = cosi_fail(call, COSI_INTERNAL, "libcrypto cannot derive a key");
	seal->ready = rc == 0;
	pthread_mutex_unlock(&seal->mutex);
	return rc;
}

struct seal_fragment {
	uint32_t number;
	struct cosi_bytes with, text; /* with: the associated data */
	uint8_t *out;                 /* the ciphertext, then its tag */
};

static int
seal_write_fragment(EVP_CIPHER_CTX *ctx, const uint8_t nonce[NONCE],
		    const struct seal_fragment *fragment)
{
	const uint32_t number = fragment->number;
	uint8_t iv[IV], *tag = fragment->out + fragment->text.len;
	int len;

	memcpy(iv, nonce, NONCE);
	for (size_t i = 0; i < IV - NONCE; i++)
		iv[NONCE + i] = (uint8_t)(number >> 8 * i);
	if (EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, iv) != 1)
		return -1;
	if (fragment->with.len > 0 &&
	    EVP_EncryptUpdate(ctx, NULL, &len, fragment->with.data, (int)fragment->with.len) != 1)
		return -1;
	if (fragment->text.len > 0 &&
	    EVP_EncryptUpdate(ctx, fragment->out, &len, fragment->text.data,
			      (int)fragment->text.len) != 1)
		return -1;
	if (EVP_EncryptFinal_ex(ctx, tag, &len) != 1)
		return -1;
	return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, MINIO_SEAL_TAG, tag) == 1 ? 0 : -1;
}

struct cosi_bytes
minio_seal_text(struct minio_seal *seal, struct cosi_call *call, const char *text)
{
	const struct cosi_bytes nothing = { "", 0 }, in = { text, strlen(text) };
	const uint64_t number = atomic_fetch_add(&seal->nonce, 1);
	const size_t len = MINIO_SEAL_HEAD + in.len + MINIO_SEAL_TAG;
	uint8_t *out = cosi_alloc(call, len), *nonce;
	uint8_t with[1 + MINIO_SEAL_TAG] = { LAST };
	const struct seal_fragment zeroth = { .number = 0, .out = with + 1 };
	struct seal_fragment only = { .number = 1, .with = { with, sizeof with }, .text = in };
	EVP_CIPHER_CTX *ctx;
	bool ok;

	if (out == NULL || seal_prepare(seal, call) < 0)
		return nothing;
	memcpy(out, seal->salt, MINIO_SEAL_SALT);
	out[MINIO_SEAL_SALT] = ID;
	nonce = out + MINIO_SEAL_SALT + 1;
	memcpy(nonce, &number, NONCE);
	only.out = out + MINIO_SEAL_HEAD;
	ctx = EVP_CIPHER_CTX_new();
	ok = in.len <= MINIO_SEAL_MOST && ctx != NULL &&
	     EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, seal->key, NULL) == 1 &&
	     seal_write_fragment(ctx, nonce, &zeroth) == 0 &&
	     seal_write_fragment(ctx, nonce, &only) == 0;
	EVP_CIPHER_CTX_free(ctx);
	if (ok)
		return (struct cosi_bytes){ out, len };
	cosi_fail(call, COSI_INTERNAL, "libcrypto cannot encrypt a request");
	return nothing;
}
