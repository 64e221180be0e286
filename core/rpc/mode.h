/* SPDX-License-Identifier: Apache-2.0
 * mode.h - v1alpha2's access modes, in the two numberings that share one package name.
 *
 *   old  UNKNOWN 0, READ_WRITE 1, READ_ONLY 2, WRITE_ONLY 3
 *        tag 2 of AccessedBucket
 *   new  UNKNOWN 0, ANY 1, READ_WRITE 2, READ_ONLY 3, WRITE_ONLY 4
 *        tags 2 (object data), 3 (object metadata) and 4 (bucket metadata)
 *
 * The wire type does not tell them apart, but new clients always fill tags 3 and 4, which old ones
 * do not know: one of them anywhere in a request makes the whole request new.
 */
#ifndef COSID_RPC_MODE_H
#define COSID_RPC_MODE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { MODE_ABSENT = -1 }; /* the message is not there at all */
struct mode_ask {
	int data, object_metadata, bucket_metadata; /* numbers off the wire, or MODE_ABSENT */
};

bool mode_is_new(const struct mode_ask *ask);
/* The enum cosi_mode of one bucket; newer: the request's numbering.  ANY asks for no more than the
 * least that is useful, which is to read.  Metadata can be read by whoever reads objects; anything
 * else that is asked of metadata is refused.  0, or -1 with INVALID. */
int mode_resolve(const struct mode_ask *ask, bool newer, uint32_t *out_mode, struct status *status);

#endif
