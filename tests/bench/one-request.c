/* SPDX-License-Identifier: Apache-2.0
 * one-request.c - a module whose every create is one GET, for the benchmark with a slow store. */
#include "cosi_module.h"

static int
create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	      struct cosi_bucket *out)
{
	const struct cosi_http_reply *reply =
		cosi_http(call, .method = "GET", .path = cosi_printf(call, "/%s", req->native));

	(void)instance;
	if (reply == NULL)
		return cosi_fail(call, 0, "cannot create bucket '%s'", req->native);
	if (reply->status != 200)
		return cosi_fail(call, COSI_INTERNAL, "the store answered %d", reply->status);
	*out = (struct cosi_bucket){ .ours = true, .protocols = COSI_S3, .region = "default" };
	return 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.flags = COSI_NETWORK,
	.name = "one-request",
	.version = "1",
	.summary = "one GET for each create, for the benchmark",
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.create_bucket = create_bucket,
};
