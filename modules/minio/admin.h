/* SPDX-License-Identifier: Apache-2.0
 * admin.h - MinIO's admin API: users, policies, what joins them, and quotas.
 *
 * Source: madmin-go v3 and the server's handlers; the answers as the server of 2026-02-12 gives
 * them.  All return 0, or -1 with the call failed.
 */
#ifndef MINIO_ADMIN_H
#define MINIO_ADMIN_H
#include "minio.h"

struct minio_user {
	bool found;
	const char *policy; /* the names of its policies, with commas between; "": none */
};

int minio_user_get(const struct minio *minio, struct cosi_call *call, const char *key,
		   struct minio_user *out);
/* One of that key is overwritten: its secret and its status, not its policy. */
int minio_user_put(struct minio *minio, struct cosi_call *call, const char *key,
		   const char *secret);
/* Its policy mapping goes along.  Gone already is a success. */
int minio_user_remove(const struct minio *minio, struct cosi_call *call, const char *key);
/* Replaces what it had.  *out_gone: the user or the policy is not there. */
int minio_user_join(const struct minio *minio, struct cosi_call *call, const char *key,
		    const char *policy, bool *out_gone);
/* Ends the temporary keys that the user was given, also those of a user that was removed. */
int minio_user_revoke_tokens(const struct minio *minio, struct cosi_call *call, const char *key);

/* *out_document: NULL when there is no such policy. */
int minio_policy_get(const struct minio *minio, struct cosi_call *call, const char *name,
		     const char **out_document);
/* One of that name is overwritten. */
int minio_policy_put(const struct minio *minio, struct cosi_call *call, const char *name,
		     const char *document);
/* Gone already is a success.  *out_in_use: some user or group has it, nothing was removed. */
int minio_policy_remove(const struct minio *minio, struct cosi_call *call, const char *name,
			bool *out_in_use);
/* The names of all policies, as keys of the JSON object that the answer is; whole servers' worth.
 */
int minio_policy_names(const struct minio *minio, struct cosi_call *call,
		       struct cosi_bytes *out_document);

int minio_quota_put(const struct minio *minio, struct cosi_call *call, const char *bucket,
		    int64_t bytes);
/* 0: none. */
int minio_quota_get(const struct minio *minio, struct cosi_call *call, const char *bucket,
		    int64_t *out_bytes);

/* Fails the call with what an answer means, of the admin API or of S3; right: what the server's
 * policy for our user must allow, as "admin:GetUser".  Always negative. */
int minio_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right);
/* The same for a server of another region. */
int minio_fail_region(struct cosi_call *call, const char *region);

#endif
