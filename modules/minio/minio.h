/* SPDX-License-Identifier: Apache-2.0
 * minio.h - what the files of this module share: the instance, and who does what.
 *
 *   minio.c    the module, its settings, open, probe    name.c     bucket names
 *   bucket.c   create, get, delete                      adopt.c    buckets that were left half made
 *   look.c     what a bucket is                         settings.c what a new bucket gets
 *   grant.c    a user, a policy, the two joined         revoke.c   and away with them
 *   account.c  names, keys and rights of an account     list.c     what bears our marks
 *   admin.c    the admin API                            seal.c     its encryption
 *   made.c     buckets that were begun here
 */
#ifndef MINIO_MINIO_H
#define MINIO_MINIO_H
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"
#include "made.h"
#include "s3/s3.h"
#include "s3/tags.h"
#include "seal.h"

struct minio_config {
	const char *region, *access_key, *secret_key, *credential_key;
	const char *const *previous_credential_keys; /* NULL: none */
	int64_t adopt_window;                        /* ms */
};

struct minio {
	const struct minio_config *config;
	struct s3_client s3;
	struct minio_seal seal;
	struct minio_made made;
};

/* ---- name.c ---- */
/* Can a bucket have that name? */
bool minio_name_is_bucket(const char *name);
const char *minio_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked,
			   bool exact);

/* ---- look.c: 0, or -1 with the call failed ---- */
/* One request; with tags or without, the bucket may be absent: see minio_bucket_look(). */
int minio_bucket_tags(const struct minio *minio, struct cosi_call *call, const char *native,
		      struct s3_tags *out);
int minio_bucket_exists(const struct minio *minio, struct cosi_call *call, const char *native,
			bool *out);
/* Both: one request for a bucket with tags, two for any other. */
int minio_bucket_look(const struct minio *minio, struct cosi_call *call, const char *native,
		      struct s3_tags *out, bool *out_exists);
/* Is the reply that of GET ?location for a bucket that is there, and the region ours? */
int minio_bucket_located(const struct minio *minio, struct cosi_call *call,
			 const struct cosi_http_reply *reply);
void minio_bucket_judge(const struct minio *minio, const struct s3_tags *tags,
			const struct cosi_mark *mark, struct cosi_bucket *out);

/* ---- bucket.c ---- */
int minio_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
			struct cosi_bucket *out);
int minio_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		     struct cosi_bucket *out);
int minio_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req);

/* ---- settings.c ---- */
/* Do the parameters ask for anything beyond what PUT bucket itself does? */
bool minio_settings_wanted(const struct cosi_bucket_params *params);
/* Applies them all, one after another; they may have been applied before. */
int minio_settings_apply(const struct minio *minio, struct cosi_call *call, const char *native,
			 const struct cosi_bucket_params *params);

/* ---- adopt.c ---- */
/* Is the bucket as PUT bucket leaves it, with object lock or without? */
int minio_adopt_looks_new(const struct minio *minio, struct cosi_call *call, const char *native,
			  bool lock, bool *out);
/* settle_ms: the age from which on no other daemon can still be making it, since its calls have an
 * end as ours do. */
/* May it be taken over, as far as its age goes?  0; EXISTS when it is too old, BUSY while it is
 * younger than settle_ms. */
int minio_adopt_check_age(const struct minio *minio, struct cosi_call *call, const char *native,
			  int64_t settle_ms);
/* 0; BUSY while it is younger than settle_ms. */
int minio_adopt_settled(const struct minio *minio, struct cosi_call *call, const char *native,
			int64_t settle_ms);

/* ---- grant.c, revoke.c, list.c ---- */
int minio_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
		struct cosi_access *out);
int minio_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);
int minio_list(void *instance, struct cosi_call *call, const char *owner,
	       int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
