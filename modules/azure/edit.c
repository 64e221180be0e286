/* SPDX-License-Identifier: Apache-2.0
 * edit.c - reads, judges, writes under a lease. */
#include "edit.h"

#include <string.h>

#include "fault.h"
#include "lease.h"
#include "text/reply.h"

#include "banned.h"

/* A list as it was read. */
struct list {
	struct acl acl;
	const char *etag;          /* the container's; "": it was not told */
	const char *modified;      /* when it was, in seconds; NULL: it was not told */
	const char *public_access; /* NULL: private; any write has to say it again */
	const char *more;
};

static int
read_list(const struct azure *azure, struct cosi_call *call, struct edit *edit, struct list *out)
{
	const struct cosi_http_reply *reply = azure_ask(
		azure, call, .method = "GET", .container = edit->container, .comp = "acl");
	const char *etag;

	if (reply == NULL)
		return -1;
	edit->exists = !azure_is_absent(call, reply);
	if (!edit->exists)
		return 0;
	if (!azure_answered(reply, 200) || acl_read(call, reply->body, &out->acl) != 0)
		return azure_fail(call, reply);
	etag = reply_header(reply, "etag");
	out->etag = etag != NULL ? etag : "";
	out->modified = reply_header(reply, "last-modified");
	out->public_access = reply_header(reply, "x-ms-blob-public-access");
	out->more = "";
	edit->verdict = edit->judge(call, edit, &out->acl, &out->more);
	return cosi_failed(call) ? -1 : 0;
}

static const struct cosi_http_reply *
put_list(const struct azure *azure, struct cosi_call *call, const struct edit *edit,
	 const struct list *list, const struct lease *lease)
{
	struct azure_request request = {
		.method = "PUT",
		.container = edit->container,
		.comp = "acl",
		.body = acl_write(call, &list->acl, list->more),
	};
	struct cosi_kv headers[2];

	/* Either keeps out a write that was on its way for long: its lease is over, or its date. */
	if (lease != NULL)
		headers[request.nheaders++] = (struct cosi_kv){ "x-ms-lease-id", lease->id };
	else
		request.unmodified_since = list->modified;
	if (list->public_access != NULL)
		headers[request.nheaders++] =
			(struct cosi_kv){ "x-ms-blob-public-access", list->public_access };
	request.headers = headers;
	return azure_send(azure, call, &request);
}

/* An account that allows no anonymous access any more refuses its containers' own setting, too. */
static const struct cosi_http_reply *
write_list(const struct azure *azure, struct cosi_call *call, const struct edit *edit,
	   struct list *list, const struct lease *lease)
{
	const struct cosi_http_reply *reply = put_list(azure, call, edit, list, lease);

	if (reply == NULL || !edit->insists || list->public_access == NULL ||
	    !azure_error_is(call, reply, 409, "PublicAccessNotPermitted"))
		return reply;
	cosi_log(call, COSI_WARNING,
		 "container '%s' loses its public access '%.16s', which its account forbids and "
		 "which would keep an access from being revoked",
		 edit->container, list->public_access);
	list->public_access = NULL;
	return put_list(azure, call, edit, list, lease);
}

static int
judge_written(struct cosi_call *call, struct edit *edit, const struct cosi_http_reply *reply)
{
	if (reply == NULL)
		return -1;
	edit->exists = !azure_is_absent(call, reply);
	return !edit->exists || azure_answered(reply, 200) ? 0 : azure_fail(call, reply);
}

/* When an exchange fails on the way, the call can send nothing more, and the lease runs out. */
static int
write_leased(const struct azure *azure, struct cosi_call *call, struct edit *edit,
	     struct list *list)
{
	const struct cosi_http_reply *reply = NULL;
	struct lease lease;

	if (lease_acquire(azure, call, edit->container, &lease) != 0)
		return -1;
	edit->exists = lease.id != NULL;
	if (!edit->exists)
		return 0;
	if ((lease.etag[0] == '\0' || strcmp(lease.etag, list->etag) != 0) &&
	    read_list(azure, call, edit, list) != 0)
		return -1;
	if (edit->exists && edit->verdict == EDIT_WRITE) {
		reply = write_list(azure, call, edit, list, &lease);
		if (reply == NULL)
			return -1;
	}
	lease_release(azure, call, edit->container, &lease);
	if (cosi_failed(call))
		return -1;
	return reply != NULL ? judge_written(call, edit, reply) : 0;
}

int
edit_policies(const struct azure *azure, struct cosi_call *call, struct edit *edit)
{
	struct list list; /* not of the call's memory, which a walk over all containers needs */

	if (read_list(azure, call, edit, &list) != 0)
		return -1;
	if (!edit->exists || edit->verdict != EDIT_WRITE)
		return 0;
	if (azure->config->lease)
		return write_leased(azure, call, edit, &list);
	return judge_written(call, edit, write_list(azure, call, edit, &list, NULL));
}
