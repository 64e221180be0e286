/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - takes buckets out of an account, or the account away.
 *
 * The gateway's 404 for a user cannot be trusted alone: while RADOS does not answer it can mean "I
 * could not read it", and a revoke that is answered OK is never tried again.  So the account is
 * gone only when the gateway says so after RADOS has proved that it answers.
 */
#include "rgw.h"

#include "banned.h"

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
rgw_revoke_buckets(const struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
		   size_t *out_left)
{
	struct s3_access access;
	const char *document;
	bool changed;

	if (rgw_policy_get(rgw, call, req->native, rgw_account_seen(rgw, req->native), &document) <
		    0 ||
	    s3_policy_take_out(call, document, req, &access, &changed) < 0)
		return -1;
	*out_left = access.n;
	if (access.n == 0 || !changed)
		return 0;
	document = s3_policy_write(call, &rgw_modes, &access, NULL);
	return document != NULL ? rgw_policy_put(rgw, call, req->native, document) : -1;
}

static int
rgw_revoke_account(const struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
		   size_t *out_left)
{
	struct rgw_user user;

	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cosid creates no accounts of such names");
	if (rgw_user_get(rgw, call, req->native, NULL, &user) < 0)
		return -1;
	if (!user.found && rgw_revoke_confirm(rgw, call, req->native, &user) < 0)
		return -1;
	if (!user.found)
		return 0;
	if (rgw_account_check(call, &user, &req->mark) < 0)
		return -1;
	if (req->nbuckets > 0 && rgw_revoke_buckets(rgw, call, req, out_left) < 0)
		return -1;
	if (*out_left > 0)
		return 0;
	if (rgw_user_delete(rgw, call, req->native) < 0 ||
	    rgw_revoke_confirm(rgw, call, req->native, &user) < 0)
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
	rgw_account_remember(instance, req->native, left > 0);
	return 0;
}
