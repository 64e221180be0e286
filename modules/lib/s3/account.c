/* SPDX-License-Identifier: Apache-2.0
 * account.c - keys of accounts. */
#include "s3/account.h"

#include <string.h>

#include "text/hash.h"

#include "banned.h"

enum { KEY_DIGITS = 16, CREDENTIAL_KEY_MIN = 32 };

const char *
s3_account_key(struct cosi_call *call, const char *module, const char *owner, const char *native)
{
	const char *id = cosi_printf(call, "cosid/%s/access-key/1/%s/%s", module, owner, native);
	char text[HASH_BASE32_MAX];
	const char *key;
	struct hash hash;

	if (hash_sha256(call, id, strlen(id), &hash) != 0)
		return NULL;
	hash_base32(&hash, text);
	key = cosi_printf(call, "COSI%.*s", KEY_DIGITS, text);
	return cosi_failed(call) ? NULL : key;
}

const char *
s3_account_secret(struct cosi_call *call, const char *module, const char *credential_key,
		  const char *owner, const char *native)
{
	const char *id = cosi_printf(call, "cosid/%s/secret-key/1/%s/%s", module, owner, native);
	const char *secret;
	char text[HASH_BASE32_MAX];
	struct hash mac;

	if (hash_hmac(call, credential_key, strlen(credential_key), id, strlen(id), &mac) != 0)
		return NULL;
	hash_base32(&mac, text);
	secret = cosi_printf(call, "%s", text);
	hash_wipe(&mac, sizeof mac);
	hash_wipe(text, sizeof text);
	return cosi_failed(call) ? NULL : secret;
}

int
s3_account_check_key(struct cosi_call *call, const char *what, const char *credential_key)
{
	if (strlen(credential_key) >= CREDENTIAL_KEY_MIN)
		return 0;
	return cosi_fail(call, COSI_INVALID, "%s is shorter than %d bytes", what,
			 CREDENTIAL_KEY_MIN);
}
