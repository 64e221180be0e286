/* SPDX-License-Identifier: Apache-2.0
 * seal.h - the encryption of request bodies in MinIO's admin API.
 *
 *   salt 32 | id 1 | nonce 8 | fragments: up to 16384 bytes of ciphertext and a tag of 16 each
 *
 * Source: EncryptData() of madmin-go and the format of sio-go.  Of the three ciphers that a server
 * opens this is id 2, PBKDF2 and AES-256-GCM: it needs libcrypto alone, and the server 64 MiB less
 * per request than argon2id.
 */
#ifndef MINIO_SEAL_H
#define MINIO_SEAL_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"

enum {
	MINIO_SEAL_SALT = 32,
	MINIO_SEAL_KEY = 32,
	MINIO_SEAL_HEAD = 41,
	MINIO_SEAL_TAG = 16,
	MINIO_SEAL_MOST = 16384, /* bytes of one fragment: no body is longer here */
};

/* A key that is derived from a password and a random salt once, at first use, since that takes some
 * milliseconds on purpose; each body has a nonce of its own. */
struct minio_seal {
	pthread_mutex_t mutex; /* of ready, salt, key until ready */
	bool ready;
	const char *password; /* borrowed */
	uint8_t salt[MINIO_SEAL_SALT], key[MINIO_SEAL_KEY];
	_Atomic uint64_t nonce; /* of the next body */
};

void minio_seal_init(struct minio_seal *seal, const char *password);
void minio_seal_done(struct minio_seal *seal);
/* The sealed text, from the call's memory; any thread.  Length 0: the call has failed. */
struct cosi_bytes minio_seal_text(struct minio_seal *seal, struct cosi_call *call,
				  const char *text);

#endif
