/* SPDX-License-Identifier: Apache-2.0
 * toy.c - buckets of an imaginary store; the manual page cosi-module(7) shows it. */
#include <string.h>

#include "cosi_module.h"

struct config {
	const char *region, *admin_key;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct config, region, 0, "default", "region of all buckets"),
	COSI_SECRET(struct config, admin_key, COSI_REQUIRED, "the administrator's key"),
};

/* The store keeps the marks, takes the same request twice, answers 409 to another one, and 200 to
 * the DELETE of what is gone.  NULL: the call has failed. */
static const struct cosi_http_reply *
ask(const struct config *config, struct cosi_call *call, const char *method, const char *path,
    const struct cosi_mark *mark, const char *body, uint32_t conflict)
{
	const struct cosi_kv headers[] = {
		{ "authorization", config->admin_key },
		{ "x-owner", mark->owner },
		{ "x-params", mark->params != NULL ? mark->params : "" },
	};
	const struct cosi_http_reply *reply =
		cosi_http(call, .method = method, .path = path, .headers = headers, .nheaders = 3,
			  .body = { body, strlen(body) }, .flags = COSI_HTTP_SAFE);
	int status = reply != NULL ? reply->status : 0;
	uint32_t code = status == 409 ? conflict : COSI_UNAVAILABLE;

	if (status == 200)
		return reply;
	/* Without a reply the call has failed before, and that code stays. */
	(void)cosi_fail(call, status == 404 ? COSI_NOT_FOUND : code, "cannot %s '%s'", method,
			path);
	return NULL;
}

static int
toy_create(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	   struct cosi_bucket *out)
{
	const struct config *config = instance;

	if (ask(config, call, "PUT", cosi_printf(call, "/b/%s", req->native), &req->mark, "",
		COSI_EXISTS) == NULL)
		return -1;
	*out = (struct cosi_bucket){ .ours = true, .protocols = COSI_S3, .region = config->region };
	return 0;
}

static int
toy_delete(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	return ask(instance, call, "DELETE", cosi_printf(call, "/b/%s", req->native), &req->mark,
		   "", COSI_PRECONDITION) == NULL
		       ? -1
		       : 0;
}

/* The body: a line "NAME MODE" for each bucket.  The answer: "KEY_ID SECRET", the same each time.
 */
static int
toy_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	  struct cosi_access *out)
{
	const struct config *config = instance;
	const struct cosi_http_reply *reply;
	const char *body = "", *secret;

	for (size_t i = 0; i < req->nbuckets; i++)
		body = cosi_printf(call, "%s%s %u\n", body, req->buckets[i]->native,
				   req->buckets[i]->mode);
	reply = ask(config, call, "PUT", cosi_printf(call, "/a/%s", req->native), &req->mark, body,
		    COSI_EXISTS);
	if (reply == NULL)
		return -1;
	secret = strchr(reply->body.data, ' ');
	if (secret == NULL)
		return cosi_fail(call, COSI_UNAVAILABLE, "cannot read the keys of '%s'",
				 req->native);
	out->key_id = cosi_printf(call, "%.*s", (int)(secret - (const char *)reply->body.data),
				  (const char *)reply->body.data);
	out->key_secret = cosi_printf(call, "%s", secret + 1);
	for (size_t i = 0; i < req->nbuckets; i++)
		*out->buckets[i] = (struct cosi_bucket){ .region = config->region };
	return 0;
}

/* The body: the buckets to take out; none: all of them, and the account with them. */
static int
toy_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	const char *body = "";

	for (size_t i = 0; i < req->nbuckets; i++)
		body = cosi_printf(call, "%s%s\n", body, req->buckets[i]->native);
	return ask(instance, call, "DELETE", cosi_printf(call, "/a/%s", req->native), &req->mark,
		   body, COSI_PRECONDITION) == NULL
		       ? -1
		       : 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "toy",
	.version = "1.0",
	.summary = "buckets of an imaginary store",
	.flags = COSI_NETWORK,
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.config = COSI_SCHEMA(struct config, keys),
	.create_bucket = toy_create,
	.delete_bucket = toy_delete,
	.grant = toy_grant,
	.revoke = toy_revoke,
};
