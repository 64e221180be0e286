/* SPDX-License-Identifier: Apache-2.0
 * access.c - grant, revoke, and the list of accounts: a user of the gateway per account, with one
 * policy for all its buckets.
 *
 *   nothing ─ PUT user ─► a user without rights ─ PutUserPolicy ─► granted
 *
 * The policy comes last, because the gateway (16.2) drops a user's policies on every later change
 * of the user.  What was cut off between the two opens nothing, and the retry goes on from there.
 *
 * A user that exists may list a key that opens nothing, because the gateway crashed while it made
 * it: a grant believes the key only when the gateway finds the user by it.
 *
 * The gateway's 404 for a user cannot be trusted alone: while RADOS does not answer it can mean "I
 * could not read it", and a revoke that is answered OK is never tried again.  So the account is
 * gone only when the gateway says so after RADOS has proved that it answers.
 */
#include <string.h>

#include "rgw.h"
#include "s3/name.h"
#include "text/text.h"

#include "banned.h"

#define RGW_MODULE "ceph-rgw"

/* What each mode may do; each call of each mode was tried on 16.2.15.  None of them reaches the
 * bucket's own settings, and none can delete a version.  An object belongs to its writer, whom the
 * gateway lets read it unless that is denied. */
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const struct s3_policy_modes rgw_modes = { .of = {
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

/* The display name that tags a user: "cosid:<owner>:<request's name>". */
static const char *
rgw_account_mark(struct cosi_call *call, const char *owner, const char *name)
{
	return cosi_printf(call, "cosid:%s:%s", owner, name != NULL ? name : "");
}

/* Did cosid make the user for this owner, and for this request where the mark names it? */
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

static int
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

/* The hint for an account: where it stands, and what stands there once it was granted, never 0. */
static _Atomic uint64_t *
rgw_seen(struct rgw *rgw, struct cosi_call *call, const char *native, uint64_t *out_mark)
{
	struct hash hash = { .bytes = { 0 } };

	(void)hash_sha256(call, native, strlen(native), &hash);
	memcpy(out_mark, hash.bytes, sizeof *out_mark);
	*out_mark |= 1;
	return &rgw->seen[(*out_mark >> 32) % RGW_SEEN];
}

static bool
rgw_is_seen(struct rgw *rgw, struct cosi_call *call, const char *native)
{
	uint64_t mark, there = atomic_load(rgw_seen(rgw, call, native, &mark));

	return there == mark;
}

static void
rgw_remember(struct rgw *rgw, struct cosi_call *call, const char *native, bool granted)
{
	uint64_t mark;
	_Atomic uint64_t *seen = rgw_seen(rgw, call, native, &mark);

	atomic_store(seen, granted ? mark : 0);
}

/* ---- grant ---- */

/* What one grant is about, and how far it is. */
struct rgw_granting {
	struct rgw *rgw;
	const struct cosi_access_req *req;
	const struct rgw_key *derived; /* NULL: the gateway makes the key */
	struct s3_access access;
	const char *policy;
	struct rgw_user user;
};

static int
rgw_grant_get_user(struct cosi_call *call, struct rgw_granting *grant)
{
	return rgw_user_get(grant->rgw, call, grant->req->native,
			    grant->derived != NULL ? grant->derived->id : NULL, &grant->user);
}

/* A key that the gateway made is known for certain only when it is read back: a second PUT of the
 * user, of a daemon that was killed, may have been on its way. */
static int
rgw_grant_finish(struct cosi_call *call, struct rgw_granting *grant)
{
	if (rgw_policy_put(grant->rgw, call, grant->req->native, grant->policy) < 0)
		return -1;
	if (grant->derived != NULL) {
		grant->user.key = *grant->derived;
		return 0;
	}
	if (rgw_grant_get_user(call, grant) < 0)
		return -1;
	if (!grant->user.found)
		return cosi_fail(call, COSI_BUSY,
				 "the account's user was deleted by another request");
	return 0;
}

static int
rgw_grant_join(struct cosi_call *call, struct rgw_granting *grant)
{
	const char *native = grant->req->native, *document;
	const struct rgw_key *key = grant->derived;
	bool has_key = grant->user.key.id != NULL, is_known = false;
	struct s3_access there;

	if (rgw_account_check(call, &grant->user, &grant->req->mark) < 0)
		return -1;
	if (grant->user.suspended)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the account's user was suspended at the gateway, not by cosid");
	/* The gateway drops a user's policies with its keys. */
	if (rgw_policy_get(grant->rgw, call, native,
			   has_key && rgw_is_seen(grant->rgw, call, native), &document) < 0)
		return -1;
	if (document != NULL && s3_policy_read(call, document, &there) < 0)
		return cosi_fail(call, COSI_UNAVAILABLE, "the account's policy cannot be read");
	if (document != NULL && !s3_access_equal(&there, &grant->access))
		return cosi_fail(call, COSI_EXISTS,
				 "the account exists with other buckets or modes");
	if (has_key) {
		key = &grant->user.key;
		if (rgw_key_is_known(grant->rgw, call, native, key->id, &is_known) < 0 ||
		    (!is_known && rgw_user_remove_key(grant->rgw, call, native, key->id) < 0))
			return -1;
	}
	if (!is_known) {
		if (rgw_user_add_key(grant->rgw, call, native, key) < 0)
			return -1;
		return rgw_grant_finish(call, grant);
	}
	if (document != NULL && s3_policy_equal(document, grant->policy))
		return 0;
	return rgw_policy_put(grant->rgw, call, native, grant->policy);
}

/* A new account takes fewest requests when the user is put first, a known one when it is read
 * first. */
static int
rgw_grant_user(struct cosi_call *call, struct rgw_granting *grant)
{
	const struct cosi_mark *mark = &grant->req->mark;
	const char *native = grant->req->native;
	bool exists;

	if (rgw_is_seen(grant->rgw, call, native)) {
		if (rgw_grant_get_user(call, grant) < 0)
			return -1;
		if (grant->user.found)
			return rgw_grant_join(call, grant);
	}
	if (rgw_user_create(grant->rgw, call, native,
			    rgw_account_mark(call, mark->owner, mark->name), grant->derived,
			    &exists) < 0)
		return -1;
	if (!exists)
		return rgw_grant_finish(call, grant);
	if (rgw_grant_get_user(call, grant) < 0)
		return -1;
	if (!grant->user.found)
		return cosi_fail(call, COSI_BUSY, "the account's user is being created or deleted");
	return rgw_grant_join(call, grant);
}

static int
rgw_grant_account(struct cosi_call *call, struct rgw_granting *grant, struct cosi_access *out)
{
	const struct s3_store *store = &grant->rgw->store;
	const char *credential_key = grant->rgw->config->credential_key;
	const struct cosi_access_req *req = grant->req;
	const char *owner = req->mark.owner;
	struct rgw_key derived;

	if (s3_grant_begin(store, call, req, &grant->access, out) < 0 ||
	    s3_grant_check_buckets(store, call, &grant->access) < 0)
		return -1;
	grant->policy = s3_policy_write(call, &rgw_modes, &grant->access, NULL);
	if (grant->policy == NULL)
		return -1;
	if (credential_key != NULL) {
		derived.id = s3_account_key(call, RGW_MODULE, owner, req->native);
		derived.secret =
			s3_account_secret(call, RGW_MODULE, credential_key, owner, req->native);
		grant->derived = &derived;
	}
	if (cosi_failed(call) || rgw_grant_user(call, grant) < 0)
		return -1;
	if (grant->user.key.id == NULL)
		return cosi_fail(call, COSI_BUSY,
				 "the account's key was removed by another request");
	out->key_id = grant->user.key.id;
	out->key_secret = grant->user.key.secret;
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	  struct cosi_access *out)
{
	struct rgw_granting grant = { .rgw = instance, .req = req };
	int rc = rgw_grant_account(call, &grant, out);

	rgw_remember(instance, call, req->native, rc == 0);
	return rc == 0 ? 0 : cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
}

/* ---- revoke ---- */

static int
rgw_revoke_confirm(const struct rgw *rgw, struct cosi_call *call, const char *native,
		   struct rgw_user *out_user)
{
	if (rgw_check_alive(rgw, call) < 0)
		return -1;
	return rgw_user_get(rgw, call, native, NULL, out_user);
}

/* *out_left: how many buckets the account keeps; 0 also when it has no policy of cosid's. */
static int
rgw_revoke_account(struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
		   size_t *out_left)
{
	const char *native = req->native, *document;
	struct s3_access access;
	struct rgw_user user;
	bool changed;

	if (!rest_is_account(native))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cosid creates no accounts of such names");
	if (rgw_user_get(rgw, call, native, NULL, &user) < 0)
		return -1;
	if (!user.found && rgw_revoke_confirm(rgw, call, native, &user) < 0)
		return -1;
	if (!user.found)
		return 0;
	if (rgw_account_check(call, &user, &req->mark) < 0)
		return -1;
	if (req->nbuckets > 0) {
		if (rgw_policy_get(rgw, call, native, rgw_is_seen(rgw, call, native), &document) <
			    0 ||
		    s3_policy_take_out(call, document, req, &access, &changed) < 0)
			return -1;
		*out_left = access.n;
		if (access.n > 0 && !changed)
			return 0;
		if (access.n > 0) {
			document = s3_policy_write(call, &rgw_modes, &access, NULL);
			return document != NULL ? rgw_policy_put(rgw, call, native, document) : -1;
		}
	}
	if (rgw_user_delete(rgw, call, native) < 0 ||
	    rgw_revoke_confirm(rgw, call, native, &user) < 0)
		return -1;
	if (user.found)
		return cosi_fail(call, COSI_BUSY,
				 "the account's user exists again after its deletion");
	return 0;
}

int
rgw_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	size_t left = 0;

	if (rgw_revoke_account(instance, call, req, &left) < 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	rgw_remember(instance, call, req->native, left > 0);
	return 0;
}

/* ---- list ---- */

struct rgw_listing {
	const struct rgw *rgw;
	const char *owner;
	s3_found_fn *found;
};

/* The display name tells which owner a user belongs to; reading it costs one request a user. */
static int
rgw_list_page(struct cosi_call *call, void *arg, const char *marker, const char **out_next)
{
	const struct rgw_listing *listing = arg;
	const struct cosi_mark mark = { .owner = listing->owner };
	size_t prefix = strlen(rgw_account_mark(call, listing->owner, NULL)), i;
	json_auto_t *names = NULL;
	const json_t *name;
	struct rgw_user user;

	if (rgw_user_names(listing->rgw, call, marker, &names, out_next) < 0)
		return -1;
	json_array_foreach(names, i, name) {
		const char *uid = json_string_value(name);

		if (uid == NULL || !rest_is_account(uid))
			continue;
		if (rgw_user_get(listing->rgw, call, uid, NULL, &user) < 0)
			return -1;
		if (!user.found || !rgw_account_is_ours(call, &user, &mark))
			continue;
		if (listing->found(call,
				   COSI_FOUND(.kind = COSI_ACCOUNT, .native = uid,
					      .mark = { listing->owner, user.display_name + prefix,
							NULL })) != 0)
			return 1;
	}
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_list_accounts(const struct s3_store *store, struct cosi_call *call, const char *owner,
		  s3_found_fn *found)
{
	struct rgw_listing listing = { (const struct rgw *)store, owner, found };

	return rest_pages(call, rgw_list_page, &listing);
}
