/* SPDX-License-Identifier: Apache-2.0
 * api_version.h - what a version of COSI is to the server: one table, in one file.
 *
 *   bytes -> limits.c -> message -> decode() -> struct request -> scheduler
 *   bytes <- protobuf-c <- message <- encode() <- struct answer <-'
 *
 * A further version is a further file with one struct api_version, its .proto, and one line in
 * api_version.c.
 */
#ifndef COSID_RPC_API_VERSION_H
#define COSID_RPC_API_VERSION_H
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/status.h"
#include "sched/call.h"

/* What a method answers for the codes that depend on it (docs/design/api.md): each is a
 * grpc_status_code. */
struct codes {
	uint8_t exists, not_found, out_of_range;
	/* When the request names several buckets; GRPC_STATUS_OK: as for one. */
	uint8_t out_of_range_many;
};
extern const struct codes codes_v1alpha1_create, codes_v1alpha1_grant, codes_v1alpha1_remove;
extern const struct codes codes_v1alpha2_change, codes_v1alpha2_get, codes_v1alpha2_grant;
/* The grpc_status_code for an enum cosi_code; one that is none of it counts as COSI_INTERNAL. */
unsigned codes_grpc(const struct codes *codes, uint32_t code, size_t nbuckets);

struct api_method {
	const char *path;   /* "/package.Service/Method", as in the request's :path */
	const char *name;   /* "DriverCreateBucket" */
	enum request_op op; /* 0: DriverGetInfo, which is answered without the scheduler */
	const ProtobufCMessageDescriptor *input;
	const struct codes *codes;
	/* Checks a message of that type (sizes, required fields, enumerations) and fills out,
	 * zeroed; strings are borrowed from the message, everything else is from the arena.  0, or
	 * -1 with a status that names the field, OUT_OF_RANGE for too many buckets and for nothing
	 * else.  NULL when op is 0. */
	int (*decode)(const void *input, struct request *out, struct arena *arena,
		      struct status *status);
	/* The answer of a call that succeeded, from its arena; input is what decode() was given.
	 * NULL with status: this version cannot express the answer.  NULL as a member: an empty
	 * message. */
	const ProtobufCMessage *(*encode)(const void *input, struct call *call,
					  struct status *status);
};

struct api_version {
	const char *name; /* "v1alpha1" */
	/* The answer of DriverGetInfo, from the arena; protocols: enum cosi_protocol.  NULL with
	 * status. */
	const ProtobufCMessage *(*info)(const char *driver_name, uint32_t protocols,
					struct arena *arena, struct status *status);
	size_t nmethods;
	const struct api_method *methods;
};

extern const struct api_version api_v1alpha1, api_v1alpha2;

/* All that are served on the one socket; ends with NULL. */
extern const struct api_version *const api_versions[];

/* For answers.  protobuf-c's strings are char * though packing only reads them; NULL becomes the
 * empty string. */
char *api_text(const char *text);
/* Sets *out to that, and checks it as limits_string() does.  0, or -1 with INTERNAL: the answer
 * cannot be given. */
int api_string(const char *field, const char *value, size_t max, bool required, char **out,
	       struct status *status);
/* Zeroed memory of the arena; NULL with EXHAUSTED. */
void *api_alloc(struct arena *arena, size_t size, struct status *status);
/* Seconds since the epoch as a date; 0: none, the empty string.  NULL with INTERNAL: no such date;
 * or EXHAUSTED. */
const char *api_date(enum utc_form form, int64_t epoch_s, struct arena *arena,
		     struct status *status);

#endif
