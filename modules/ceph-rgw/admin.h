/* SPDX-License-Identifier: Apache-2.0
 * admin.h - RADOS Gateway's admin API (users) and IAM (a user's policy).
 *
 * Source: docs.ceph.com "Admin Operations" and "Ceph Object Gateway IAM"; the answers as 16.2.15
 * gives them.  All return 0, or -1 with the call failed.
 */
#ifndef RGW_ADMIN_H
#define RGW_ADMIN_H
#include "rgw.h"

struct rgw_key {
	const char *id, *secret; /* NULL: none */
};
struct rgw_user {
	bool found, suspended;
	bool is_driver; /* it holds the key that we ourselves use */
	const char *display_name, *tenant;
	struct rgw_key key;
};

/* preferred: the access key to pick when there are several, or NULL.  A 404 may be false while
 * RADOS does not answer: see rgw_admin_alive(). */
int rgw_user_get(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		 const char *preferred, struct rgw_user *out);
/* A user that can make no buckets.  key NULL: the gateway makes one.  *out_exists: there is one of
 * that name already, nothing was changed. */
int rgw_user_create(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		    const char *display_name, const struct rgw_key *key, bool *out_exists);
/* One more key; the gateway drops the user's policies with it (16.2). */
int rgw_user_add_key(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		     const struct rgw_key *key);
/* Gone already is a success. */
int rgw_user_delete(const struct rgw *rgw, struct cosi_call *call, const char *uid);
/* A page of user names; *marker, NULL at first, becomes where the next one begins, NULL at the end.
 */
struct rgw_names {
	size_t n;
	const char **names;
};
int rgw_user_list(const struct rgw *rgw, struct cosi_call *call, const char **marker,
		  struct rgw_names *out);
/* Does RADOS itself answer?  With rados_osd_op_timeout set, a gateway that cannot read answers 404
 * for users that exist; only statistics are never served from its cache and fail honestly. */
int rgw_admin_alive(const struct rgw *rgw, struct cosi_call *call);
/* Can our own user do all that this module needs?  Names the first thing that it lacks. */
int rgw_admin_check_caps(const struct rgw *rgw, struct cosi_call *call);
/* The user that our key belongs to. */
int rgw_admin_own_uid(const struct rgw *rgw, struct cosi_call *call, const char **out_uid);
struct rgw_info {
	bool known;        /* false: our user lacks the cap 'buckets=read' */
	bool quota;        /* one of the bucket's own is in force */
	const char *owner; /* a user's name */
};
/* What the gateway itself knows of a bucket, whoever owns it. */
int rgw_admin_bucket(const struct rgw *rgw, struct cosi_call *call, const char *native,
		     struct rgw_info *out);
/* Fails with what the answer means; AccessDenied, from either API, is a cap that is missing. */
int rgw_admin_fail(struct cosi_call *call, const struct cosi_http_reply *reply, const char *cap);

/* *out_document: NULL when the user has no policy of ours.  expected: it is very likely there,
 * which saves a request. */
int rgw_policy_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, bool expected,
		   const char **out_document);
int rgw_policy_put(const struct rgw *rgw, struct cosi_call *call, const char *uid,
		   const char *document);

#endif
