/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - takes buckets out of an account, or the account away.
 *
 * The gateway's 404 for a user cannot be trusted alone: while RADOS does not answer it can mean "I
 * could not read it", and a revoke that is answered OK is never tried again.  So the account is
 * gone only when the gateway says so after RADOS has proved that it answers.
 */
#include <string.h>

#include "account.h"
#include "admin.h"
#include "text/account.h"

#include "banned.h"

/* *out_left: what the account keeps; 0 also when it has no policy of ours. */
static int
take_out(const struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
	 size_t *out_left)
{
	struct s3_access access = { 0 };
	const char *document;
	bool changed;

	if (rgw_policy_get(rgw, call, req->native, rgw_account_seen(rgw, req->native), &document) !=
	    0)
		return -1;
	if (document != NULL && s3_policy_read(call, document, &access) != 0)
		return cosi_fail(call, COSI_UNAVAILABLE, "its policy cannot be read");
	changed = s3_access_take_out(&access, req);
	*out_left = access.n;
	if (access.n == 0 || !changed)
		return 0;
	document = s3_policy_write(call, &rgw_modes, &access);
	return document != NULL ? rgw_policy_put(rgw, call, req->native, document) : -1;
}

static int
confirm_gone(const struct rgw *rgw, struct cosi_call *call, const char *native,
	     struct rgw_user *out_user)
{
	if (rgw_admin_alive(rgw, call) != 0)
		return -1;
	return rgw_user_get(rgw, call, native, NULL, out_user);
}

static int
remove_user(const struct rgw *rgw, struct cosi_call *call, const char *native)
{
	struct rgw_user user;

	if (rgw_user_delete(rgw, call, native) != 0 || confirm_gone(rgw, call, native, &user) != 0)
		return -1;
	if (user.found)
		return cosi_fail(call, COSI_BUSY, "it is there again after it was deleted");
	return 0;
}

/* *out_left: how many buckets it still opens. */
static int
revoke(const struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
       size_t *out_left)
{
	struct rgw_user user;

	if (!account_name_ok(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	if (rgw_user_get(rgw, call, req->native, NULL, &user) != 0)
		return -1;
	if (!user.found && confirm_gone(rgw, call, req->native, &user) != 0)
		return -1;
	if (!user.found)
		return 0;
	if (rgw_account_check(call, &user, &req->mark) != 0)
		return -1;
	if (req->nbuckets > 0 && take_out(rgw, call, req, out_left) != 0)
		return -1;
	return *out_left == 0 ? remove_user(rgw, call, req->native) : 0;
}

int
rgw_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	size_t left = 0;

	if (revoke(instance, call, req, &left) != 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	rgw_account_remember(instance, req->native, left > 0);
	return 0;
}
