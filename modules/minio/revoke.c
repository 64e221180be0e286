/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - takes buckets out of an account, or the account away.
 *
 * The user goes first: from then on its key is refused, and so are the temporary keys that it gave
 * itself.  Those would work again once the account is granted again, so they are ended for good.
 * Each request is a success when there is nothing left for it to do, so a retry sends all three.
 */
#include <string.h>

#include "account.h"
#include "admin.h"
#include "text/account.h"

#include "banned.h"

/* *out_left: how many buckets the account keeps; 0 also when it has no policy. */
static int
take_out(const struct minio *minio, struct cosi_call *call, const struct cosi_access_req *req,
	 const char *policy, size_t *out_left)
{
	struct s3_access access = { 0 };
	const char *document;
	bool changed;

	if (minio_policy_get(minio, call, policy, &document) != 0)
		return -1;
	if (document != NULL && s3_policy_read(call, document, &access) != 0)
		return cosi_fail(call, COSI_UNAVAILABLE, "its policy cannot be read");
	changed = s3_access_take_out(&access, req);
	*out_left = access.n;
	if (access.n == 0 || !changed)
		return 0;
	document = minio_account_policy(call, &access, NULL);
	return document != NULL ? minio_policy_put(minio, call, policy, document) : -1;
}

/* Somebody has the policy although the user is gone: a grant of another daemon that ran in
 * between, or an operator who gave it to others. */
static int
fail_in_use(const struct minio *minio, struct cosi_call *call, const struct minio_account *account)
{
	struct minio_user user;

	if (minio_user_get(minio, call, account->key, &user) != 0)
		return -1;
	if (user.found)
		return cosi_fail(call, COSI_BUSY, "it was granted again meanwhile");
	return cosi_fail(call, COSI_PRECONDITION,
			 "its key is dead, but somebody gave its policy '%s' to others, who must "
			 "lose it first",
			 account->policy);
}

static int
remove_account(const struct minio *minio, struct cosi_call *call,
	       const struct minio_account *account)
{
	bool in_use;

	if (minio_user_remove(minio, call, account->key) != 0 ||
	    minio_policy_remove(minio, call, account->policy, &in_use) != 0)
		return -1;
	if (in_use)
		return fail_in_use(minio, call, account);
	return minio_user_revoke_tokens(minio, call, account->key);
}

static int
revoke(const struct minio *minio, struct cosi_call *call, const struct cosi_access_req *req)
{
	struct minio_account account;
	size_t left = 0;

	if (!account_name_ok(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	if (minio_account_names(call, req->mark.owner, req->native, &account) != 0)
		return -1;
	if (req->nbuckets > 0 && take_out(minio, call, req, account.policy, &left) != 0)
		return -1;
	return left == 0 ? remove_account(minio, call, &account) : 0;
}

int
minio_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	if (revoke(instance, call, req) != 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	return 0;
}
