/* SPDX-License-Identifier: Apache-2.0
 * policy.h - policy documents: what an account may do, and what everybody may do.
 *
 * A document is compact JSON in one form.  Its Sids say mode by mode what it opens, so that
 * it can be read back: "CosiReadOnlyBuckets" names the buckets, "CosiReadOnlyObjects" what is in
 * them.
 */
#ifndef LIB_S3_POLICY_H
#define LIB_S3_POLICY_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cosi_module.h"

/* The actions of one mode; the lists end with NULL.  denied: on objects, for stores whose writers
 * may do more with what they wrote than the policy allows; NULL: none. */
struct s3_policy_actions {
	const char *const *on_bucket, *const *on_objects, *const *denied;
};
/* What a store's three modes allow, by enum cosi_mode. */
struct s3_policy_modes {
	struct s3_policy_actions of[COSI_WRITE_ONLY + 1];
};

/* Which buckets an account opens, sorted by name. */
struct s3_access {
	size_t n;
	struct cosi_bucket_ref *buckets;
};

/* May the name stand in a policy?  Only 1 to 255 of [A-Za-z0-9._-]: '*' and '?' are wildcards
 * there, and RADOS Gateway 16.2 decodes '%' and '+' twice. */
bool s3_policy_name_ok(const char *name);

/* The document, from the call's memory; NULL: the call has failed.  always: a list of statements
 * that end the document, which is freed here; NULL: none. */
const char *s3_policy_write(struct cosi_call *call, const struct s3_policy_modes *modes,
			    const struct s3_access *access, json_t *always);
/* Is it what a store can have as a policy? */
bool s3_policy_is_document(struct cosi_bytes text);
/* Reads back what s3_policy_write() wrote, whatever other statements stand beside it.  0; or -1
 * when it is no policy document at all. */
int s3_policy_read(struct cosi_call *call, const char *text, struct s3_access *out);
/* Do both open the same buckets in the same modes? */
bool s3_access_equal(const struct s3_access *a, const struct s3_access *b);
/* What the document opens without the buckets that a revoke names; nothing when it is NULL.
 * *out_changed: it opens some of those. */
int s3_policy_take_out(struct cosi_call *call, const char *document,
		       const struct cosi_access_req *req, struct s3_access *out, bool *out_changed);
/* The first Sid that begins with `prefix`; NULL: none, or no policy document, or the call failed.
 */
const char *s3_policy_sid(struct cosi_call *call, const char *document, const char *prefix);
/* Is it the same JSON?  Lists of strings are sets to a policy: MinIO gives them in random order. */
bool s3_policy_equal(const char *a, const char *b);

/* A bucket policy for everybody, signed or not: read = list and get, write = put. anonymous: an
 * enum cosi_anonymous other than NONE. */
const char *s3_policy_anonymous(struct cosi_call *call, const char *bucket, uint32_t anonymous);

#endif
