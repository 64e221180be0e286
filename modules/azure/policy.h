/* SPDX-License-Identifier: Apache-2.0
 * policy.h - the stored access policy that is an account: its id, its rights, its end.
 *
 *   cosi-ba-1.JR2K7QXA.6B37OHA46Y
 *   │         │        └ 5 digits of a hash of the owner, 5 of one of the parameters' mark
 *   │         └ random: a SAS names its policy, so no two grants may ever have the same id
 *   └ the account
 *
 * Digits are base32's, of 5 bits: two owners who share a storage account have the same five once in
 * 33 million, and only then would take each other's accounts of one name for their own.
 */
#ifndef AZURE_POLICY_H
#define AZURE_POLICY_H
#include "acl.h"
#include "cosi_module.h"

enum { POLICY_ID_MAX = 64, POLICY_ACCOUNT_MAX = POLICY_ID_MAX - 20 };

/* Who asks for which access; members are borrowed. */
struct policy_wish {
	const char *account, *owner;
	const char *params; /* the mark; NULL on a revoke */
	uint32_t mode;      /* enum cosi_mode; 0 on a revoke */
	int64_t lifetime;   /* seconds; 0: without end */
};

/* A new id; "" when the call has failed. */
const char *policy_new_id(struct cosi_call *call, const struct policy_wish *wish);
/* Is it an account of that owner's?  *out_account: which one, from the call's memory. */
bool policy_is_owned(struct cosi_call *call, const char *id, const char *owner,
		     const char **out_account);
/* Is it the very account of the wish, with whatever parameters? */
bool policy_is_wished(struct cosi_call *call, const char *id, const struct policy_wish *wish);
/* Were its parameters those of the wish, too? */
bool policy_is_same(struct cosi_call *call, const char *id, const struct policy_wish *wish);

/* What each mode may do, in the order that Azure wants. */
const char *policy_rights(uint32_t mode);
/* "2027-11-20T00:00:00Z", from the call's memory. */
const char *policy_time(struct cosi_call *call, int64_t seconds);
/* Any form that Azure gives: a date alone, minutes, seconds, 7 digits of fractions.  0; or -1. */
int policy_read_time(const char *text, int64_t *out_seconds);

#endif
