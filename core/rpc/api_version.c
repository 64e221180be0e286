/* SPDX-License-Identifier: Apache-2.0
 * api_version.c - the versions of the API that are served, the gRPC code that each of their methods
 * answers for a failure, and what their answers are made of. */
#include "rpc/api_version.h"

#include <grpc/status.h>

#include "rpc/limits.h"

#include "banned.h"

const struct api_version *const api_versions[] = { &api_v1alpha1, &api_v1alpha2, NULL };

/* The code decides what a sidecar does for ever.  That of v0.2.2 crashes on ALREADY_EXISTS for
 * Grant and retries all else; that of v1alpha2 takes INVALID_ARGUMENT, ALREADY_EXISTS,
 * UNIMPLEMENTED, and OUT_OF_RANGE on Grant, as final, and the specification keeps OUT_OF_RANGE
 * there for what several buckets cannot have.  EXISTS and NOT_FOUND where they cannot be meant are
 * bugs of a module, but the first is kept away from the sidecars all the same. */
const struct codes codes_v1alpha1_create = {
	.exists = GRPC_STATUS_ALREADY_EXISTS,
	.not_found = GRPC_STATUS_INTERNAL,
	.out_of_range = GRPC_STATUS_OUT_OF_RANGE,
};
const struct codes codes_v1alpha1_grant = {
	.exists = GRPC_STATUS_FAILED_PRECONDITION,
	.not_found = GRPC_STATUS_NOT_FOUND,
	.out_of_range = GRPC_STATUS_OUT_OF_RANGE,
};
const struct codes codes_v1alpha1_remove = {
	.exists = GRPC_STATUS_FAILED_PRECONDITION,
	.not_found = GRPC_STATUS_INTERNAL,
	.out_of_range = GRPC_STATUS_INVALID_ARGUMENT,
};
const struct codes codes_v1alpha2_change = {
	.exists = GRPC_STATUS_ALREADY_EXISTS,
	.not_found = GRPC_STATUS_INTERNAL,
	.out_of_range = GRPC_STATUS_INVALID_ARGUMENT,
};
const struct codes codes_v1alpha2_get = {
	.exists = GRPC_STATUS_ALREADY_EXISTS,
	.not_found = GRPC_STATUS_NOT_FOUND,
	.out_of_range = GRPC_STATUS_INVALID_ARGUMENT,
};
const struct codes codes_v1alpha2_grant = {
	.exists = GRPC_STATUS_ALREADY_EXISTS,
	.not_found = GRPC_STATUS_NOT_FOUND,
	.out_of_range = GRPC_STATUS_INVALID_ARGUMENT,
	.out_of_range_many = GRPC_STATUS_OUT_OF_RANGE,
};

unsigned
codes_grpc(const struct codes *codes, uint32_t code, size_t nbuckets)
{
	switch (code) {
	case COSI_OK:
		return GRPC_STATUS_OK;
	case COSI_INVALID:
		return GRPC_STATUS_INVALID_ARGUMENT;
	case COSI_OUT_OF_RANGE:
		return nbuckets > 1 && codes->out_of_range_many != GRPC_STATUS_OK
			       ? codes->out_of_range_many
			       : codes->out_of_range;
	case COSI_EXISTS:
		return codes->exists;
	case COSI_NOT_FOUND:
		return codes->not_found;
	case COSI_PRECONDITION:
		return GRPC_STATUS_FAILED_PRECONDITION;
	case COSI_DENIED:
		return GRPC_STATUS_PERMISSION_DENIED;
	case COSI_UNAUTHENTICATED:
		return GRPC_STATUS_UNAUTHENTICATED;
	case COSI_BUSY:
		return GRPC_STATUS_ABORTED;
	case COSI_UNAVAILABLE:
		return GRPC_STATUS_UNAVAILABLE;
	case COSI_TIMEOUT:
		return GRPC_STATUS_DEADLINE_EXCEEDED;
	case COSI_EXHAUSTED:
		return GRPC_STATUS_RESOURCE_EXHAUSTED;
	case COSI_UNSUPPORTED:
		return GRPC_STATUS_UNIMPLEMENTED;
	default:
		return GRPC_STATUS_INTERNAL;
	}
}
char *
api_text(const char *text)
{
	return text != NULL ? (char *)(uintptr_t)text : (char *)(uintptr_t)protobuf_c_empty_string;
}

int
api_string(const char *field, const char *value, size_t max, bool required, char **out,
	   struct status *status)
{
	*out = api_text(value);
	if (limits_string(field, value, max, required, status) == 0)
		return 0;
	status->code = COSI_INTERNAL;
	return status_fail(status, 0, "cannot encode the answer");
}

void *
api_alloc(struct arena *arena, size_t size, struct status *status)
{
	void *memory = arena_alloc(arena, size);

	if (memory == NULL)
		status_no_memory(status);
	return memory;
}

const char *
api_date(enum utc_form form, int64_t epoch_s, struct arena *arena, struct status *status)
{
	char *text;

	if (epoch_s == 0)
		return "";
	text = api_alloc(arena, UTC_MAX, status);
	if (text == NULL || utc_format(text, form, epoch_s) == 0)
		return text;
	status_fail(status, COSI_INTERNAL, "%lld is not a date", (long long)epoch_s);
	return NULL;
}
