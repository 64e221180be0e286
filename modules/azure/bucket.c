/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - create, get, delete.
 *
 * The marks go in with the container, in one request: there is no half-made container, and nothing
 * to adopt.
 */
#include <string.h>

#include "azure.h"
#include "fault.h"
#include "lease.h"
#include "marks.h"
#include "page.h"
#include "text/reply.h"
#include "text/uri.h"

#include "banned.h"

#define BLOBS PAGE "/Blobs"

/* What HEAD says of a container. */
struct state {
	bool exists;
	bool leased_for_ever;
	struct cosi_bucket bucket;
};

static bool
is_mark(const struct cosi_http_reply *reply, const char *header, const char *value)
{
	const char *there = reply_header(reply, header);

	return there != NULL && strcmp(there, value) == 0;
}

static void
judge(const struct azure *azure, struct cosi_call *call, const struct cosi_http_reply *reply,
      const struct cosi_mark *mark, struct cosi_bucket *out)
{
	out->params = reply_header(reply, MARK_HEADER MARK_PARAMS);
	out->ours = is_mark(reply, MARK_HEADER MARK_DRIVER, uri_encode(call, mark->owner)) &&
		    (mark->name == NULL ||
		     is_mark(reply, MARK_HEADER MARK_NAME, uri_encode(call, mark->name)));
	out->unfinished = out->ours && out->params == NULL;
	out->protocols = COSI_AZURE;
	out->azure_account = azure->config->account;
}

static int
look(const struct azure *azure, struct cosi_call *call, const struct cosi_bucket_req *req,
     struct state *out)
{
	const struct cosi_http_reply *reply;

	*out = (struct state){ .exists = false };
	if (!azure_name_is_container(req->native))
		return 0;
	reply = azure_ask(azure, call, .method = "HEAD", .container = req->native);
	if (reply == NULL)
		return -1;
	if (azure_is_absent(call, reply))
		return 0;
	if (!azure_answered(reply, 200))
		return azure_fail(call, reply);
	out->exists = true;
	out->leased_for_ever = is_mark(reply, "x-ms-lease-duration", "infinite");
	judge(azure, call, reply, &req->mark, &out->bucket);
	return 0;
}

/* ---- create ---- */

static int
put_container(const struct azure *azure, struct cosi_call *call, const struct cosi_bucket_req *req,
	      bool *out_exists)
{
	const struct cosi_kv headers[] = {
		{ MARK_HEADER MARK_DRIVER, uri_encode(call, req->mark.owner) },
		{ MARK_HEADER MARK_NAME, uri_encode(call, req->mark.name) },
		{ MARK_HEADER MARK_PARAMS, req->mark.params },
		{ "x-ms-blob-public-access", "container" }, /* list and get */
	};
	const struct cosi_http_reply *reply = azure_ask(
		azure, call, .method = "PUT", .container = req->native, .headers = headers,
		.nheaders = req->common->anonymous == COSI_ANON_READ ? 4 : 3);

	if (reply == NULL)
		return -1;
	*out_exists = azure_error_is(call, reply, 409, "ContainerAlreadyExists");
	return *out_exists || azure_answered(reply, 201) ? 0 : azure_fail(call, reply);
}

static int
join(const struct azure *azure, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	struct state there;

	if (look(azure, call, req, &there) != 0)
		return -1;
	if (!there.exists)
		return cosi_fail(call, COSI_BUSY, "somebody else deleted it meanwhile");
	if (!there.bucket.ours)
		return cosi_fail(call, COSI_EXISTS, "it does not bear our marks");
	if (there.bucket.params == NULL || strcmp(there.bucket.params, req->mark.params) != 0)
		return cosi_fail(call, COSI_EXISTS, "it was made with other parameters");
	return 0;
}

