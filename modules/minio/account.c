/* SPDX-License-Identifier: Apache-2.0
 * account.c - names, keys and rights of accounts, and all of them. */
#include <string.h>

#include "minio.h"
#include "s3/name.h"

#include "banned.h"

#define MINIO_MODULE "minio"
#define PARAMS_SID   "CosiParams"

enum { PARAMS_DIGITS = 32, POLICY_MOST = 20480 };

/* What each mode may do; each call of each mode was tried.  A writer may not delete: on MinIO
 * s3:DeleteObject alone also erases old versions, and all that is below a prefix at once. */
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const struct s3_policy_modes minio_modes = { .of = {
	[COSI_READ_WRITE] = {
		LIST("s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketVersions",
		     "s3:ListBucketMultipartUploads"),
		LIST("s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject",
		     "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
		NULL,
	},
	[COSI_READ_ONLY] = {
		LIST("s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketVersions"),
		LIST("s3:GetObject", "s3:GetObjectVersion"),
		NULL,
	},
	[COSI_WRITE_ONLY] = {
		LIST("s3:GetBucketLocation"),
		LIST("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
		NULL,
	},
} };

int
minio_account_names(struct cosi_call *call, const char *owner, const char *native,
		    struct minio_account *out)
{
	out->key = s3_account_key(call, MINIO_MODULE, owner, native);
	if (out->key == NULL)
		return -1;
	out->policy = cosi_printf(call, "%s.%s", native, out->key);
	return cosi_failed(call) ? -1 : 0;
}

const char *
minio_account_secret(struct cosi_call *call, const char *credential_key, const char *owner,
		     const char *native)
{
	return s3_account_secret(call, MINIO_MODULE, credential_key, owner, native);
}

/* "1:<64 digits>" without the colon, and half of the digits: a policy has room for little else
 * than buckets. */
static const char *
minio_params_sid(struct cosi_call *call, const char *params)
{
	const char *digits = params != NULL ? strchr(params, ':') : NULL;

	if (digits == NULL)
		return PARAMS_SID;
	return cosi_printf(call, PARAMS_SID "%.*s%.*s", (int)(digits - params), params,
			   PARAMS_DIGITS, digits + 1);
}

const char *
minio_account_policy(struct cosi_call *call, const struct s3_access *access, const char *params)
{
	const char *document;
	json_t *denied;

	if (access->n > MINIO_ACCOUNT_BUCKETS) {
		cosi_fail(call, COSI_OUT_OF_RANGE,
			  "%zu buckets are too many for one account: the server's policies hold "
			  "%d",
			  access->n, MINIO_ACCOUNT_BUCKETS);
		return NULL;
	}
	/* Without the first statement an account could make keys without limits for itself and
	 * change its secret.  No action forbids it to assume a role, which gives temporary keys for
	 * up to a year; with the second those open nothing. */
	denied = json_pack("[{s:s, s:s, s:[s]}, {s:s, s:[s], s:[s], s:{s:{s:[s]}}}]", "Sid",
			   minio_params_sid(call, params), "Effect", "Deny", "Action", "admin:*",
			   "Effect", "Deny", "Action", "s3:*", "Resource", "arn:aws:s3:::*",
			   "Condition", "StringEquals", "aws:principaltype", "AssumedRole");
	if (denied == NULL) {
		cosi_fail(call, COSI_EXHAUSTED, "no memory for a policy");
		return NULL;
	}
	document = s3_policy_write(call, &minio_modes, access, denied);
	if (document == NULL || strlen(document) <= POLICY_MOST)
		return document;
	cosi_fail(call, COSI_OUT_OF_RANGE,
		  "%zu buckets with such long names are too many for one account: the server's "
		  "policies have %d bytes",
		  access->n, POLICY_MOST);
	return NULL;
}

/* What a revoke has taken buckets out of says no parameters: there the access alone decides. */
bool
minio_account_same(struct cosi_call *call, const char *document, const struct s3_access *access,
		   const char *params)
{
	const char *sid = s3_policy_sid(call, document, PARAMS_SID);
	struct s3_access there;

	if (sid == NULL || s3_policy_read(call, document, &there) < 0 ||
	    !s3_access_equal(&there, access))
		return false;
	return strcmp(sid, PARAMS_SID) == 0 || strcmp(sid, minio_params_sid(call, params)) == 0;
}

/* ---- list ---- */

/* Whose an account is follows from the name of its policy, and all names come in one reply. */
int
minio_list_accounts(const struct s3_store *store, struct cosi_call *call, const char *owner,
		    s3_found_fn *found)
{
	struct minio_account account;
	struct cosi_bytes document;
	json_auto_t *root = NULL;
	const char *policy;
	json_t *value;

	if (minio_policy_names((const struct minio *)store, call, &document) < 0)
		return -1;
	root = json_loadb(document.data, document.len, 0, NULL);
	if (!json_is_object(root))
		return cosi_fail(call, COSI_UNAVAILABLE, "the server's policies cannot be read");
	json_object_foreach(root, policy, value) {
		const char *dot = strrchr(policy, '.'), *native;

		if (!json_is_object(value))
			return cosi_fail(call, COSI_UNAVAILABLE,
					 "the server's policy '%.64s' cannot be read", policy);
		if (dot == NULL)
			continue;
		native = cosi_printf(call, "%.*s", (int)(dot - policy), policy);
		if (!rest_is_account(native))
			continue;
		if (minio_account_names(call, owner, native, &account) < 0)
			return -1;
		if (strcmp(account.policy, policy) == 0 &&
		    found(call, COSI_FOUND(.kind = COSI_ACCOUNT, .native = native,
					   .mark = { .owner = owner })) != 0)
			return 1;
	}
	return 0;
}
