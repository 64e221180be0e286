/* SPDX-License-Identifier: Apache-2.0
 * account.h - what makes a user of the gateway an account of ours. */
#ifndef RGW_ACCOUNT_H
#define RGW_ACCOUNT_H
#include "admin.h"
#include "s3/account.h"
#include "s3/policy.h"

/* What each access mode may do. */
extern const struct s3_policy_modes rgw_modes;

/* The display name that marks a user: "cosid:<owner>:<request's name>". */
const char *rgw_account_mark(struct cosi_call *call, const char *owner, const char *name);
bool rgw_account_is_ours(struct cosi_call *call, const struct rgw_user *user,
			 const struct cosi_mark *mark);
/* Is the user ours (and made by that request, when the mark has its name)?  Else PRECONDITION. */
int rgw_account_check(struct cosi_call *call, const struct rgw_user *user,
		      const struct cosi_mark *mark);
/* The key pair that follows from credential_key; *out NULL without one. */
int rgw_account_key(const struct rgw *rgw, struct cosi_call *call, const struct cosi_mark *mark,
		    const char *native, const struct rgw_key **out);

/* The hint: was it granted here lately? */
bool rgw_account_seen(const struct rgw *rgw, const char *native);
void rgw_account_remember(struct rgw *rgw, const char *native, bool granted);

#endif
