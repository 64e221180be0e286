/* SPDX-License-Identifier: Apache-2.0
 * toy.c - buckets of an imaginary store; the manual page cosi-module(7) shows it. */
#include "cosi_module.h"

struct config {
	const char *region, *admin_key;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct config, region, 0, "default", "region of all buckets"),
	COSI_SECRET(struct config, admin_key, COSI_REQUIRED, "the administrator's key"),
};

/* The store keeps the marks, takes the same request twice, and answers 409 to another one. */
static int
ask(const struct config *config, struct cosi_call *call, const char *method,
    const struct cosi_bucket_req *req, uint32_t conflict)
{
	const struct cosi_kv headers[] = {
		{ "authorization", config->admin_key },
		{ "x-owner", req->mark.owner },
		{ "x-params", req->mark.params != NULL ? req->mark.params : "" },
	};
	const struct cosi_http_reply *reply =
		cosi_http(call, .method = method, .path = cosi_printf(call, "/b/%s", req->native),
			  .headers = headers, .nheaders = 3, .flags = COSI_HTTP_SAFE);

	if (reply != NULL && reply->status == 200)
		return 0;
	if (reply != NULL && reply->status == 409)
		return cosi_fail(call, conflict, "cannot %s bucket '%s': the store says no", method,
				 req->native);
	return cosi_fail(call, COSI_UNAVAILABLE, "cannot %s bucket '%s'", method, req->native);
}

static int
toy_create(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	   struct cosi_bucket *out)
{
	const struct config *config = instance;

	if (ask(config, call, "PUT", req, COSI_EXISTS) < 0)
		return -1;
	*out = (struct cosi_bucket){ .ours = true, .protocols = COSI_S3, .region = config->region };
	return 0;
}

static int
toy_delete(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	return ask(instance, call, "DELETE", req, COSI_PRECONDITION);
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "toy",
	.version = "1.0",
	.summary = "buckets of an imaginary store",
	.flags = COSI_NETWORK,
	.protocols = COSI_S3,
	.config = COSI_SCHEMA(struct config, keys),
	.create_bucket = toy_create,
	.delete_bucket = toy_delete,
};
