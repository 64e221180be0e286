/* SPDX-License-Identifier: Apache-2.0
 * account.h - keys of accounts, as S3's stores have them alike. */
#ifndef LIB_S3_ACCOUNT_H
#define LIB_S3_ACCOUNT_H
#include "cosi_module.h"

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

#endif
