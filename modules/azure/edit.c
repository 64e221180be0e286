/* SPDX-License-Identifier: Apache-2.0
 * edit.c - reads, judges, writes under a lease. */
#include "edit.h"

#include <stdio.h>
#include <string.h>

#include "banned.h"

/* ---- leases ---- */

/* Between two tries; another daemon holds a lease for a few requests. */
enum { PAUSE_FIRST_MS = 40, PAUSE_MOST_MS = 640, RESERVE_MS = 1000, ID_BYTES = 16 };

struct lease {
	const char *id;   /* NULL: there is no such container */
	const char *etag; /* the container's at that moment; "": it was not told */
};

/* Chosen here, so that a repeated request gets the same lease.  NULL: the call has failed. */
static const char *
lease_new_id(struct cosi_call *call)
{
	uint8_t bytes[ID_BYTES] = { 0 };
	char text[2 * ID_BYTES + 1];

	if (call->host->random(call, bytes, sizeof bytes) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return cosi_printf(call, "%.8s-%.4s-%.4s-%.4s-%s", text, text + 8, text + 12, text + 16,
			   text + 20);
}

/* Half of the pause is random: two daemons must not try in step. */
static int
lease_pause(struct cosi_call *call, const char *container, int64_t pause_ms)
{
	uint16_t random = 0;

	if (call->host->time_left_ms(call) < pause_ms + RESERVE_MS)
		return cosi_fail(call, COSI_BUSY,
				 "container '%s' is leased by another daemon or another client",
				 container);
	if (call->host->random(call, &random, sizeof random) < 0)
		return -1;
	return call->host->wait(call, pause_ms / 2 + random % (pause_ms / 2));
}

/* Waits while another client has the lease, as long as the call's time allows; then BUSY. */
static int
lease_acquire(const struct azure *azure, struct cosi_call *call, const char *container,
	      struct lease *out)
{
	const char *id = lease_new_id(call), *etag;
	const char *duration = cosi_printf(call, "%d", LEASE_SECONDS);
	const struct cosi_http_reply *reply;
	int64_t pause_ms = PAUSE_FIRST_MS;

	if (id == NULL)
		return -1;
	for (;;) {
		reply = azure_send(azure, call, .method = "PUT",
				   AZURE_ON_COMP(call, container, "lease"),
				   REST_HEADERS({ "x-ms-lease-action", "acquire" },
						{ "x-ms-lease-duration", duration },
						{ "x-ms-proposed-lease-id", id }));
		if (reply == NULL)
			return -1;
		if (!rest_error_is(&azure_api, reply, 409, "LeaseAlreadyPresent") &&
		    !rest_error_is(&azure_api, reply, 409, "LeaseIsBreakingAndCannotBeAcquired"))
			break;
		if (lease_pause(call, container, pause_ms) < 0)
			return -1;
		if (pause_ms < PAUSE_MOST_MS)
			pause_ms *= 2;
	}
	*out = (struct lease){ NULL, "" };
	if (azure_is_absent(reply))
		return 0;
	if (reply->status != 201)
		return azure_fail(call, reply);
	etag = rest_header(reply, "etag");
	*out = (struct lease){ id, etag != NULL ? etag : "" };
	return 0;
}

/* A lease ends by itself, so that a refusal is only logged. */
static void
lease_release(const struct azure *azure, struct cosi_call *call, const char *container,
	      const struct lease *lease)
{
	const struct cosi_http_reply *reply = azure_send(
		azure, call, .method = "PUT", AZURE_ON_COMP(call, container, "lease"),
		REST_HEADERS({ "x-ms-lease-action", "release" }, { "x-ms-lease-id", lease->id }));
	const char *code;

	if (reply == NULL || reply->status == 200)
		return;
	code = rest_error_code(call, &azure_api, reply);
	cosi_log(call, COSI_WARNING,
		 "cannot release the lease of container '%s', which runs out within %d s: the "
		 "store answered %d%s%s",
		 container, LEASE_SECONDS, reply->status, code[0] != '\0' ? " " : "", code);
}

int
edit_break_lease(const struct azure *azure, struct cosi_call *call, const char *container)
{
	const struct cosi_http_reply *reply = azure_send(
		azure, call, .method = "PUT", AZURE_ON_COMP(call, container, "lease"),
		REST_HEADERS({ "x-ms-lease-action", "break" }, { "x-ms-lease-break-period", "0" }));

	if (reply == NULL)
		return -1;
	/* The lease, or the container, may be gone by now. */
	if (reply->status == 202 || azure_is_absent(reply) ||
	    rest_error_is(&azure_api, reply, 409, "LeaseNotPresentWithLeaseOperation"))
		return 0;
	return azure_fail(call, reply);
}

/* ---- the list ---- */

/* As it was read. */
struct edit_list {
	struct acl acl;
	const char *etag;          /* the container's; "": it was not told */
	const char *modified;      /* when it was, in seconds; NULL: it was not told */
	const char *public_access; /* NULL: private; any write has to say it again */
	const char *more;
};

static int
edit_read(const struct azure *azure, struct cosi_call *call, struct edit *edit,
	  struct edit_list *out)
{
	const struct cosi_http_reply *reply = azure_send(
		azure, call, .method = "GET", AZURE_ON_COMP(call, edit->container, "acl"));
	const char *etag;

	if (reply == NULL)
		return -1;
	edit->exists = !azure_is_absent(reply);
	if (!edit->exists)
		return 0;
	if (reply->status != 200 || acl_read(call, reply->body, &out->acl) < 0)
		return azure_fail(call, reply);
	etag = rest_header(reply, "etag");
	out->etag = etag != NULL ? etag : "";
	out->modified = rest_header(reply, "last-modified");
	out->public_access = rest_header(reply, "x-ms-blob-public-access");
	out->more = "";
	edit->verdict = edit->judge(call, edit, &out->acl, &out->more);
	return cosi_failed(call) ? -1 : 0;
}

static const struct cosi_http_reply *
edit_put(const struct azure *azure, struct cosi_call *call, const struct edit *edit,
	 const struct edit_list *list, const struct lease *lease)
{
	struct cosi_kv headers[2];
	size_t n = 0;

	/* Either keeps out a write that was on its way for long: its lease is over, or its date. */
	if (lease != NULL)
		headers[n++] = (struct cosi_kv){ "x-ms-lease-id", lease->id };
	else if (list->modified != NULL)
		headers[n++] = (struct cosi_kv){ "if-unmodified-since", list->modified };
	if (list->public_access != NULL)
		headers[n++] = (struct cosi_kv){ "x-ms-blob-public-access", list->public_access };
	return azure_send(azure, call, .method = "PUT", AZURE_ON_COMP(call, edit->container, "acl"),
			  .headers = headers, .nheaders = n,
			  .body = acl_write(call, &list->acl, list->more));
}

/* An account that no longer allows anonymous access refuses its containers' own setting, too. */
static const struct cosi_http_reply *
edit_write(const struct azure *azure, struct cosi_call *call, const struct edit *edit,
	   struct edit_list *list, const struct lease *lease)
{
	const struct cosi_http_reply *reply = edit_put(azure, call, edit, list, lease);

	if (reply == NULL || !edit->insists || list->public_access == NULL ||
	    !rest_error_is(&azure_api, reply, 409, "PublicAccessNotPermitted"))
		return reply;
	cosi_log(call, COSI_WARNING,
		 "container '%s' loses its public access '%.16s': the storage account forbids it, "
		 "and refuses to revoke an access of a container that has it",
		 edit->container, list->public_access);
	list->public_access = NULL;
	return edit_put(azure, call, edit, list, lease);
}

static int
edit_check_written(struct cosi_call *call, struct edit *edit, const struct cosi_http_reply *reply)
{
	if (reply == NULL)
		return -1;
	edit->exists = !azure_is_absent(reply);
	if (!edit->exists || (reply->status == 200 && reply->body.len == 0))
		return 0;
	return azure_fail(call, reply);
}

/* When a request gets no answer, the call can send nothing more, and the lease runs out. */
static int
edit_leased(const struct azure *azure, struct cosi_call *call, struct edit *edit,
	    struct edit_list *list)
{
	const struct cosi_http_reply *reply = NULL;
	struct lease lease;

	if (lease_acquire(azure, call, edit->container, &lease) < 0)
		return -1;
	edit->exists = lease.id != NULL;
	if (!edit->exists)
		return 0;
	if ((lease.etag[0] == '\0' || strcmp(lease.etag, list->etag) != 0) &&
	    edit_read(azure, call, edit, list) < 0)
		return -1;
	if (edit->exists && edit->verdict == EDIT_WRITE) {
		reply = edit_write(azure, call, edit, list, &lease);
		if (reply == NULL)
			return -1;
	}
	lease_release(azure, call, edit->container, &lease);
	if (cosi_failed(call))
		return -1;
	return reply != NULL ? edit_check_written(call, edit, reply) : 0;
}

int
edit_policies(const struct azure *azure, struct cosi_call *call, struct edit *edit)
{
	struct edit_list
		list; /* on the stack: the call's memory is for walks over all containers */

	if (edit_read(azure, call, edit, &list) < 0)
		return -1;
	if (!edit->exists || edit->verdict != EDIT_WRITE)
		return 0;
	if (azure->config->lease)
		return edit_leased(azure, call, edit, &list);
	return edit_check_written(call, edit, edit_write(azure, call, edit, &list, NULL));
}
