/* SPDX-License-Identifier: Apache-2.0
 * params.h - the parameters of a request: whose each is, its value, what counts in the hash.
 *
 * A parameter is the daemon's (backend, accessMode), or one of those that all stores spell alike
 * (schema_bucket, as far as the module supports it), or belongs to the module's own schema.
 */
#ifndef COSID_ROUTING_PARAMS_H
#define COSID_ROUTING_PARAMS_H
#include "base/arena.h"
#include "base/status.h"
#include "cosi_module.h"
#include "routing/request.h"

struct params {
	const struct cosi_bucket_params *common; /* zeroed when the request is about an access */
	const void *own;                         /* the struct of the module's schema */
	uint32_t mode;                           /* accessMode; COSI_READ_WRITE when it is absent */
	size_t ngiven;
	struct cosi_kv *given; /* what counts in the hash: sorted by key, canonical values */
};

/* The value of a parameter of the request; NULL: it is not given. */
const char *params_value(const struct request *req, const char *key);

/* Reads the parameters for a module; everything comes from the arena.  An unknown key is refused on
 * create, get and grant; on delete and revoke it is ignored, so that what was made under an older
 * configuration can be deleted.  What a module requires must be given on create and on grant.  A
 * known key with a bad value is INVALID everywhere.  0 or -1. */
int params_read(struct params *out, const struct request *req, const struct cosi_module *module,
		struct arena *arena, struct status *status);

/* The ownership tag cosi-params: with which parameters a bucket or an account was created.
 *
 * "1:" + 64 hex digits of SHA-256 over what was given explicitly, in canonical spelling, sorted by
 * key; `backend` and `whenNotEmpty` do not count.  A grant's also holds its buckets, sorted by
 * native name, and their modes.  A parameter that a later version adds changes no hash that exists.
 *
 * From the arena; never NULL, but empty when the arena has failed, which it has, too, once
 * libcrypto gets no memory. */
const char *param_hash(const struct cosi_kv *given, size_t ngiven,
		       const struct cosi_bucket_ref *const *buckets, size_t nbuckets,
		       struct arena *arena);

#endif
