/* SPDX-License-Identifier: Apache-2.0
 * name.h - names of buckets: the rules that S3's stores share, and names that cannot be kept. */
#ifndef LIB_S3_NAME_H
#define LIB_S3_NAME_H
#include <stdbool.h>

#include "cosi_module.h"

/* NULL: a bucket can have it; else the rule that it breaks, as words: 3 to 63 of [a-z0-9.-], parts
 * between dots begin and end with a letter or digit, no IPv4 address.  (S3's rules for new buckets;
 * RADOS Gateway 16.2 and MinIO enforce them.) */
const char *s3_name_broken_rule(const char *name);
/* rest_name_map() for buckets of S3. */
const char *s3_name_map(struct cosi_call *call, const char *asked, const char *broken_rule,
			bool exact);

#endif
