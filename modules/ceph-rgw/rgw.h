/* SPDX-License-Identifier: Apache-2.0
 * rgw.h - what the files of this module share: the instance, and who does what.
 *
 *   ceph_rgw.c  the module, its settings, open, probe      name.c     bucket names
 *   bucket.c    create, get, delete                        settings.c what a new bucket gets
 *   grant.c     a user, its policy, its key                revoke.c   and away with them
 *   admin.c     the admin API's users                      iam.c      and their policies
 *   own.c       our own user, and what it is told          account.c  which users are ours
 *   adopt.c     buckets without marks                      list.c     what bears our marks
 */
#ifndef RGW_RGW_H
#define RGW_RGW_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"
#include "s3/s3.h"
#include "s3/tags.h"

struct rgw_config {
	const char *region, *access_key, *secret_key, *credential_key, *admin_path;
};

/* Accounts that this instance granted, by hash: a hint which request to try first, never a fact. */
enum { RGW_SEEN = 1024 };
struct rgw {
	const struct rgw_config *config;
	struct s3_client s3;
	_Atomic uint64_t seen[RGW_SEEN];
};

/* ---- name.c ---- */
/* Is it a name that a bucket can have and that the gateway's paths leave to buckets?  Older
 * gateways made buckets whose names create would refuse: those pass here. */
bool rgw_name_is_bucket(const struct rgw *rgw, const char *name);
const char *rgw_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked,
			 bool exact);

/* ---- bucket.c ---- */
struct rgw_look {
	bool exists, refused; /* refused: our user may not look at it */
	struct s3_tags tags;
};
/* One request: is it there, and what does it bear? 0 or -1. */
int rgw_bucket_look(const struct rgw *rgw, struct cosi_call *call, const char *native,
		    struct rgw_look *out);
int rgw_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out);
int rgw_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		   struct cosi_bucket *out);
int rgw_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req);

/* ---- adopt.c ---- */
/* Is a bucket of ours that bears no marks as PUT bucket leaves it, with object lock or without?
 * Else EXISTS, or BUSY when it bears some meanwhile. */
int rgw_adopt_check(const struct rgw *rgw, struct cosi_call *call, const char *native, bool lock);
/* Fails the call: EXISTS when the bucket is known to be another user's, else DENIED, which may
 * pass. */
int rgw_adopt_refused(const struct rgw *rgw, struct cosi_call *call, const char *native);
/* Fails the call, whose PUT was answered 409: BUSY when the bucket was not there before and another
 * daemon may be at it right now, else EXISTS. */
int rgw_adopt_conflict(const struct rgw *rgw, struct cosi_call *call, const char *native,
		       bool there);

/* ---- settings.c ---- */
/* Do the parameters ask for anything beyond what PUT bucket itself does? */
bool rgw_settings_wanted(const struct cosi_bucket_params *params);
/* Applies them all, one after another; they may have been applied before. */
int rgw_settings_apply(const struct rgw *rgw, struct cosi_call *call, const char *native,
		       const struct cosi_bucket_params *params);

/* ---- grant.c, revoke.c, list.c ---- */
int rgw_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	      struct cosi_access *out);
int rgw_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);
int rgw_list(void *instance, struct cosi_call *call, const char *owner,
	     int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
