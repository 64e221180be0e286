/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2.h - what v1alpha2.c (requests) and v1alpha2_answer.c (answers) share. */
#ifndef COSID_RPC_V1ALPHA2_H
#define COSID_RPC_V1ALPHA2_H
#include <protobuf-c/protobuf-c.h>
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
const ProtobufCMessage *v1alpha2_encode_found(const void *input, struct call *call,
					      struct status *status);
const ProtobufCMessage *v1alpha2_encode_grant(const void *input, struct call *call,
					      struct status *status);

#endif
