/* SPDX-License-Identifier: Apache-2.0
 * route.h - which backend gets a bucket: the decision, before any store is asked.
 */
#ifndef COSID_ROUTER_ROUTE_H
#define COSID_ROUTER_ROUTE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "module/backend.h"
#include "router/request.h"

/* Can it speak all of these protocols?  0: any backend can. */
bool route_serves(const struct backend *backend, uint32_t protocols);
/* May buckets of that native name, which cosid did not make, be used through it? */
bool route_lets_in(const struct backend *backend, const char *native);

/* The backend that a new bucket goes to; NULL: status says why there is none.  That is the answer
 * to the client unless the bucket turns out to exist already (find.h). */
struct backend *route_new_bucket(const struct generation *generation, const struct request *req,
				 struct status *status);

/* The backend where a bucket that is called by its native name is looked for first; NULL: no route
 * speaks of it. */
struct backend *route_native_bucket(const struct generation *generation, const char *native);

/* "s3", "azure", "gcs", several with a comma between; for texts.  A constant. */
const char *route_protocol_names(uint32_t protocols);

#endif
