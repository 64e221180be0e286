/* SPDX-License-Identifier: Apache-2.0
 * lease.h - a container's lease, taken for as long as its list of policies is changed.
 *
 * Writing the list has no condition that would see every other writer: If-Match is not for
 * containers, and If-Unmodified-Since counts in seconds.  Within one daemon its locks suffice;
 * there that condition still keeps out a write of its own that arrives late.
 */
#ifndef AZURE_LEASE_H
#define AZURE_LEASE_H
#include "azure.h"

/* Seconds; the least that Azure has.  A lease that a daemon left behind blocks that long. */
enum { LEASE_SECONDS = 15 };

struct lease {
	const char *id;   /* NULL: there is no such container */
	const char *etag; /* the container's at that moment; "": it was not told */
};

/* Waits while somebody else has it, as long as the call's time allows; then BUSY.  0 or -1. */
int lease_acquire(const struct azure *azure, struct cosi_call *call, const char *container,
		  struct lease *out);
/* It ends by itself, so that a refusal is only logged. */
void lease_release(const struct azure *azure, struct cosi_call *call, const char *container,
		   const struct lease *lease);
/* Ends whatever lease there is, at once.  0 or -1. */
int lease_break(const struct azure *azure, struct cosi_call *call, const char *container);

#endif
