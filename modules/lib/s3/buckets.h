/* SPDX-License-Identifier: Apache-2.0
 * buckets.h - all buckets of a key's owner, and when they were made. */
#ifndef LIB_S3_BUCKETS_H
#define LIB_S3_BUCKETS_H
#include "s3/s3.h"
#include "s3/tags.h"

struct s3_bucket {
	struct s3_bucket *next;
	const char *name;
	int64_t created; /* seconds since the epoch, by the store's clock; 0: it does not say */
};
struct s3_buckets {
	struct s3_bucket *first; /* of the call's memory */
	int64_t now;             /* the store's clock, from its answer; 0: it does not say */
};

/* One request: the stores give all at once, 32 MiB of them at most.  0 or -1. */
int s3_buckets_read(struct cosi_call *call, const struct s3_client *client, struct s3_buckets *out);

/* What cosi_module.list is given; non-zero: no more. */
typedef int s3_found_fn(struct cosi_call *call, const struct cosi_found *found);
/* Hands the bucket on when its tags bear the owner's mark; what found() returns, else 0. */
int s3_buckets_found(struct cosi_call *call, const struct s3_bucket *bucket,
		     const struct s3_tags *tags, const char *owner, s3_found_fn *found);

#endif
