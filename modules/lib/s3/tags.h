/* SPDX-License-Identifier: Apache-2.0
 * tags.h - bucket tag sets, and the marks that say whose bucket it is. */
#ifndef LIB_S3_TAGS_H
#define LIB_S3_TAGS_H
#include "cosi_module.h"

enum { S3_TAGS_MAX = 50 }; /* S3's own limit */
/* S3's longest tag value, in bytes here, so that every store takes it */
enum { S3_TAG_VALUE_MAX = 256 };

struct s3_tags {
	size_t n;
	struct cosi_kv kv[S3_TAGS_MAX];
};

/* Reads a Tagging document; texts are of the call's memory.  0, or -1: it is none, or too large. */
int s3_tags_read(struct cosi_call *call, struct cosi_bytes document, struct s3_tags *out);
/* NULL: there is no such tag. */
const char *s3_tags_find(const struct s3_tags *tags, const char *key);
/* The same key is replaced; -1 with the call failed: no room, or a text that no tag can hold. */
int s3_tags_set(struct cosi_call *call, struct s3_tags *tags, const char *key, const char *value);
/* The document, from the call's memory. */
struct cosi_bytes s3_tags_write(struct cosi_call *call, const struct s3_tags *tags);

/* The ownership tags.  cosi-params comes last in the life of a create: without it the bucket is
 * unfinished, and cosi-making says with which parameters it was begun. */
#define S3_MARK_DRIVER "cosi-driver"
#define S3_MARK_NAME   "cosi-name"
#define S3_MARK_PARAMS "cosi-params"
#define S3_MARK_MAKING "cosi-making"

/* Fills ours, unfinished and params. */
void s3_tags_judge(const struct s3_tags *tags, const struct cosi_mark *mark,
		   struct cosi_bucket *out);
/* Puts the marks among the tags that are there; finished: with cosi-params, else cosi-making. */
int s3_tags_mark(struct cosi_call *call, struct s3_tags *tags, const struct cosi_mark *mark,
		 bool finished);

#endif
