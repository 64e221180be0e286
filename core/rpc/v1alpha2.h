/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2.h - what v1alpha2.c (requests), v1alpha2_answer.c and v1alpha2_mode.c share. */
#ifndef COSID_RPC_V1ALPHA2_H
#define COSID_RPC_V1ALPHA2_H
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/api_version.h"

/* enum cosi_protocol in the order of ObjectProtocol.Type, which counts from 1. */
enum { V1ALPHA2_NPROTOCOLS = 3 };
extern const uint32_t v1alpha2_protocols[V1ALPHA2_NPROTOCOLS];

/* Where id stands among request->buckets; nbuckets when it does not. */
size_t v1alpha2_find_bucket(const struct request *request, const char *id);

/* As struct api_version and struct api_method have them. */
const ProtobufCMessage *v1alpha2_info(const char *driver_name, uint32_t protocols,
				      struct arena *arena, struct status *status);
const ProtobufCMessage *v1alpha2_encode_found(const ProtobufCMessage *input, struct call *call,
					      struct status *status);
const ProtobufCMessage *v1alpha2_encode_grant(const ProtobufCMessage *input, struct call *call,
					      struct status *status);

/* Access modes (v1alpha2_mode.c): numbers off the wire, or MODE_ABSENT where there is no message.
 */
enum { MODE_ABSENT = -1 };
struct mode_numbers {
	int data, object_metadata, bucket_metadata;
};
/* True when they are of the new numbering. */
bool mode_is_new(const struct mode_numbers *numbers);
/* The enum cosi_mode of one bucket; newer: the request's numbering.  ANY asks for no more than the
 * least that is useful, which is to read.  An access that reads objects can read metadata; any
 * other mode for metadata is refused.  0, or -1 with INVALID. */
int mode_resolve(const struct mode_numbers *numbers, bool newer, uint32_t *out_mode,
		 struct status *status);

#endif
