/* SPDX-License-Identifier: Apache-2.0
 * params.h - the parameters of a request: who reads which, and their hash.
 *
 * A word belongs to the daemon (backend, accessMode), to the bucket parameters that all stores
 * spell alike, as far as the module has them, or to the module's own schema.
 */
#ifndef COSID_ROUTER_PARAMS_H
#define COSID_ROUTER_PARAMS_H
#include "base/arena.h"
#include "base/status.h"
#include "cosi_module.h"
#include "router/request.h"

struct params {
	const struct cosi_bucket_params *common; /* zeroed when the request is about an access */
	const void *own;                         /* the struct of the module's schema */
	uint32_t mode;                           /* accessMode; COSI_READ_WRITE when it is absent */
	size_t ngiven;
	struct cosi_kv *given; /* what counts in the hash: sorted by key, canonical values */
};

/* The value of a parameter of the request; NULL: it is not given. */
const char *params_value(const struct request *req, const char *key);

/* Reads them for a module; everything comes from the arena.  On create, get and grant a key that
 * nobody knows is refused; on delete and revoke it is ignored, so that what an older configuration
 * made can go.  What a module requires must be given on create and on grant.  A known key with a
 * bad value is INVALID everywhere. 0 or -1. */
int params_read(struct params *out, const struct request *req, const struct cosi_module *module,
		struct arena *arena, struct status *status);

#endif
