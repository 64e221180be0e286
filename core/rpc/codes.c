/* SPDX-License-Identifier: Apache-2.0
 * codes.c - which gRPC code a failure becomes; the code decides what a sidecar does for ever.
 *
 * The sidecar of v0.2.2 crashes on ALREADY_EXISTS for Grant and retries all else for ever; that of
 * v1alpha2 takes INVALID_ARGUMENT, ALREADY_EXISTS, UNIMPLEMENTED, and OUT_OF_RANGE on Grant, as
 * final, and the specification keeps OUT_OF_RANGE there for what several buckets cannot have.
 */
#include "rpc/codes.h"

#include <grpc/status.h>

#include "banned.h"

/* What every version and method answers alike.  EXISTS and NOT_FOUND where they cannot be meant are
 * bugs of a module, but the first is kept away from the sidecars all the same. */
/* clang-format off */
#define COMMON                                                 \
	[COSI_OK] = GRPC_STATUS_OK,                            \
	[COSI_INVALID] = GRPC_STATUS_INVALID_ARGUMENT,         \
	[COSI_PRECONDITION] = GRPC_STATUS_FAILED_PRECONDITION, \
	[COSI_DENIED] = GRPC_STATUS_PERMISSION_DENIED,         \
	[COSI_UNAUTHENTICATED] = GRPC_STATUS_UNAUTHENTICATED,  \
	[COSI_BUSY] = GRPC_STATUS_ABORTED,                     \
	[COSI_UNAVAILABLE] = GRPC_STATUS_UNAVAILABLE,          \
	[COSI_TIMEOUT] = GRPC_STATUS_DEADLINE_EXCEEDED,        \
	[COSI_EXHAUSTED] = GRPC_STATUS_RESOURCE_EXHAUSTED,     \
	[COSI_UNSUPPORTED] = GRPC_STATUS_UNIMPLEMENTED,        \
	[COSI_INTERNAL] = GRPC_STATUS_INTERNAL

const struct codes codes_v1alpha1_create = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_OUT_OF_RANGE,
		[COSI_EXISTS] = GRPC_STATUS_ALREADY_EXISTS,
		[COSI_NOT_FOUND] = GRPC_STATUS_INTERNAL },
};

const struct codes codes_v1alpha1_grant = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_OUT_OF_RANGE,
		[COSI_EXISTS] = GRPC_STATUS_FAILED_PRECONDITION,
		[COSI_NOT_FOUND] = GRPC_STATUS_NOT_FOUND },
};

const struct codes codes_v1alpha1_remove = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_INVALID_ARGUMENT,
		[COSI_EXISTS] = GRPC_STATUS_FAILED_PRECONDITION,
		[COSI_NOT_FOUND] = GRPC_STATUS_INTERNAL },
};

const struct codes codes_v1alpha2_create = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_INVALID_ARGUMENT,
		[COSI_EXISTS] = GRPC_STATUS_ALREADY_EXISTS,
		[COSI_NOT_FOUND] = GRPC_STATUS_INTERNAL },
};

const struct codes codes_v1alpha2_get = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_INVALID_ARGUMENT,
		[COSI_EXISTS] = GRPC_STATUS_ALREADY_EXISTS,
		[COSI_NOT_FOUND] = GRPC_STATUS_NOT_FOUND },
};

const struct codes codes_v1alpha2_grant = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_INVALID_ARGUMENT,
		[COSI_EXISTS] = GRPC_STATUS_ALREADY_EXISTS,
		[COSI_NOT_FOUND] = GRPC_STATUS_NOT_FOUND },
	.out_of_range_many = GRPC_STATUS_OUT_OF_RANGE,
};

const struct codes codes_v1alpha2_remove = {
	.grpc = { COMMON,
		[COSI_OUT_OF_RANGE] = GRPC_STATUS_INVALID_ARGUMENT,
		[COSI_EXISTS] = GRPC_STATUS_ALREADY_EXISTS,
		[COSI_NOT_FOUND] = GRPC_STATUS_INTERNAL },
};
/* clang-format on */

unsigned
codes_grpc(const struct codes *codes, uint32_t code, size_t nbuckets)
{
	if (code >= CODES_N)
		return GRPC_STATUS_INTERNAL;
	if (code == COSI_OUT_OF_RANGE && nbuckets > 1 && codes->out_of_range_many != GRPC_STATUS_OK)
		return codes->out_of_range_many;
	return codes->grpc[code];
}
