/* SPDX-License-Identifier: Apache-2.0
 * rgw.h - what the files of this module share: the instance, and who does what.
 *
 *   ceph_rgw.c  the module, its settings, open, probe, the user that cosid works as
 *   bucket.c    PUT bucket; buckets without tags
 *   access.c    grant, revoke: a user, its policy and its key; the list of accounts
 *   admin.c     users and their policies, through the admin and the IAM API
 *
 * s3/store.h describes how a bucket is created and deleted.  Functions that return an int return 0,
 * or -1 with the call failed.
 */
#ifndef RGW_RGW_H
#define RGW_RGW_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"
#include "s3/policy.h"
#include "s3/store.h"

struct rgw_config {
	const char *region, *access_key, *secret_key, *credential_key, *admin_path;
};

/* Accounts that this instance granted, by hash: a hint which request to try first, never a fact. */
enum { RGW_SEEN = 1024 };
struct rgw {
	struct s3_store store; /* first */
	const struct rgw_config *config;
	_Atomic uint64_t seen[RGW_SEEN];
};

/* ---- bucket.c: callbacks of struct s3_store ---- */
int rgw_put_bucket(struct cosi_call *call, struct s3_creation *creation, bool *out_exists);
/* A bucket without tags is adopted when it is as PUT bucket leaves it and cosid's user owns it. */
int rgw_adopt(struct cosi_call *call, struct s3_creation *creation);
/* Fails the call: EXISTS when another user is known to own the bucket, else DENIED. */
int rgw_refused(const struct s3_store *store, struct cosi_call *call, const char *native);
int rgw_put_quota(const struct s3_store *store, struct cosi_call *call, const char *native,
		  const struct cosi_bucket_params *params);

/* ---- admin.c: users, by the admin API (docs.ceph.com, "Admin Operations"; as 16.2.15 answers) */
struct rgw_key {
	const char *id, *secret; /* NULL: none */
};
struct rgw_user {
	bool found, suspended;
	bool is_driver; /* it holds the key that cosid itself uses */
	const char *display_name;
	struct rgw_key key;
};
/* preferred: the access key to pick when there are several, or NULL.  A 404 may be false while
 * RADOS does not answer: see rgw_check_alive(). */
int rgw_user_get(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		 const char *preferred, struct rgw_user *out);
/* A user that can make no buckets.  key NULL: the gateway makes one.  *out_exists: there is one of
 * that name already, nothing was changed. */
int rgw_user_create(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		    const char *display_name, const struct rgw_key *key, bool *out_exists);
/* One more key; the gateway drops the user's policies with it (16.2). */
int rgw_user_add_key(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		     const struct rgw_key *key);
/* Does the gateway find the user by the key?  It signs no request of the user's otherwise, although
 * the user lists it: the gateway writes the key's index first, and a crash can lose that. */
int rgw_key_is_known(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		     const char *key_id, bool *out_known);
/* Gone already is a success.  Adding a key that the user lists does not write its index again
 * (16.2): it must be removed first. */
int rgw_user_remove_key(const struct rgw *rgw, struct cosi_call *call, const char *uid,
			const char *key_id);
/* Gone already is a success. */
int rgw_user_delete(const struct rgw *rgw, struct cosi_call *call, const char *uid);
/* A page of the names of all users, an array that the caller owns; *out_next: as in rest_pages().
 */
int rgw_user_names(const struct rgw *rgw, struct cosi_call *call, const char *marker, json_t **out,
		   const char **out_next);
/* Fails with what the reply means; AccessDenied, from either API, is a cap that is missing. */
int rgw_admin_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *cap);

/* *out_document: NULL when the user has no policy of cosid's.  expected: the policy very likely
 * exists, which saves a request. */
int rgw_policy_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, bool expected,
		   const char **out_document);
int rgw_policy_put(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		   const char *document);

/* ---- ceph_rgw.c ---- */
/* Does RADOS itself answer?  With rados_osd_op_timeout set, a gateway that cannot read answers 404
 * for users that exist; only statistics are never served from its cache and fail honestly. */
int rgw_check_alive(const struct rgw *rgw, struct cosi_call *call);
int rgw_own_uid(const struct rgw *rgw, struct cosi_call *call, const char **out_uid);

/* ---- access.c ---- */
int rgw_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	      struct cosi_access *out);
int rgw_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);
int rgw_list_accounts(const struct s3_store *store, struct cosi_call *call, const char *owner,
		      s3_found_fn *found);

#endif
