/* SPDX-License-Identifier: Apache-2.0
 * limits.h - everything that a peer can grow, and how far; messages and fields are checked here.
 *
 * The sizes of fields are the specifications' (v1alpha1 and v1alpha2, "Size Limits"): 128 bytes a
 * string, 4 KiB a map<string, string>, unless a field's own description gives another.  They
 * also apply to answers.
 */
#ifndef COSID_RPC_LIMITS_H
#define COSID_RPC_LIMITS_H
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "cosi_module.h"
#include "routing/request.h"

enum {
	/* Fields, in bytes. */
	LIMIT_STRING = 128,
	LIMIT_MAP = 4096,                    /* the sum of its keys and values */
	LIMIT_DNS_NAME = 253,                /* v1alpha2: names of buckets and accounts */
	LIMIT_LONG_ID = 2048,                /* v1alpha2: bucket_id and account_id */
	LIMIT_TOKEN = 2048,                  /* v1alpha2: a SAS URL is longer than LIMIT_STRING */
	LIMIT_BUCKETS = REQUEST_BUCKETS_MAX, /* of one access */

	/* Requests. */
	LIMIT_MESSAGE = 256 * 1024, /* bytes; gRPC refuses more */
	LIMIT_FIELDS = 8192,        /* counted through all its messages */
	LIMIT_DEPTH = 16,           /* messages within messages */

	/* Calls in flight, and the bytes of their requests: past them RESOURCE_EXHAUSTED. */
	LIMIT_CALLS = 1024,
	LIMIT_CALL_BYTES = 16 * 1024 * 1024,

	/* Open calls of any method: a call ends when its answer has been read.  Past the limit the
	 * connection is closed; past that of all connections, the one with most. */
	LIMIT_OPEN_CALLS = 768, /* not LIMIT_STREAMS: that a client cancels is noticed late */
	LIMIT_OPEN_CALLS_ALL = 4096,

	/* Connections. */
	LIMIT_CONNECTIONS = 256,
	LIMIT_CONNECTIONS_USER = 64, /* of one user: the rest is for others */
	LIMIT_IDLE_MS = 60000,       /* an idle one makes room for another of its user after this */
	LIMIT_STREAMS = 128,         /* calls on each; the next waits in the client */
	LIMIT_STALL_MS = 2000,       /* how long one may have unread bytes and no progress */
	LIMIT_CHECK_MS = 250,        /* how often the connections are checked for that */
	LIMIT_LEAVE_MS = 30000,      /* of one not allowed any more, for its last calls */
	LIMIT_KEEPALIVE_MS = 60000,  /* the core pings a quiet one that often, */
	LIMIT_KEEPALIVE_TIMEOUT_MS = 20000, /* and closes it when no answer comes: also one that
					     * never sent a byte */

	/* Bytes that the core may use for what it has received.  In no limit are the 2 to 4 KiB
	 * that it keeps, until the connection closes, of each call that was begun and refused or
	 * reset, and headers without an end (measured with 1.51; SECURITY.md). */
	LIMIT_MEMORY = 64 * 1024 * 1024,
};

/* Checks that these are the bytes of such a message, and that it is safe to unpack.  protobuf-c
 * accepts invalid UTF-8, cuts strings at a NUL, and allocates 60 bytes for 2 bytes of map entry:
 * all of that, too many fields (LIMIT_FIELDS) and too deep ones (LIMIT_DEPTH) are refused.  0, or
 * -1 with INVALID. */
int wire_check(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len,
	       struct status *status);

/* Checks and unpacks.  The message and its strings lie in the arena and are never freed one by one.
 * NULL with status: INVALID, or EXHAUSTED when the arena has failed. */
ProtobufCMessage *wire_decode(const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
			      size_t len, struct arena *arena, struct status *status);

/* A string field: required means not empty.  value may be NULL, which is the empty string.  0, or
 * -1 with INVALID naming the field. */
int limits_string(const char *field, const char *value, size_t max, bool required,
		  struct status *status);
/* A required id of v1alpha2: [A-Za-z0-9.-], at most LIMIT_LONG_ID bytes. */
int limits_id(const char *field, const char *value, struct status *status);
/* A required DNS subdomain (RFC 1123, lower case), at most LIMIT_DNS_NAME bytes. */
int limits_dns_name(const char *field, const char *value, struct status *status);
/* A map<string, string> field, which is n pointers to messages, into out->params, sorted by key; of
 * a key that comes twice the last counts, as proto3 has it. */
int limits_map(const char *field, size_t n, const void *entries, struct request *out,
	       struct arena *arena, struct status *status);

#endif
