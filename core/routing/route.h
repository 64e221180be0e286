/* SPDX-License-Identifier: Apache-2.0
 * route.h - which backend gets a bucket: the decision, before any store is asked.
 */
#ifndef COSID_ROUTING_ROUTE_H
#define COSID_ROUTING_ROUTE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "module/backend.h"
#include "routing/request.h"

/* Does it serve all of these protocols?  0: every backend does. */
bool route_serves(const struct backend *backend, uint32_t protocols);
/* Does existing_buckets permit the use of a bucket of that native name that cosid did not create?
 */
bool route_permits(const struct backend *backend, const char *native);

/* The backend that a new bucket goes to; NULL: status says why there is none.  That is the answer
 * to the client unless the bucket exists already (lookup.h). */
struct backend *route_new_bucket(const struct generation *generation, const struct request *req,
				 struct status *status);

/* Warns when a bucket class must name its backend, because several take new buckets and nothing
 * chooses between them. */
void route_warn(const struct generation *generation, struct diag *diag);

/* The backend that is asked first for a bucket with that native name; NULL: no route matches. */
struct backend *route_native_bucket(const struct generation *generation, const char *native);

/* "s3", "azure", "gcs", several with a comma between; for texts.  A constant. */
const char *route_protocol_names(uint32_t protocols);

#endif
