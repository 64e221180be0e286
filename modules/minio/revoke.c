/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - takes buckets out of an account, or the account away.
 *
 * The user is removed first: from then on its key is refused, and so are its temporary keys.  Those
 * would work again once the account is granted again, so they are revoked, too.  Each request
 * succeeds when there is nothing left for it to do, so a retry sends all three.
 */
#include "minio.h"

#include "banned.h"

/* *out_left: how many buckets the account keeps; 0 also when it has no policy. */
static int
minio_revoke_buckets(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_access_req *req, const char *policy, size_t *out_left)
{
	struct s3_access access;
	const char *document;
	bool changed;

	if (minio_policy_get(minio, call, policy, &document) < 0 ||
	    s3_policy_take_out(call, document, req, &access, &changed) < 0)
		return -1;
	*out_left = access.n;
	if (access.n == 0 || !changed)
		return 0;
	document = minio_account_policy(call, &access, NULL);
	return document != NULL ? minio_policy_put(minio, call, policy, document) : -1;
}

/* The policy is attached although the user is removed: by a grant of another daemon in between, or
 * by an operator to other users. */
static int
minio_fail_in_use(const struct minio *minio, struct cosi_call *call,
		  const struct minio_account *account)
{
	struct minio_user user;

	if (minio_user_get(minio, call, account->key, &user) < 0)
		return -1;
	if (user.found)
		return cosi_fail(call, COSI_BUSY,
				 "the account was granted again by another request");
	return cosi_fail(
		call, COSI_PRECONDITION,
		"the account's user is removed, but other users or groups have the policy '%s': "
		"detach it there first",
		account->policy);
}

static int
minio_remove_account(const struct minio *minio, struct cosi_call *call,
		     const struct minio_account *account)
{
	bool in_use;

	if (minio_user_remove(minio, call, account->key) < 0 ||
	    minio_policy_remove(minio, call, account->policy, &in_use) < 0)
		return -1;
	if (in_use)
		return minio_fail_in_use(minio, call, account);
	return minio_user_revoke_tokens(minio, call, account->key);
}

static int
minio_revoke_account(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_access_req *req)
{
	struct minio_account account;
	size_t left = 0;

	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cosid creates no accounts of such names");
	if (minio_account_names(call, req->mark.owner, req->native, &account) < 0)
		return -1;
	if (req->nbuckets > 0 && minio_revoke_buckets(minio, call, req, account.policy, &left) < 0)
		return -1;
	return left == 0 ? minio_remove_account(minio, call, &account) : 0;
}

int
minio_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	if (minio_revoke_account(instance, call, req) < 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	return 0;
}
