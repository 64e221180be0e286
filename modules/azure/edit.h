/* SPDX-License-Identifier: Apache-2.0
 * edit.h - one change of a container's list of stored access policies.
 *
 *   GET acl ─► nothing to change: that was all
 *           ─► acquire ─► the same ETag: the list is still that one
 *                      ─► another: GET acl again
 *                                       └─► PUT acl ─► release
 */
#ifndef AZURE_EDIT_H
#define AZURE_EDIT_H
#include "acl.h"
#include "azure.h"

enum edit_verdict {
	EDIT_KEEP = 1, /* it stays as it is */
	EDIT_WRITE,    /* without what was dropped, and with *more */
	EDIT_REFUSE,   /* it stays as it is, and the caller fails */
};

/* Whoever judges embeds it as the first member of what it needs besides, and casts back: see
 * struct grant. */
struct edit {
	const char *container;
	/* Looks at the list and drops from it; may be called again with a newer one.  It does not
	 * fail the call: a lease may have to be released.  *more is "" before. */
	enum edit_verdict (*judge)(struct cosi_call *call, struct edit *edit, struct acl *acl,
				   const char **more);
	bool insists; /* it may end the container's public access, if the account forbids that */
	/* Out: */
	bool exists;               /* the container */
	enum edit_verdict verdict; /* the last one; only when it exists */
};

/* 0: done as the verdict says, or there is no such container.  -1: the call has failed; BUSY when
 * somebody else came in between. */
int edit_policies(const struct azure *azure, struct cosi_call *call, struct edit *edit);

#endif