static int
create(const struct azure *azure, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	uint32_t anonymous = req->common->anonymous;
	bool exists;

	if (!azure_name_is_container(req->native))
		return cosi_fail(call, COSI_INVALID, "Azure has no containers of such names");
	if (anonymous != COSI_ANON_NONE && anonymous != COSI_ANON_READ)
		return cosi_fail(call, COSI_OUT_OF_RANGE,
				 "anonymousAccess can be private or readOnly here: nobody writes "
				 "to Azure without a key");
	if (put_container(azure, call, req, &exists) != 0)
		return -1;
	return exists ? join(azure, call, req) : 0;
}

int
azure_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		    struct cosi_bucket *out)
{
	const struct azure *azure = instance;

	if (create(azure, call, req) != 0)
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
	struct state there;

	if (look(instance, call, req, &there) != 0)
		return cosi_fail(call, 0, "cannot look at bucket '%.255s'", req->native);
	if (!there.exists)
		return cosi_fail(call, COSI_NOT_FOUND, "there is no bucket '%.255s'", req->native);
	*out = there.bucket;
	return 0;
}

/* ---- delete ---- */

static int
count_blob(void *arg, const char *path, char *text, size_t len)
{
	size_t *nblobs = arg;

	(void)text;
	(void)len;
	*nblobs += strcmp(path, BLOBS "/Blob") == 0 ? 1 : 0;
	return 0;
}

static int
check_empty(const struct azure *azure, struct cosi_call *call, const char *container)
{
	size_t nblobs = 0;
	const struct page_list list = {
		.container = container,
		.items = BLOBS,
		.most = "1",
		.element = count_blob,
		.arg = &nblobs,
	};
	const char *marker = "";

	do {
		if (page_next(azure, call, &list, &marker) != 0)
			return -1;
		if (nblobs > 0)
			return cosi_fail(call, COSI_PRECONDITION,
					 "it is not empty (with whenNotEmpty = purge its blobs "
					 "would go with it)");
	} while (marker[0] != '\0');
	return 0;
}

static int
send_delete(const struct azure *azure, struct cosi_call *call, const char *container,
	    bool *out_leased)
{
	const struct cosi_http_reply *reply =
		azure_ask(azure, call, .method = "DELETE", .container = container);

	if (reply == NULL)
		return -1;
	*out_leased = azure_error_is(call, reply, 412, "LeaseIdMissing");
	if (*out_leased || azure_answered(reply, 202) || azure_is_absent(call, reply) ||
	    azure_error_is(call, reply, 409, "ContainerBeingDeleted"))
		return 0;
	return azure_fail(call, reply);
}

/* A lease is what a grant holds for a moment, or left behind.  One without end is none of ours. */
static int
break_and_delete(const struct azure *azure, struct cosi_call *call, const char *container,
		 const struct state *there)
{
	bool leased;

	if (there->leased_for_ever)
		return cosi_fail(call, COSI_PRECONDITION,
				 "somebody has a lease without end on it, which must be broken "
				 "first");
	if (lease_break(azure, call, container) != 0 ||
	    send_delete(azure, call, container, &leased) != 0)
		return -1;
	if (leased)
		return cosi_fail(call, COSI_BUSY, "it was leased again meanwhile");
	return 0;
}

static int
remove_container(const struct azure *azure, struct cosi_call *call,
		 const struct cosi_bucket_req *req)
{
	struct state there;
	bool leased;

	if (!azure_name_is_container(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	if (look(azure, call, req, &there) != 0)
		return -1;
	if (!there.exists)
		return 0;
	if (!there.bucket.ours)
		return cosi_fail(call, COSI_PRECONDITION, "it does not bear our marks");
	if ((!req->common->purge && check_empty(azure, call, req->native) != 0) ||
	    send_delete(azure, call, req->native, &leased) != 0)
		return -1;
	return leased ? break_and_delete(azure, call, req->native, &there) : 0;
}

int
azure_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	if (remove_container(instance, call, req) != 0)
		return cosi_fail(call, 0, "cannot delete bucket '%.255s'", req->native);
	return 0;
}
