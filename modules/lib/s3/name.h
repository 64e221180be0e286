/* SPDX-License-Identifier: Apache-2.0
 * name.h - names of buckets and keys of accounts, as S3's stores have them alike. */
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

/* ---- keys ---- */

/* Both follow from the module's name, the owner and the account, in every version alike, and are of
 * the call's memory; NULL: the call has failed. */
/* The access key: "COSI" and 16 digits of a hash.  It tells nothing, and it survives a change of
 * credential_key. */
const char *s3_account_key(struct cosi_call *call, const char *module, const char *owner,
			   const char *native);
/* BASE32(HMAC-SHA256(credential_key, "cosid/MODULE/secret-key/1/OWNER/NATIVE")) */
const char *s3_account_secret(struct cosi_call *call, const char *module,
			      const char *credential_key, const char *owner, const char *native);
/* Is it long enough to derive from?  what: the setting's name in the text.  0, or -1: INVALID. */
int s3_account_check_key(struct cosi_call *call, const char *what, const char *credential_key);
/* The setting `region` goes into every answer, whose strings have a limit: a longer one would be
 * noticed when the bucket exists.  0, or -1 with the call failed. */
int s3_check_region(struct cosi_call *call, const char *region);

#endif
