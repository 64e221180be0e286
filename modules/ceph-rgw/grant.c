/* SPDX-License-Identifier: Apache-2.0
 * grant.c - a user of the gateway per account, with one policy for all its buckets.
 *
 *   nothing ─ PUT user ─► a user without rights ─ PutUserPolicy ─► granted
 *
 * The policy comes last, because the gateway (16.2) drops a user's policies on every later change
 * of the user.  What was cut off between the two opens nothing, and the retry goes on from there.
 */
#include <string.h>

#include "rgw.h"

#include "banned.h"

/* What one grant is about, and how far it is. */
struct rgw_granting {
	const struct rgw *rgw;
	const struct cosi_access_req *req;
	const struct rgw_key *derived; /* NULL: the gateway makes the key */
	struct s3_access access;
	const char *policy;
	struct rgw_user user;
};

/* The gateway takes a policy for a bucket that does not exist: it would open any later bucket of
 * that name. */
static int
rgw_grant_check_buckets(struct cosi_call *call, struct rgw_granting *grant, struct cosi_access *out)
{
	const struct cosi_access_req *req = grant->req;
	struct s3_look look;

	grant->access.buckets = cosi_alloc(call, req->nbuckets * sizeof *grant->access.buckets);
	if (grant->access.buckets == NULL)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native = req->buckets[i]->native;

		if (s3_look(&grant->rgw->store, call, native, &look) < 0)
			return cosi_fail(call, 0, "cannot read bucket '%.255s'", native);
		if (!look.exists)
			return s3_fail_absent(call, native);
		out->buckets[i]->protocols = COSI_S3;
		out->buckets[i]->region = grant->rgw->config->region;
		grant->access.buckets[i] = *req->buckets[i];
	}
	grant->access.n = req->nbuckets;
	grant->policy = s3_policy_write(call, &rgw_modes, &grant->access, NULL);
	return grant->policy != NULL ? 0 : -1;
}

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
	bool has_key = grant->user.key.id != NULL;
	struct s3_access there;

	if (rgw_account_check(call, &grant->user, &grant->req->mark) < 0)
		return -1;
	if (grant->user.suspended)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the account's user was suspended at the gateway, not by cosid");
	/* The gateway drops a user's policies with its keys. */
	if (rgw_policy_get(grant->rgw, call, native,
			   has_key && rgw_account_seen(grant->rgw, native), &document) < 0)
		return -1;
	if (document != NULL && (s3_policy_read(call, document, &there) < 0 ||
				 !s3_access_equal(&there, &grant->access)))
		return cosi_fail(call, COSI_EXISTS,
				 "the account exists with other buckets or modes");
	if (!has_key) {
		if (rgw_user_add_key(grant->rgw, call, native, grant->derived) < 0)
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

	if (rgw_account_seen(grant->rgw, native)) {
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
	const struct cosi_access_req *req = grant->req;

	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_INVALID, "cosid creates no accounts of such names");
	if (rgw_grant_check_buckets(call, grant, out) < 0 ||
	    rgw_account_key(grant->rgw, call, &req->mark, req->native, &grant->derived) < 0 ||
	    rgw_grant_user(call, grant) < 0)
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

	rgw_account_remember(instance, req->native, rc == 0);
	return rc == 0 ? 0 : cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
}
