/* SPDX-License-Identifier: Apache-2.0
 * grant.c - a user of the gateway per account, with one policy for all its buckets.
 *
 *   nothing ─ PUT user ─► a user without rights ─ PutUserPolicy ─► granted
 *
 * The policy comes last, because the gateway (16.2) drops a user's policies on every later change
 * of the user.  What was cut off between the two opens nothing, and the retry goes on from there.
 */
#include <string.h>

#include "account.h"
#include "admin.h"
#include "s3/policy.h"
#include "text/account.h"

#include "banned.h"

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

/* What one grant is about, and how far it is. */
struct grant {
	const struct rgw *rgw;
	const struct cosi_access_req *req;
	const struct rgw_key *derived; /* NULL: the gateway makes the key */
	struct s3_access access;
	const char *policy;
	struct rgw_user user;
};

/* A policy is only text to the gateway: it would open any bucket that ever bears the name. */
static int
check_buckets(struct cosi_call *call, struct grant *grant, struct cosi_access *out)
{
	const struct cosi_access_req *req = grant->req;
	struct rgw_look look;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native = req->buckets[i]->native;

		look.exists = false;
		if (rgw_name_is_bucket(grant->rgw, native) &&
		    rgw_bucket_look(grant->rgw, call, native, &look) != 0)
			return cosi_fail(call, 0, "cannot look at bucket '%.255s'", native);
		if (!look.exists)
			return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'",
					 native);
		out->buckets[i]->protocols = COSI_S3;
		out->buckets[i]->region = grant->rgw->config->region;
		grant->access.buckets[i] = *req->buckets[i];
	}
	grant->access.n = req->nbuckets;
	grant->policy = s3_policy_write(call, &rgw_modes, &grant->access);
	return grant->policy != NULL ? 0 : -1;
}

static int
get_user(struct cosi_call *call, struct grant *grant)
{
	return rgw_user_get(grant->rgw, call, grant->req->native,
			    grant->derived != NULL ? grant->derived->id : NULL, &grant->user);
}

static int
put_policy(struct cosi_call *call, const struct grant *grant)
{
	return rgw_policy_put(grant->rgw, call, grant->req->native, grant->policy);
}

/* A key that the gateway made is known for certain only when it is read back: a second PUT of the
 * user, of a daemon that was killed, may have been on its way. */
static int
finish_new(struct cosi_call *call, struct grant *grant)
{
	if (put_policy(call, grant) != 0)
		return -1;
	if (grant->derived != NULL) {
		grant->user.key = *grant->derived;
		return 0;
	}
	if (get_user(call, grant) != 0)
		return -1;
	if (!grant->user.found)
		return cosi_fail(call, COSI_BUSY, "the user went away meanwhile");
	return 0;
}

static int
check_access(struct cosi_call *call, const struct grant *grant, const char *document)
{
	struct s3_access there;

	if (s3_policy_read(call, document, &there) != 0 || !s3_access_equal(&there, &grant->access))
		return cosi_fail(call, COSI_EXISTS,
				 "it exists, with access to other buckets or in other modes");
	return 0;
}

static int
join(struct cosi_call *call, struct grant *grant)
{
	const char *native = grant->req->native, *document;
	bool expected, whole;

	if (rgw_account_check(call, &grant->user, &grant->req->mark) != 0)
		return -1;
	if (grant->user.suspended)
		return cosi_fail(call, COSI_PRECONDITION,
				 "it was suspended at the gateway, by somebody else");
	/* The gateway drops a user's policies with its keys. */
	expected = grant->user.key.id != NULL && rgw_account_seen(grant->rgw, native);
	if (rgw_policy_get(grant->rgw, call, native, expected, &document) != 0)
		return -1;
	if (document != NULL && check_access(call, grant, document) != 0)
		return -1;
	whole = document != NULL && s3_policy_equal(document, grant->policy);
	if (grant->user.key.id == NULL) {
		if (rgw_user_add_key(grant->rgw, call, native, grant->derived) != 0)
			return -1;
		return finish_new(call, grant);
	}
	return whole ? 0 : put_policy(call, grant);
}

static int
create(struct cosi_call *call, struct grant *grant, bool *out_exists)
{
	const struct cosi_mark *mark = &grant->req->mark;

	return rgw_user_create(grant->rgw, call, grant->req->native,
			       rgw_account_mark(call, mark->owner, mark->name), grant->derived,
			       out_exists);
}

/* New accounts cost least when the user is put first, known ones when it is read first. */
static int
grant_user(struct cosi_call *call, struct grant *grant)
{
	bool exists;

	if (rgw_account_seen(grant->rgw, grant->req->native)) {
		if (get_user(call, grant) != 0)
			return -1;
		if (grant->user.found)
			return join(call, grant);
	}
	if (create(call, grant, &exists) != 0)
		return -1;
	if (!exists)
		return finish_new(call, grant);
	if (get_user(call, grant) != 0)
		return -1;
	if (!grant->user.found)
		return cosi_fail(call, COSI_BUSY, "the user is going away, or coming");
	return join(call, grant);
}

static int
grant(struct rgw *rgw, struct cosi_call *call, const struct cosi_access_req *req,
      struct cosi_access *out)
{
	struct grant grant = { .rgw = rgw, .req = req };

	if (!account_name_ok(req->native))
		return cosi_fail(call, COSI_INVALID, "no account of ours has such a name");
	grant.access.buckets = cosi_alloc(call, req->nbuckets * sizeof *grant.access.buckets);
	if (grant.access.buckets == NULL || check_buckets(call, &grant, out) != 0)
		return -1;
	if (rgw_account_key(rgw, call, &req->mark, req->native, &grant.derived) != 0 ||
	    grant_user(call, &grant) != 0)
		return -1;
	if (grant.user.key.id == NULL)
		return cosi_fail(call, COSI_BUSY, "its key went away meanwhile");
	out->key_id = grant.user.key.id;
	out->key_secret = grant.user.key.secret;
	return cosi_failed(call) ? -1 : 0;
}

int
rgw_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	  struct cosi_access *out)
{
	int rc = grant(instance, call, req, out);

	rgw_account_remember(instance, req->native, rc == 0);
	return rc == 0 ? 0 : cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
}
