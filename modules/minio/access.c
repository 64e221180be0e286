/* SPDX-License-Identifier: Apache-2.0
 * access.c - grant and revoke: a user and a policy per account, joined last.
 *
 *   nothing ─ policy ─► a policy without users ─ user ─► a user without rights ─ attach ─► granted
 *
 * A grant that is cut off opens nothing, and its retry continues from there.  The first request is
 * signed with the key pair that the account would have: its reply tells whether the user exists,
 * which credential key its secret follows from, and whether it has its rights, at the same cost on
 * a server of any size.
 *
 * A revoke takes buckets out of the policy, or the account away.  The user is removed first: from
 * then on its key is refused, and so are its temporary keys.  Those would work again once the
 * account is granted again, so they are revoked, too.  Each request succeeds when there is nothing
 * left for it to do, so a retry sends all three.
 */
#include <string.h>

#include "minio.h"

#include "banned.h"

/* ---- grant ---- */

/* What one grant is about, and how far it is. */
struct minio_granting {
	struct minio *minio;
	const struct cosi_access_req *req;
	struct minio_account account;
	const char *secret; /* the one that the user has or will have */
	struct s3_access access;
	const char *policy;
};

/* What a user with the account's key is at the server. */
enum minio_state {
	ABSENT = 1,
	OPENED, /* may enter the first bucket */
	CLOSED, /* may not */
	OTHER_SECRET,
};

/* GET ?location of the first bucket, signed as the account. */
static int
minio_ask_as(struct cosi_call *call, const struct minio_granting *grant, const char *secret,
	     enum minio_state *out)
{
	const struct s3_store *store = &grant->minio->store;
	const struct s3_client client = { store->client.region, grant->account.key, secret, NULL };
	const char *bucket = grant->req->buckets[0]->native;
	const struct cosi_http_reply *reply;

	if (!store->is_bucket(store, bucket))
		return s3_fail_absent(call, bucket);
	reply = s3_get_setting(call, &client, bucket, "location");
	if (reply == NULL)
		return -1;
	*out = OPENED;
	if (s3_error_is(reply, 404, "NoSuchBucket"))
		return s3_fail_absent(call, bucket);
	if (reply->status != 403)
		return minio_check_location(grant->minio, call, reply);
	*out = CLOSED;
	if (s3_error_is(reply, 403, "AccessDenied"))
		return 0;
	*out = OTHER_SECRET;
	if (s3_error_is(reply, 403, "SignatureDoesNotMatch"))
		return 0;
	*out = ABSENT;
	if (!s3_error_is(reply, 403, "InvalidAccessKeyId"))
		return s3_fail(call, reply);
	if (strstr(reply->body.data, "Your account is disabled") == NULL)
		return 0;
	return cosi_fail(call, COSI_PRECONDITION,
			 "the account's user was disabled at the server, not by cosid");
}

/* The current credential key first, then the previous ones: an account keeps its secret. */
static int
minio_find_user(struct cosi_call *call, struct minio_granting *grant, enum minio_state *out)
{
	const struct minio_config *config = grant->minio->config;
	const char *const none[] = { NULL };
	const char *const *more = config->previous_credential_keys;
	const char *key = config->credential_key, *secret;

	for (more = more != NULL ? more : none; key != NULL; key = *more++) {
		secret =
			minio_account_secret(call, key, grant->req->mark.owner, grant->req->native);
		if (secret == NULL || minio_ask_as(call, grant, secret, out) < 0)
			return -1;
		if (grant->secret == NULL || *out != ABSENT)
			grant->secret = secret;
		if (*out != OTHER_SECRET)
			return 0;
	}
	return cosi_fail(call, COSI_PRECONDITION,
			 "the secret of the server's user '%s' follows from none of the configured "
			 "credential keys: is one missing in previous_credential_keys?",
			 grant->account.key);
}

