/* SPDX-License-Identifier: Apache-2.0
 * grant.c - a user and a policy per account, joined last.
 *
 *   nothing ─ policy ─► a policy without users ─ user ─► a user without rights ─ attach ─► granted
 *
 * A grant that is cut off opens nothing, and its retry continues from there.  The first request is
 * signed with the key pair that the account would have: its reply tells whether the user exists,
 * which credential key its secret follows from, and whether it has its rights, at the same cost on
 * a server of any size.
 */
#include <string.h>

#include "minio.h"

#include "banned.h"

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

/* Reads the reply to GET ?location of the first bucket, signed as the account. */
static int
minio_read_state(const struct minio_granting *grant, struct cosi_call *call,
		 const struct cosi_http_reply *reply, enum minio_state *out)
{
	*out = OPENED;
	if (s3_error_is(reply, 404, "NoSuchBucket"))
		return s3_fail_absent(call, grant->req->buckets[0]->native);
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
	return reply != NULL ? minio_read_state(grant, call, reply, out) : -1;
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

/* The server takes a policy for a bucket that does not exist: it would open any later bucket of
 * that name. */
static int
minio_check_buckets(struct cosi_call *call, const struct minio_granting *grant)
{
	for (size_t i = 0; i < grant->access.n; i++) {
		const char *native = grant->access.buckets[i].native;
		bool exists;

		if (minio_exists(&grant->minio->store, call, native, &exists) < 0)
			return cosi_fail(call, 0, "cannot read bucket '%.255s'", native);
		if (!exists)
			return s3_fail_absent(call, native);
	}
	return 0;
}

static int
minio_make_account(struct cosi_call *call, const struct minio_granting *grant, bool has_user)
{
	const struct minio_account *account = &grant->account;
	bool gone;

	if (minio_check_buckets(call, grant) < 0 ||
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

/* A user without a policy was left by a grant that was cut off before its credentials were told to
 * anyone, so another request may have it. */
static int
minio_check_other(struct cosi_call *call, const struct minio_granting *grant,
		  enum minio_state state)
{
	struct minio_user user;

	if (state == CLOSED) {
		if (minio_user_get(grant->minio, call, grant->account.key, &user) < 0)
			return -1;
		if (!user.found || user.policy[0] == '\0')
			return 0;
	}
	return cosi_fail(
		call, COSI_EXISTS,
		"the account exists with access to other buckets, in other modes or with other "
		"parameters");
}

static int
minio_join_account(struct cosi_call *call, const struct minio_granting *grant,
		   enum minio_state state)
{
	const char *document;

	if (minio_policy_get(grant->minio, call, grant->account.policy, &document) < 0)
		return -1;
	if (document != NULL &&
	    !minio_account_same(call, document, &grant->access, grant->req->mark.params) &&
	    minio_check_other(call, grant, state) < 0)
		return -1;
	if (document == NULL || state == CLOSED)
		return minio_make_account(call, grant, true);
	if (s3_policy_equal(document, grant->policy))
		return 0;
	return minio_policy_put(grant->minio, call, grant->account.policy, grant->policy);
}

static int
minio_prepare_grant(struct cosi_call *call, struct minio_granting *grant, struct cosi_access *out)
{
	const struct cosi_access_req *req = grant->req;

	if (!rest_is_account(req->native))
		return cosi_fail(call, COSI_INVALID, "cosid creates no accounts of such names");
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
	struct minio_granting grant = { .minio = instance, .req = req };
	enum minio_state state = ABSENT;

	if (minio_prepare_grant(call, &grant, out) < 0 ||
	    minio_find_user(call, &grant, &state) < 0 ||
	    (state == ABSENT ? minio_make_account(call, &grant, false)
			     : minio_join_account(call, &grant, state)) < 0)
		return cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
	out->key_id = grant.account.key;
	out->key_secret = grant.secret;
	return 0;
}
