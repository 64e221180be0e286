/* SPDX-License-Identifier: Apache-2.0
 * account.c - names, marks and keys of accounts. */
#include "account.h"

#include <string.h>

#include "banned.h"

#define MODULE "ceph-rgw"

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

int
rgw_account_key(const struct rgw *rgw, struct cosi_call *call, const struct cosi_mark *mark,
		const char *native, const struct rgw_key **out)
{
	const char *credential_key = rgw->config->credential_key;
	struct rgw_key *key;

	*out = NULL;
	if (credential_key == NULL)
		return 0;
	key = cosi_alloc(call, sizeof *key);
	if (key == NULL)
		return -1;
	key->id = s3_account_key(call, MODULE, mark->owner, native);
	key->secret = s3_account_secret(call, MODULE, credential_key, mark->owner, native);
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
