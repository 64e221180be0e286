/* SPDX-License-Identifier: Apache-2.0
 * policy.h - the stored access policy that is an account: its id, its rights, its expiry.
 *
 *   cosi-ba-1.JR2K7QXA.6B37OHA46Y
 *   │         │        └ 5 digits of a hash of the owner, 5 of one of the parameters
 *   │         └ random: a SAS names its policy, so no two grants may ever have the same id
 *   └ the account
 *
 * Digits are base32's, of 5 bits: of two owners who share a storage account, one in 33 million has
 * the other's five digits, and only then would take the other's account of the same name for its
 * own.
 */
#ifndef AZURE_POLICY_H
#define AZURE_POLICY_H
#include <stdbool.h>
#include <stddef.h>

#include "cosi_module.h"

/* ---- a container's list of stored access policies, as Get and Set Container ACL have it ----
 *
 * A write replaces the whole list.  Others' policies are written back byte by byte as they were
 * read, with whatever a later version of Azure puts into them. */

enum {
	ACL_POLICIES_MAX = 5, /* Azure's; Azurite takes any number */
	ACL_READ_MAX = 64,
};

struct acl_policy {
	const char *id, *start, *expiry, *permission; /* "" when it does not say */
	struct cosi_bytes text;                       /* borrowed from the document */
	bool dropped;                                 /* not written back */
};
struct acl {
	size_t n;
	struct acl_policy policies[ACL_READ_MAX];
};

/* 0; or -1: it is no such list, or one that cannot be given back unchanged. */
int acl_read(struct cosi_call *call, struct cosi_bytes document, struct acl *out);
/* One policy; from the call's memory.  expiry: NULL: none. */
const char *acl_policy_text(struct cosi_call *call, const char *id, const char *permission,
			    const char *expiry);
/* The whole list, without what was dropped and with `more` at its end; empty when nothing is left.
 * From the call's memory. */
struct cosi_bytes acl_write(struct cosi_call *call, const struct acl *acl, const char *more);

/* ---- one policy ---- */

enum { POLICY_ID_MAX = 64, POLICY_ACCOUNT_MAX = POLICY_ID_MAX - 20 };

/* What a grant or a revoke asks for; members are borrowed. */
struct policy_request {
	const char *account, *owner;
	const char *params; /* the mark; NULL on a revoke */
	uint32_t mode;      /* enum cosi_mode; 0 on a revoke */
	int64_t lifetime;   /* seconds; 0: it does not expire */
};

/* A new id; "" when the call has failed. */
const char *policy_new_id(struct cosi_call *call, const struct policy_request *request);
/* Is it the policy of one of the owner's accounts?  *out_account: which one, from the call's
 * memory. */
bool policy_is_owned(struct cosi_call *call, const char *id, const char *owner,
		     const char **out_account);
/* Is it the policy of the request's account, with any parameters? */
bool policy_is_of(struct cosi_call *call, const char *id, const struct policy_request *request);
/* Was it made with the request's parameters? */
bool policy_has_params(struct cosi_call *call, const char *id,
		       const struct policy_request *request);

/* The rights of a mode, in the order that Azure wants. */
const char *policy_rights(uint32_t mode);
/* Any form that Azure gives: a date alone, minutes, seconds, 7 digits of fractions.  0; or -1. */
int policy_read_time(const char *text, int64_t *out_seconds);

#endif
