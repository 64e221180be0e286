/* SPDX-License-Identifier: Apache-2.0
 * dialect.h - what a version of COSI is to the server: one table, in one file.
 *
 *   bytes -> wire.c -> message -> decode() -> struct request -> router
 *   bytes <- protobuf-c <- message <- encode() <- struct answer <-'
 *
 * A further dialect is a further file with one struct dialect, its .proto, and one line in
 * dialect.c.
 */
#ifndef COSID_RPC_DIALECT_H
#define COSID_RPC_DIALECT_H
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "router/request.h"
#include "rpc/codes.h"

struct dialect_method {
	const char *path;   /* "/package.Service/Method", as in the request's :path */
	const char *name;   /* "DriverCreateBucket" */
	enum request_op op; /* 0: DriverGetInfo, which the router is not asked about */
	const ProtobufCMessageDescriptor *input;
	const struct codes *codes;
	/* Checks the message (sizes, required fields, enumerations) and fills out, which is zeroed;
	 * strings are borrowed from the message, everything else is from the arena.  0, or -1 with
	 * a status that names the field.  NULL when op is 0. */
	int (*decode)(const ProtobufCMessage *input, struct request *out, struct arena *arena,
		      struct status *status);
	/* The answer of a call that went well, from its arena; input is what decode() was given.
	 * NULL with status: the answer cannot be told in this dialect.  NULL as a member: an empty
	 * message. */
	const ProtobufCMessage *(*encode)(const ProtobufCMessage *input, struct call *call,
					  struct status *status);
};

struct dialect {
	const char *api; /* "v1alpha1" */
	/* The answer of DriverGetInfo, from the arena; protocols: enum cosi_protocol.  NULL with
	 * status. */
	const ProtobufCMessage *(*info)(const char *driver_name, uint32_t protocols,
					struct arena *arena, struct status *status);
	size_t nmethods;
	const struct dialect_method *methods;
};

extern const struct dialect dialect_v1alpha1, dialect_v1alpha2;

/* All that are served; ends with NULL. */
extern const struct dialect *const dialect_all[];

#endif
