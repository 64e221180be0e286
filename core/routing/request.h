/* SPDX-License-Identifier: Apache-2.0
 * request.h - one COSI request and its answer, the same for every API version.
 *
 * core/rpc turns the messages of every API version into a struct request, and a struct answer back
 * into a message; no layer to its right knows gRPC or protobuf.
 */
#ifndef COSID_ROUTING_REQUEST_H
#define COSID_ROUTING_REQUEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

enum request_op { REQUEST_CREATE = 1, REQUEST_GET, REQUEST_DELETE, REQUEST_GRANT, REQUEST_REVOKE };

/* Bytes. */
enum {
	ID_MAX = 128,        /* of a whole id; what every release of the sidecars can store */
	ID_BACKEND_MAX = 32, /* of a backend's name */
};

/* Buckets of one access; Kubernetes allows 128 in a BucketAccess. */
enum { REQUEST_BUCKETS_MAX = 128 };

struct request_bucket {
	const char *id;
	uint32_t mode; /* enum cosi_mode; 0: the accessMode parameter's */
};

/* All pointers are from the call's arena.  core/rpc has checked the fields: what an operation needs
 * is there, and not empty. */
struct request {
	enum request_op op;
	const char *api, *method; /* "v1alpha1", "DriverCreateBucket": for texts and logs */
	bool exact_names;         /* v1alpha1: the store's name must be the requested one */
	bool mode_is_param;       /* v1alpha1: the mode is the accessMode parameter */
	bool whole_account;       /* v1alpha1 Revoke: the account goes, whatever bucket is named */
	bool delay_reply;         /* v1alpha1 Create: a success is answered after create_settle */
	const char *name;         /* create: the bucket's; grant: the account's */
	const char *id;           /* get, delete: bucket_id; revoke: account_id */
	uint32_t protocols;       /* create, get: all are needed; grant: one; 0: not said */
	uint32_t auth;            /* grant, revoke: one of enum cosi_auth; revoke: 0: not said */
	const char *service_account; /* NULL: not given */
	size_t nparams;
	const struct cosi_kv *params; /* no key twice */
	size_t nbuckets;
	struct request_bucket *buckets; /* grant: 1 to REQUEST_BUCKETS_MAX; revoke */
	int64_t arrived_ms;             /* monotonic */
	int64_t deadline_ms;            /* monotonic; CLOCK_NEVER when the client sent none */
};

/* What a success gives back; all pointers are from the call's arena or outlive the call. */
struct answer {
	const char *id;    /* create, get: bucket_id; grant: account_id */
	uint32_t protocol; /* grant: that of the credentials; create, get: the module's first, for
			    * API versions that are told one of bucket.protocols */
	struct cosi_bucket bucket; /* create, get; endpoint, style and name are filled in */
	struct cosi_access access; /* grant; access.buckets goes with request.buckets, one to one */
};

#endif
