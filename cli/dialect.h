/* SPDX-License-Identifier: Apache-2.0
 * dialect.h - one version of COSI on the wire: an ask into its messages, its answer back.
 */
#ifndef COSID_CLI_DIALECT_H
#define COSID_CLI_DIALECT_H
#include "ask.h"
#include "base/arena.h"
#include "client.h"

/* One kind of call.  0 with the (zeroed) answer filled, or -1 with *out_error. */
typedef int dialect_fn(struct client *client, struct arena *arena, const struct ask *ask,
		       struct answer *answer, struct client_error *out_error);

struct dialect {
	const char *name;                  /* "v1alpha2" */
	dialect_fn *calls[ASK_REVOKE + 1]; /* by enum ask_op; NULL: it has no such call */
	bool single;                       /* one bucket per access, no word about protocols */
};
extern const struct dialect dialect_v1alpha1, dialect_v1alpha2;

/* The ask's parameters as the entries of a map field: an array of ask->nparams pointers to messages
 * of that type, from the arena.  NULL only when the arena has failed. */
void *dialect_map(struct arena *arena, const struct ask *ask,
		  const ProtobufCMessageDescriptor *entry);

#endif
