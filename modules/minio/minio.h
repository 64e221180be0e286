/* SPDX-License-Identifier: Apache-2.0
 * minio.h - what the files of this module share: the instance, and who does what.
 *
 *   minio.c    the module, its settings, open, probe
 *   bucket.c   PUT bucket, location, unfinished buckets
 *   times.c    buckets that this instance is creating, and those that have no date
 *   account.c  names, keys and rights of accounts
 *   access.c   grant, revoke: a user and a policy
 *   admin.c    requests to the admin API
 *   seal.c     encryption of their bodies
 *
 * s3/store.h describes how a bucket is created and deleted.  Functions that return an int return 0,
 * or -1 with the call failed.
 */
#ifndef MINIO_MINIO_H
#define MINIO_MINIO_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"
#include "s3/policy.h"
#include "s3/store.h"

struct minio_config {
	const char *region, *access_key, *secret_key, *credential_key;
	const char *const *previous_credential_keys; /* NULL: none */
	int64_t adopt_window;                        /* ms */
};

/* ---- times.c: what an instance remembers of buckets that are not finished ---- */

/* When there are more, the oldest one is forgotten. */
enum { MINIO_TIMES_MOST = 64 };
struct minio_times {
	pthread_mutex_t mutex;
	struct {
		char native[64]; /* what a bucket's name holds at most, and its end */
		int64_t ms;      /* monotonic; 0: free */
	} list[MINIO_TIMES_MOST];
};
/* Any thread. */
void minio_times_set(struct minio_times *times, const char *native, int64_t ms);
/* 0: there is none. */
int64_t minio_times_get(struct minio_times *times, const char *native);
void minio_times_drop(struct minio_times *times, const char *native);

/* ---- seal.c: encryption of request bodies in the admin API ---- */

enum {
	MINIO_SEAL_SALT = 32,
	MINIO_SEAL_KEY = 32,
	MINIO_SEAL_HEAD = 41,
	MINIO_SEAL_TAG = 16,
	MINIO_SEAL_MOST = 16384, /* bytes of one fragment: no body is longer here */
};

/* A key that is derived from a password and a random salt once, at first use, since that takes some
 * milliseconds on purpose; each body has a nonce of its own. */
struct minio_seal {
	pthread_mutex_t mutex; /* of ready, salt, key until ready */
	bool ready;
	const char *password; /* borrowed */
	uint8_t salt[MINIO_SEAL_SALT], key[MINIO_SEAL_KEY];
	_Atomic uint64_t nonce; /* of the next body */
};

void minio_seal_init(struct minio_seal *seal, const char *password);
void minio_seal_done(struct minio_seal *seal);
/* The sealed text, from the call's memory; any thread.  Length 0: the call has failed. */
struct cosi_bytes minio_seal_text(struct minio_seal *seal, struct cosi_call *call,
				  const char *text);

struct minio {
	struct s3_store store; /* first */
	const struct minio_config *config;
	struct minio_seal seal;
	/* Buckets that this instance created and has not finished: by when the call began.  Other
	 * daemons wait before they continue with one; the instance need not wait for itself. */
	struct minio_times made;
	struct minio_times undated; /* by when they were first seen */
	_Atomic int64_t longest_ms; /* that a create could last so far: call_timeout, as a rule */
};

enum { MINIO_REGION_MAX = 256 };

/* ---- bucket.c: callbacks of struct s3_store ---- */
int minio_put_bucket(struct cosi_call *call, struct s3_creation *creation, bool *out_exists);
/* GET ?location: only that tells an absent bucket from one without tags. */
int minio_exists(const struct s3_store *store, struct cosi_call *call, const char *native,
		 bool *out);
/* Reads the reply to GET ?location of a bucket that exists: the region must be the configured one.
 */
int minio_check_location(const struct minio *minio, struct cosi_call *call,
			 const struct cosi_http_reply *reply);
int minio_adopt(struct cosi_call *call, struct s3_creation *creation);
bool minio_has_made(struct s3_store *store, const char *native);
int minio_resume(struct cosi_call *call, struct s3_creation *creation);

/* ---- admin.c: MinIO's admin API (madmin-go v3 and the server's handlers; as the server of
 * 2026-02-12 answers) ---- */
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
/* A JSON object whose keys are the names of all policies of the server. */
int minio_policy_names(const struct minio *minio, struct cosi_call *call,
		       struct cosi_bytes *out_document);

int minio_put_quota(const struct s3_store *store, struct cosi_call *call, const char *bucket,
		    const struct cosi_bucket_params *params);
/* 0 bytes: no quota. */
int minio_get_quota(const struct minio *minio, struct cosi_call *call, const char *bucket,
		    int64_t *out_bytes);
/* Fails the call with what a reply means, of the admin API or of S3; right: what the server's
 * policy for cosid's user must allow, as "admin:GetUser".  Always negative. */
int minio_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right);
/* The same for a server of another region. */
int minio_fail_region(struct cosi_call *call, const char *region);

/* ---- account.c ---- */
enum { MINIO_ACCOUNT_BUCKETS = 124 }; /* as many as a policy holds, whatever their names */

/* Both names follow from owner and account alone, so a revoke finds them without any key. */
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
int minio_list_accounts(const struct s3_store *store, struct cosi_call *call, const char *owner,
			s3_found_fn *found);

/* ---- access.c ---- */
int minio_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
		struct cosi_access *out);
int minio_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);

#endif
