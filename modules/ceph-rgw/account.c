/* SPDX-License-Identifier: Apache-2.0
 * account.c - rights, tags and keys of accounts, and the list of them. */
#include <string.h>

#include "rest/rest.h"
#include "rgw.h"
#include "s3/name.h"

#include "banned.h"

#define RGW_MODULE "ceph-rgw"

/* What each mode may do; each call of each mode was tried on 16.2.15.  None of them reaches the
 * bucket's own settings, and none can delete a version.  An object belongs to its writer, whom the
 * gateway lets read it unless that is denied. */
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
const struct s3_policy_modes rgw_modes = { .of = {
	[COSI_READ_WRITE] = {
		LIST("s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"),
		LIST("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload",
		     "s3:ListMultipartUploadParts"),
		NULL,
	},
	[COSI_READ_ONLY] = {
		LIST("s3:GetBucketLocation", "s3:ListBucket"),
		LIST("s3:GetObject"),
		NULL,
	},
	[COSI_WRITE_ONLY] = {
		LIST("s3:GetBucketLocation"),
		LIST("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
		LIST("s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectAcl", "s3:GetObjectTagging"),
	},
} };

const char *
rgw_account_mark(struct cosi_call *call, const char *owner, const char *name)
{
	return cosi_printf(call, "cosid:%s:%s", owner, name != NULL ? name : "");
}

static bool
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
				 "the user is the one that cosid itself works as");
	if (!rgw_account_is_ours(call, user, mark))
		return cosi_fail(call, COSI_PRECONDITION,
				 "the gateway has a user of that name that cosid did not create "
				 "for this owner");
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
	key->id = s3_account_key(call, RGW_MODULE, mark->owner, native);
	key->secret = s3_account_secret(call, RGW_MODULE, credential_key, mark->owner, native);
	*out = key;
	return cosi_failed(call) ? -1 : 0;
}

/* FNV-1a; never 0, which means none. */
static uint64_t
rgw_hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash | 1;
}

bool
rgw_account_seen(const struct rgw *rgw, const char *native)
{
	uint64_t hash = rgw_hash_name(native);

	return atomic_load(&rgw->seen[(hash >> 32) % RGW_SEEN]) == hash;
}

void
rgw_account_remember(struct rgw *rgw, const char *native, bool granted)
{
	uint64_t hash = rgw_hash_name(native);

	atomic_store(&rgw->seen[(hash >> 32) % RGW_SEEN], granted ? hash : 0);
}

/* ---- list ---- */

struct rgw_listing {
	const struct rgw *rgw;
	const char *owner;
	s3_found_fn *found;
};

/* Whose a user is stands in its display name, which costs a request each. */
static int
rgw_list_account(struct cosi_call *call, void *arg, const char *uid)
{
	const struct rgw_listing *listing = arg;
	const struct cosi_mark mark = { .owner = listing->owner };
	const char *name;
	struct rgw_user user;

	if (!rest_is_account(uid))
		return 0;
	if (rgw_user_get(listing->rgw, call, uid, NULL, &user) < 0)
		return -1;
	if (!user.found || !rgw_account_is_ours(call, &user, &mark))
		return 0;
	name = user.display_name + strlen(rgw_account_mark(call, listing->owner, NULL));
	return listing->found(call, COSI_FOUND(.kind = COSI_ACCOUNT, .native = uid,
					       .mark = { listing->owner, name, NULL })) != 0;
}

int
rgw_list_accounts(const struct s3_store *store, struct cosi_call *call, const char *owner,
		  s3_found_fn *found)
{
	struct rgw_listing listing = { (const struct rgw *)store, owner, found };

	return rgw_user_list(listing.rgw, call, rgw_list_account, &listing);
}
