/* SPDX-License-Identifier: Apache-2.0
 * null.c - a module that does nothing: what is left is the daemon's own cost. */
#include "cosi_module.h"

static int
create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	      struct cosi_bucket *out)
{
	(void)instance, (void)call, (void)req;
	*out = (struct cosi_bucket){ .ours = true, .protocols = COSI_S3, .region = "default" };
	return 0;
}

static int
delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	(void)instance, (void)call, (void)req;
	return 0;
}

static int
grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
      struct cosi_access *out)
{
	(void)instance, (void)call, (void)req;
	out->key_id = "BENCHACCESSKEY000000";
	out->key_secret = "benchsecretkey00000000000000000000000000";
	out->buckets[0]->protocols = COSI_S3;
	out->buckets[0]->region = "default";
	return 0;
}

static int
revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	(void)instance, (void)call, (void)req;
	return 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "null",
	.version = "1",
	.summary = "does nothing, for the benchmark",
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.create_bucket = create_bucket,
	.delete_bucket = delete_bucket,
	.grant = grant,
	.revoke = revoke,
};
