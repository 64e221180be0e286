/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - create, get, delete.
 *
 * The tags go in with the container, in one request: no container is ever unfinished, and none is
 * taken over.
 */
#include <string.h>

#include "azure.h"
#include "edit.h"
#include "text/text.h"

#include "banned.h"

/* A container as HEAD shows it. */
struct azure_state {
	bool exists;
	bool leased_for_ever;
	const char *modified; /* when it was, in seconds */
	struct cosi_bucket bucket;
};

static bool
azure_header_is(const struct cosi_http_reply *reply, const char *header, const char *value)
{
	const char *has = rest_header(reply, header);

	return has != NULL && strcmp(has, value) == 0;
}

static int
azure_head(const struct azure *azure, struct cosi_call *call, const struct cosi_bucket_req *req,
	   struct azure_state *out)
{
	const struct cosi_mark *mark = &req->mark;
	const struct cosi_http_reply *reply;

	*out = (struct azure_state){ .exists = false };
	if (!azure_name_is_container(req->native))
		return 0;
	reply = azure_send(azure, call, .method = "HEAD", AZURE_ON(call, req->native));
	if (reply == NULL)
		return -1;
	if (azure_is_absent(reply))
		return 0;
	out->modified = rest_header(reply, "last-modified");
	if (reply->status != 200 || out->modified == NULL)
		return azure_fail(call, reply);
	out->exists = true;
	out->leased_for_ever = azure_header_is(reply, "x-ms-lease-duration", "infinite");
	out->bucket.params = rest_header(reply, META_HEADER META_PARAMS);
	out->bucket.ours =
		azure_header_is(reply, META_HEADER META_OWNER, uri_encode(call, mark->owner)) &&
		(mark->name == NULL ||
		 azure_header_is(reply, META_HEADER META_NAME, uri_encode(call, mark->name)));
	out->bucket.unfinished = out->bucket.ours && out->bucket.params == NULL;
	out->bucket.protocols = COSI_AZURE;
	out->bucket.azure_account = azure->config->account;
	return 0;
}

/* ---- create ---- */

/* The container exists: did a request like this one create it? */
static int
azure_check_same(const struct azure *azure, struct cosi_call *call,
		 const struct cosi_bucket_req *req)
{
	struct azure_state state;

	if (azure_head(azure, call, req, &state) < 0)
		return -1;
	if (!state.exists)
		return cosi_fail(call, COSI_BUSY, "the container was deleted by another request");
	if (!state.bucket.ours)
		return cosi_fail(call, COSI_EXISTS,
				 "the container exists without the tags of this owner and bucket");
	if (state.bucket.params == NULL || strcmp(state.bucket.params, req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS, "the container exists with other parameters");
	return 0;
}

static int
azure_put_container(const struct azure *azure, struct cosi_call *call,
		    const struct cosi_bucket_req *req)
{
	const struct cosi_kv headers[] = {
		{ META_HEADER META_OWNER, uri_encode(call, req->mark.owner) },
		{ META_HEADER META_NAME, uri_encode(call, req->mark.name) },
		{ META_HEADER META_PARAMS, req->mark.params },
		{ "x-ms-blob-public-access", "container" }, /* list and get */
	};
	uint32_t anonymous = req->common->anonymous;
	const struct cosi_http_reply *reply;

	if (!azure_name_is_container(req->native))
		return cosi_fail(call, COSI_INVALID, "no container can have that name");
	if (anonymous != COSI_ANON_NONE && anonymous != COSI_ANON_READ)
		return cosi_fail(call, COSI_OUT_OF_RANGE,
				 "anonymousAccess can be private or readOnly: Azure does not "
				 "support anonymous writing");
	reply = azure_send(azure, call, .method = "PUT", AZURE_ON(call, req->native),
			   .headers = headers, .nheaders = anonymous == COSI_ANON_READ ? 4 : 3);
	if (reply == NULL)
		return -1;
	if (rest_error_is(&azure_api, reply, 409, "ContainerAlreadyExists"))
		return azure_check_same(azure, call, req);
	return reply->status == 201 ? 0 : azure_fail(call, reply);
}

int
azure_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		    struct cosi_bucket *out)
{
	const struct azure *azure = instance;

	if (azure_put_container(azure, call, req) < 0)
		return cosi_fail(call, 0, "cannot create bucket '%.255s'", req->native);
	*out = (struct cosi_bucket){
		.ours = true,
		.protocols = COSI_AZURE,
		.azure_account = azure->config->account,
		.params = req->mark.params,
	};
	return 0;
}

/* ---- get ---- */

int
azure_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		 struct cosi_bucket *out)
{
	struct azure_state state;

	if (azure_head(instance, call, req, &state) < 0)
		return cosi_fail(call, 0, "cannot read bucket '%.255s'", req->native);
	if (!state.exists)
		return cosi_fail(call, COSI_NOT_FOUND, "bucket '%.255s' does not exist",
				 req->native);
	*out = state.bucket;
	return 0;
}

/* ---- delete ---- */

/* Of the container that was looked at: a request that arrives late does not delete one that was
 * created in its place since. */
static int
azure_send_delete(const struct azure *azure, struct cosi_call *call, const char *container,
		  const struct azure_state *state, bool *out_leased)
{
	const struct cosi_http_reply *reply =
		azure_send(azure, call, .method = "DELETE", AZURE_ON(call, container),
			   REST_HEADERS({ "if-unmodified-since", state->modified }));

	if (reply == NULL)
		return -1;
	*out_leased = rest_error_is(&azure_api, reply, 412, "LeaseIdMissing");
	if (*out_leased || reply->status == 202 || azure_is_absent(reply) ||
	    rest_error_is(&azure_api, reply, 409, "ContainerBeingDeleted"))
		return 0;
	return azure_fail(call, reply);
}

static int
azure_remove_container(const struct azure *azure, struct cosi_call *call,
		       const struct cosi_bucket_req *req)
{
	struct azure_state state;
	bool has_blobs = false, leased;

	if (!azure_name_is_container(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "no container can have that name");
	if (azure_head(azure, call, req, &state) < 0)
		return -1;
	if (!state.exists)
		return 0;
	if (!state.bucket.ours)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the container does not have the tags of this owner");
	if (!req->common->purge && azure_has_blobs(azure, call, req->native, &has_blobs) < 0)
		return -1;
	if (has_blobs)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the container is not empty (whenNotEmpty = purge deletes its "
				 "blobs, too)");
	if (azure_send_delete(azure, call, req->native, &state, &leased) < 0)
		return -1;
	if (!leased)
		return 0;
	/* A grant holds a lease for a moment, or left one behind; cosid takes none without end. */
	if (state.leased_for_ever)
		return cosi_fail(call, COSI_PRECONDITION,
				 "the container has an infinite lease; break it first");
	if (edit_break_lease(azure, call, req->native) < 0 ||
	    azure_send_delete(azure, call, req->native, &state, &leased) < 0)
		return -1;
	return leased ? cosi_fail(call, COSI_BUSY,
				  "the container was leased again by another request")
		      : 0;
}

int
azure_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	if (azure_remove_container(instance, call, req) < 0)
		return cosi_fail(call, 0, "cannot delete bucket '%.255s'", req->native);
	return 0;
}
