/* SPDX-License-Identifier: Apache-2.0
 * list.h - pages of ListBuckets, ListObjectVersions and ListMultipartUploads, and delete results;
 * all buckets of a key's owner. */
#ifndef LIB_S3_LIST_H
#define LIB_S3_LIST_H
#include <stdbool.h>
#include <stddef.h>

#include "s3/s3.h"

/* A bucket, an object's version, a delete marker or an unfinished upload. */
struct s3_item {
	const char *name;    /* decoded; gone after the return */
	size_t len;          /* of name, which may hold any byte */
	const char *version; /* version or upload id; NULL: none */
	const char *created; /* of a bucket, as the store writes it; NULL: it does not say */
};
/* Non-zero stops. */
typedef int s3_item_fn(void *arg, const struct s3_item *item);

struct s3_page {
	size_t nitems;
	bool truncated; /* more pages follow */
};

/* Reads a page, item by item.  With `encoded`, names are percent-encoded (encoding-type=url),
 * without which keys with control characters make the page unreadable.  0, or -1: not such a page,
 * or stopped. */
int s3_list_read(struct cosi_bytes document, bool encoded, s3_item_fn *item, void *arg,
		 struct s3_page *out);

/* What a multi-delete could not delete: a 200 hides errors in its body. */
struct s3_delete_errors {
	size_t n;
	char code[65], key[256]; /* of the first one; key is cut */
};
int s3_list_read_deleted(struct cosi_bytes document, struct s3_delete_errors *out);

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

#endif
