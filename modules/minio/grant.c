/* SPDX-License-Identifier: Apache-2.0
 * grant.c - a user and a policy per account, joined last.
 *
 *   nothing ─ policy ─► a policy that nobody has ─ user ─► a user without rights ─ join ─► granted
 *
 * What was cut off opens nothing, and the retry goes on from there.  The account itself is asked
 * first, with the keys that follow from its name: one request that says whether it is there, whose
 * secret it has and whether it works, at any size of the server.
 */
#include <string.h>

#include "account.h"
#include "admin.h"
#include "text/account.h"

#include "banned.h"

/* What one grant is about, and how far it is. */
struct grant {
	struct minio *minio;
	const struct cosi_access_req *req;
	struct minio_account account;
	const char *secret; /* the one that the user has, or shall have */
	struct s3_access access;
	const char *policy;
};

/* What a user with the account's key is at the server. */
enum state {
	ABSENT = 1,
	OPENED, /* may enter the first bucket */
	CLOSED, /* may not */
	OTHER_SECRET,
};

static int
fail_absent(struct cosi_call *call, const char *bucket)
{
	return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'", bucket);
}

/* 0: *out; else the call has failed. */
static int
state_of(const struct grant *grant, struct cosi_call *call, const struct cosi_http_reply *reply,
	 enum state *out)
{
	*out = OPENED;
	if (s3_error_is(reply, 404, "NoSuchBucket"))
		return fail_absent(call, grant->req->buckets[0]->native);
	if (reply->status != 403)
		return minio_bucket_located(grant->minio, call, reply);
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
			 "it was disabled at the server, by somebody else");
}

static int
ask_as(struct cosi_call *call, const struct grant *grant, const char *secret, enum state *out)
{
	const struct s3_client client = { grant->minio->config->region, grant->account.key, secret,
					  NULL };
	const char *bucket = grant->req->buckets[0]->native;
	const struct cosi_http_reply *reply;

	if (!minio_name_is_bucket(bucket))
		return fail_absent(call, bucket);
	reply = s3_call(call, &client, .method = "GET", .path = s3_path(call, bucket, NULL),
			REST_QUERY({ "location", NULL }));
	return reply != NULL ? state_of(grant, call, reply, out) : -1;
}

/* The current credential key first, then the previous ones: what works is kept. */
static int
find_user(struct cosi_call *call, struct grant *grant, enum state *out)
{
	const struct minio_config *config = grant->minio->config;
	const char *const none[] = { NULL };
	const char *const *more = config->previous_credential_keys;
	const char *key = config->credential_key, *secret;

	for (more = more != NULL ? more : none; key != NULL; key = *more++) {
		secret =
			minio_account_secret(call, key, grant->req->mark.owner, grant->req->native);
		if (secret == NULL || ask_as(call, grant, secret, out) != 0)
			return -1;
		if (grant->secret == NULL || *out != ABSENT)
			grant->secret = secret;
		if (*out != OTHER_SECRET)
			return 0;
	}
	return cosi_fail(call, COSI_PRECONDITION,
			 "the server has a user '%s' whose secret follows from none of our "
			 "credential keys: is one missing among previous_credential_keys?",
			 grant->account.key);
}

/* A policy is only text to the server: it would open any bucket that ever bears the name. */
static int
check_buckets(struct cosi_call *call, const struct grant *grant)
{
	for (size_t i = 0; i < grant->access.n; i++) {
		const char *native = grant->access.buckets[i].native;
		bool exists;

		if (minio_bucket_exists(grant->minio, call, native, &exists) != 0)
			return cosi_fail(call, 0, "cannot look at bucket '%.255s'", native);
		if (!exists)
			return fail_absent(call, native);
	}
	return 0;
}

static int
make(struct cosi_call *call, const struct grant *grant, bool has_user)
{
	const struct minio_account *account = &grant->account;
	bool gone;

	if (check_buckets(call, grant) != 0 ||
	    minio_policy_put(grant->minio, call, account->policy, grant->policy) != 0)
		return -1;
	if (!has_user && minio_user_put(grant->minio, call, account->key, grant->secret) != 0)
		return -1;
	if (minio_user_join(grant->minio, call, account->key, account->policy, &gone) != 0)
		return -1;
	if (gone)
		return cosi_fail(call, COSI_BUSY, "it was revoked meanwhile");
	return 0;
}

static int
fail_other(struct cosi_call *call)
{
	return cosi_fail(call, COSI_EXISTS,
			 "it exists, with access to other buckets, in other modes or with other "
			 "parameters");
}

/* A user that no policy was given to was left by a grant that was cut off: nobody was told of it,
 * so another request may have it. */
static int
check_unused(struct cosi_call *call, const struct grant *grant)
{
	struct minio_user user;

	if (minio_user_get(grant->minio, call, grant->account.key, &user) != 0)
		return -1;
	return user.found && user.policy[0] != '\0' ? fail_other(call) : 0;
}

static int
join(struct cosi_call *call, const struct grant *grant, enum state state)
{
	const char *document;

	if (minio_policy_get(grant->minio, call, grant->account.policy, &document) != 0)
		return -1;
	if (document != NULL &&
	    !minio_account_same(call, document, &grant->access, grant->req->mark.params) &&
	    (state == OPENED ? fail_other(call) : check_unused(call, grant)) != 0)
		return -1;
	if (document == NULL || state == CLOSED)
		return make(call, grant, true);
	if (s3_policy_equal(document, grant->policy))
		return 0;
	return minio_policy_put(grant->minio, call, grant->account.policy, grant->policy);
}

static int
prepare(struct cosi_call *call, struct grant *grant, struct cosi_access *out)
{
	const struct cosi_access_req *req = grant->req;

	if (!account_name_ok(req->native))
		return cosi_fail(call, COSI_INVALID, "no account of ours has such a name");
	grant->access.buckets = cosi_alloc(call, req->nbuckets * sizeof *grant->access.buckets);
	if (grant->access.buckets == NULL)
		return -1;
	grant->access.n = req->nbuckets;
	for (size_t i = 0; i < req->nbuckets; i++) {
		grant->access.buckets[i] = *req->buckets[i];
		out->buckets[i]->protocols = COSI_S3;
		out->buckets[i]->region = grant->minio->config->region;
	}
	grant->policy = minio_account_policy(call, &grant->access, req->mark.params);
	if (grant->policy == NULL)
		return -1;
	return minio_account_names(call, req->mark.owner, req->native, &grant->account);
}

int
minio_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	struct grant grant = { .minio = instance, .req = req };
	enum state state = ABSENT;

	if (prepare(call, &grant, out) != 0 || find_user(call, &grant, &state) != 0 ||
	    (state == ABSENT ? make(call, &grant, false) : join(call, &grant, state)) != 0)
		return cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
	out->key_id = grant.account.key;
	out->key_secret = grant.secret;
	return 0;
}
