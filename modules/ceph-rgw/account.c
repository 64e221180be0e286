/* SPDX-License-Identifier: Apache-2.0
 * account.c - names, marks and keys of accounts. */
#include "account.h"

#include <string.h>

#include "text/hash.h"

#include "banned.h"

#define PREFIX "cosi-"

enum { KEY_ID_DIGITS = 16 };

bool
rgw_account_name_ok(const char *native)
{
	size_t len = strlen(PREFIX);

	return strncmp(native, PREFIX, len) == 0 && native[len] != '\0' &&
	       native[strspn(native, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

const char *
rgw_account_mark(struct cosi_call *call, const char *owner, const char *name)
{
	return cosi_printf(call, "cosid:%s:%s", owner, name != NULL ? name : "");
}

bool
rgw_account_is_ours(struct cosi_call *call, const struct rgw_user *user,
		    const struct cosi_mark *mark)
{
	const char *expected = rgw_account_mark(call, mark->owner, mark->name);

	if (cosi_failed(call) || user->is_driver)
		return false;
	if (mark->name != NULL)
		return strcmp(user->display_name, expected) == 0;
	return strncmp(user->display_name, expected, strlen(expected)) == 0;
}

int
rgw_account_check(struct cosi_call *call, const struct rgw_user *user, const struct cosi_mark *mark)
{
	if (user->is_driver)
		return cosi_fail(call, COSI_PRECONDITION,
				 "it is the user that cosid itself works as");
	if (!rgw_account_is_ours(call, user, mark))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the gateway has a user of that name that is not ours");
	return 0;
}

/* The access key depends on the account alone, so it survives a change of credential_key; it tells
 * nothing, and nothing follows from it. */
int
rgw_account_key(const struct rgw *rgw, struct cosi_call *call, const struct cosi_mark *mark,
		const char *native, const struct rgw_key **out)
{
	const char *credential_key = rgw->config->credential_key;
	const char *id =
		cosi_printf(call, "cosid/ceph-rgw/access-key/1/%s/%s", mark->owner, native);
	const char *secret =
		cosi_printf(call, "cosid/ceph-rgw/secret-key/1/%s/%s", mark->owner, native);
	struct rgw_key *key = cosi_alloc(call, sizeof *key);
	struct hash hash, mac;
	char text[HASH_BASE32_MAX];

	*out = NULL;
	if (credential_key == NULL)
		return cosi_failed(call) ? -1 : 0;
	if (key == NULL || hash_sha256(call, id, strlen(id), &hash) != 0 ||
	    hash_hmac(call, credential_key, strlen(credential_key), secret, strlen(secret), &mac) !=
		    0)
		return -1;
	hash_base32(&hash, text);
	key->id = cosi_printf(call, "COSI%.*s", KEY_ID_DIGITS, text);
	hash_base32(&mac, text);
	key->secret = cosi_printf(call, "%s", text);
	hash_wipe(&mac, sizeof mac);
	hash_wipe(text, sizeof text);
	*out = key;
	return cosi_failed(call) ? -1 : 0;
}

/* FNV-1a; never 0, which is an empty slot. */
static uint64_t
hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash | 1;
}

bool
rgw_account_seen(const struct rgw *rgw, const char *native)
{
	uint64_t hash = hash_name(native);

	return atomic_load(&rgw->seen[(hash >> 32) % RGW_SEEN]) == hash;
}

void
rgw_account_remember(struct rgw *rgw, const char *native, bool granted)
{
	uint64_t hash = hash_name(native);

	atomic_store(&rgw->seen[(hash >> 32) % RGW_SEEN], granted ? hash : 0);
}