static int
minio_make_account(struct cosi_call *call, const struct minio_granting *grant, bool has_user)
{
	const struct minio_account *account = &grant->account;
	bool gone;

	if (s3_grant_check_buckets(&grant->minio->store, call, &grant->access) < 0 ||
	    minio_policy_put(grant->minio, call, account->policy, grant->policy) < 0)
		return -1;
	if (!has_user && minio_user_put(grant->minio, call, account->key, grant->secret) < 0)
		return -1;
	if (minio_user_join(grant->minio, call, account->key, account->policy, &gone) < 0)
		return -1;
	if (gone)
		return cosi_fail(call, COSI_BUSY, "the account was revoked by another request");
	return 0;
}

/* The user exists.  One without a policy was left by a grant that was cut off before its
 * credentials were told to anyone, so another request may have it. */
static int
minio_join_account(struct cosi_call *call, const struct minio_granting *grant,
		   enum minio_state state)
{
	const struct minio_account *account = &grant->account;
	struct minio_user user;
	const char *document;
	bool was_cut = false;

	if (minio_policy_get(grant->minio, call, account->policy, &document) < 0)
		return -1;
	if (document != NULL &&
	    !minio_account_same(call, document, &grant->access, grant->req->mark.params)) {
		if (state == CLOSED) {
			if (minio_user_get(grant->minio, call, account->key, &user) < 0)
				return -1;
			was_cut = !user.found || user.policy[0] == '\0';
		}
		if (!was_cut)
			return cosi_fail(call, COSI_EXISTS,
					 "the account exists with access to other buckets, in "
					 "other modes or with other parameters");
	}
	if (document == NULL || state == CLOSED)
		return minio_make_account(call, grant, true);
	if (s3_policy_equal(document, grant->policy))
		return 0;
	return minio_policy_put(grant->minio, call, account->policy, grant->policy);
}

static int
minio_grant_account(struct cosi_call *call, struct minio_granting *grant, struct cosi_access *out)
{
	const struct cosi_access_req *req = grant->req;
	enum minio_state state = ABSENT;

	if (s3_grant_begin(&grant->minio->store, call, req, &grant->access, out) < 0)
		return -1;
	grant->policy = minio_account_policy(call, &grant->access, req->mark.params);
	if (grant->policy == NULL ||
	    minio_account_names(call, req->mark.owner, req->native, &grant->account) < 0 ||
	    minio_find_user(call, grant, &state) < 0)
		return -1;
	return state == ABSENT ? minio_make_account(call, grant, false)
			       : minio_join_account(call, grant, state);
}

int
minio_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	struct minio_granting grant = { .minio = instance, .req = req };

	if (minio_grant_account(call, &grant, out) < 0)
		return cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
	out->key_id = grant.account.key;
	out->key_secret = grant.secret;
	return 0;
}

/* ---- revoke ---- */

static int
minio_revoke_account(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_access_req *req)
{
	struct minio_account account;
	struct s3_access access;
	struct minio_user user;
	const char *document;
	bool changed, in_use;

	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cosid creates no accounts of such names");
	if (minio_account_names(call, req->mark.owner, req->native, &account) < 0)
		return -1;
	if (req->nbuckets > 0) {
		if (minio_policy_get(minio, call, account.policy, &document) < 0 ||
		    s3_policy_take_out(call, document, req, &access, &changed) < 0)
			return -1;
		if (access.n > 0 && !changed)
			return 0;
		if (access.n > 0) {
			document = minio_account_policy(call, &access, NULL);
			return document != NULL
				       ? minio_policy_put(minio, call, account.policy, document)
				       : -1;
		}
	}
	if (minio_user_remove(minio, call, account.key) < 0 ||
	    minio_policy_remove(minio, call, account.policy, &in_use) < 0)
		return -1;
	if (!in_use)
		return minio_user_revoke_tokens(minio, call, account.key);
	/* The policy is attached although the user is removed: by a grant of another daemon in
	 * between, or by an operator to other users. */
	if (minio_user_get(minio, call, account.key, &user) < 0)
		return -1;
	if (user.found)
		return cosi_fail(call, COSI_BUSY,
				 "the account was granted again by another request");
	return cosi_fail(
		call, COSI_PRECONDITION,
		"the account's user is removed, but other users or groups have the policy '%s': "
		"detach it there first",
		account.policy);
}

int
minio_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	if (minio_revoke_account(instance, call, req) < 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	return 0;
}
