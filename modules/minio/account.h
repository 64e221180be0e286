/* SPDX-License-Identifier: Apache-2.0
 * account.h - what an account of ours is at the server: names, keys, rights. */
#ifndef MINIO_ACCOUNT_H
#define MINIO_ACCOUNT_H
#include "minio.h"
#include "s3/account.h"
#include "s3/policy.h"

enum { MINIO_ACCOUNT_BUCKETS = 124 }; /* as many as a policy holds, whatever their names */

/* Both names depend on owner and account alone, so neither is ever somebody else's, and a revoke
 * finds them without any key. */
struct minio_account {
	const char *key;    /* the access key, which is the name of its user */
	const char *policy; /* the name of its policy: "<account>.<access key>" */
};
int minio_account_names(struct cosi_call *call, const char *owner, const char *native,
			struct minio_account *out);
/* The secret that follows from a credential key; NULL: the call has failed. */
const char *minio_account_secret(struct cosi_call *call, const char *credential_key,
				 const char *owner, const char *native);

/* The policy document; params: the mark's, or NULL when it is not known any more.  NULL: the call
 * has failed, OUT_OF_RANGE when it is too long for the server. */
const char *minio_account_policy(struct cosi_call *call, const struct s3_access *access,
				 const char *params);
/* Was the document written for that access and those parameters? */
bool minio_account_same(struct cosi_call *call, const char *document,
			const struct s3_access *access, const char *params);

#endif
