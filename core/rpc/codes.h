/* SPDX-License-Identifier: Apache-2.0
 * codes.h - maps the daemon's codes to gRPC's, per API version and method (docs/design/api.md). */
#ifndef COSID_RPC_CODES_H
#define COSID_RPC_CODES_H
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

enum { CODES_N = COSI_INTERNAL + 1 };

/* grpc[code] is a grpc_status_code; every code but COSI_OK has one that is not GRPC_STATUS_OK. */
struct codes {
	uint8_t grpc[CODES_N];
	/* For OUT_OF_RANGE when the request names several buckets; GRPC_STATUS_OK: no other code.
	 */
	uint8_t out_of_range_many;
};

extern const struct codes codes_v1alpha1_create, codes_v1alpha1_grant, codes_v1alpha1_remove;
extern const struct codes codes_v1alpha2_create, codes_v1alpha2_get, codes_v1alpha2_grant,
	codes_v1alpha2_remove;

/* A code that is none of enum cosi_code counts as COSI_INTERNAL. */
unsigned codes_grpc(const struct codes *codes, uint32_t code, size_t nbuckets);

#endif
