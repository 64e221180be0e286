/* SPDX-License-Identifier: Apache-2.0
 * bucket.h - what S3's stores do alike with a bucket: one that is being made, and one that nobody
 * has. */
#ifndef LIB_S3_BUCKET_H
#define LIB_S3_BUCKET_H
#include <stdbool.h>

#include "s3/s3.h"
#include "s3/tags.h"

/* Does the store know our key?  Asked about a name that nobody can have: the answer is short
 * however many buckets there are, and a well-formed refusal proves the key as well.  *out_refusal:
 * NULL, or the answer that proves nothing, for the module to put into words.  0 or -1. */
int s3_bucket_probe(struct cosi_call *call, const struct s3_client *client,
		    const struct cosi_http_reply **out_refusal);

/* PUT /bucket?setting, which may be repeated; text: the document.  0 on 2xx without a word. */
int s3_bucket_put(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		  const char *setting, const char *text);
/* Switches versioning on. */
int s3_bucket_version(struct cosi_call *call, const struct s3_client *client, const char *bucket);
/* Puts the marks among tags and sends them all; finished as in s3_tags_mark(). */
int s3_bucket_mark(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		   struct s3_tags *tags, const struct cosi_mark *mark, bool finished);
/* Is the bucket as PUT bucket leaves it: nothing in it, nothing set?  lock: it was put with object
 * lock, which brings versioning along. */
int s3_bucket_untouched(struct cosi_call *call, const struct s3_client *client, const char *bucket,
			bool lock, bool *out);

/* A setting that every new bucket answers alike. */
struct s3_bucket_setting {
	const char *name;
	const char *absent; /* the Code of 404 when it was never set; "": it is always 200 */
	const char *mark;   /* what 200 has in it when it was; "": any 200 means that */
};
/* Was it never set?  A store without that API cannot have it set either. */
int s3_bucket_unset(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		    const struct s3_bucket_setting *setting, bool *out);

#endif
