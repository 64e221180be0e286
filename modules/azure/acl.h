/* SPDX-License-Identifier: Apache-2.0
 * acl.h - a container's list of stored access policies, as Get and Set Container ACL have it.
 *
 * A write replaces the whole list.  Others' policies are written back byte by byte as they were
 * read, with whatever a later version of Azure puts into them.
 */
#ifndef AZURE_ACL_H
#define AZURE_ACL_H
#include <stdbool.h>
#include <stddef.h>

#include "cosi_module.h"

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

#endif
