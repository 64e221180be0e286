/* SPDX-License-Identifier: Apache-2.0
 * edit.h - one change of a container's list of stored access policies.
 *
 *   GET acl ─► nothing to change: done
 *           ─► acquire ─► the same ETag: the list is still that one
 *                      ─► another: GET acl again
 *                                       └─► PUT acl ─► release
 *
 * A container's lease is held while its list changes.  Writing the list has no condition that sees
 * every other writer: containers have no If-Match, and If-Unmodified-Since counts in seconds. Where
 * one daemon is alone and leases are off, the daemon's locks suffice; that condition then still
 * keeps out a write of its own that arrives late.
 */
#ifndef AZURE_EDIT_H
#define AZURE_EDIT_H
#include "azure.h"
#include "policy.h"

enum edit_verdict {
	EDIT_KEEP = 1, /* it stays as it is */
	EDIT_WRITE,    /* without what was dropped, and with *more */
	EDIT_REFUSE,   /* it stays as it is, and the caller fails */
};

/* The first member of the judge's own structure, which casts back: see struct azure_grant. */
struct edit {
	const char *container;
	/* Reads the list and drops from it; is called again with a newer one.  It does not fail the
	 * call: a lease may have to be released.  *more is "" before. */
	enum edit_verdict (*judge)(struct cosi_call *call, struct edit *edit, struct acl *acl,
				   const char **more);
	bool insists; /* it may end the container's public access, if the account forbids that */
	/* Out: */
	bool exists;               /* the container */
	enum edit_verdict verdict; /* the last one; only when it exists */
};

/* 0: done as the judge decided, or there is no such container.  -1: the call has failed; BUSY if
 * another client changed the policies in between. */
int edit_policies(const struct azure *azure, struct cosi_call *call, struct edit *edit);

/* Seconds; the least that Azure has.  A lease that a daemon left behind blocks that long. */
enum { LEASE_SECONDS = 15 };
/* Ends any lease of the container at once. */
int edit_break_lease(const struct azure *azure, struct cosi_call *call, const char *container);

#endif
