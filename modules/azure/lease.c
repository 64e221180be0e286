/* SPDX-License-Identifier: Apache-2.0
 * lease.c - acquire, release, break. */
#include "lease.h"

#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "text/reply.h"

#include "banned.h"

/* Between two tries; somebody who is at work has the lease for a few requests alone. */
enum { PAUSE_FIRST_MS = 40, PAUSE_MOST_MS = 640, RESERVE_MS = 1000, ID_BYTES = 16 };

/* Chosen here, so that a repeated request gets the same lease.  NULL: the call has failed. */
static const char *
new_id(struct cosi_call *call)
{
	uint8_t bytes[ID_BYTES] = { 0 };
	char text[2 * ID_BYTES + 1];

	if (call->host->random(call, bytes, sizeof bytes) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return cosi_printf(call, "%.8s-%.4s-%.4s-%.4s-%s", text, text + 8, text + 12, text + 16,
			   text + 20);
}

static bool
is_taken(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	return azure_error_is(call, reply, 409, "LeaseAlreadyPresent") ||
	       azure_error_is(call, reply, 409, "LeaseIsBreakingAndCannotBeAcquired");
}

/* Half of the pause is random: two daemons must not try in step. */
static int
sit_out(struct cosi_call *call, const char *container, int64_t pause_ms)
{
	uint16_t random = 0;

	if (call->host->time_left_ms(call) < pause_ms + RESERVE_MS)
		return cosi_fail(call, COSI_BUSY,
				 "container '%s' is leased by another daemon, or by somebody else",
				 container);
	if (call->host->random(call, &random, sizeof random) != 0)
		return -1;
	return call->host->wait(call, pause_ms / 2 + random % (pause_ms / 2));
}

int
lease_acquire(const struct azure *azure, struct cosi_call *call, const char *container,
	      struct lease *out)
{
	const char *id = new_id(call), *etag;
	const struct cosi_http_reply *reply;

	if (id == NULL)
		return -1;
	for (int64_t pause_ms = PAUSE_FIRST_MS;;
	     pause_ms = pause_ms < PAUSE_MOST_MS ? 2 * pause_ms : pause_ms) {
		reply = azure_ask(azure, call, .method = "PUT", .container = container,
				  .comp = "lease",
				  AZURE_HEADERS({ "x-ms-lease-action", "acquire" },
						{ "x-ms-lease-duration",
						  cosi_printf(call, "%d", LEASE_SECONDS) },
						{ "x-ms-proposed-lease-id", id }));
		if (reply == NULL)
			return -1;
		if (!is_taken(call, reply))
			break;
		if (sit_out(call, container, pause_ms) != 0)
			return -1;
	}
	*out = (struct lease){ NULL, "" };
	if (azure_is_absent(call, reply))
		return 0;
	if (!azure_answered(reply, 201))
		return azure_fail(call, reply);
	etag = reply_header(reply, "etag");
	*out = (struct lease){ id, etag != NULL ? etag : "" };
	return 0;
}

void
lease_release(const struct azure *azure, struct cosi_call *call, const char *container,
	      const struct lease *lease)
{
	const struct cosi_http_reply *reply = azure_ask(
		azure, call, .method = "PUT", .container = container, .comp = "lease",
		AZURE_HEADERS({ "x-ms-lease-action", "release" }, { "x-ms-lease-id", lease->id }));
	const char *code;

	if (reply == NULL || azure_answered(reply, 200))
		return;
	code = azure_error_code(call, reply);
	cosi_log(call, COSI_WARNING,
		 "cannot release the lease of container '%s', which will run out: the store "
		 "answered %d%s%s",
		 container, reply->status, code[0] != '\0' ? " " : "", code);
}

int
lease_break(const struct azure *azure, struct cosi_call *call, const char *container)
{
	const struct cosi_http_reply *reply =
		azure_ask(azure, call, .method = "PUT", .container = container, .comp = "lease",
			  AZURE_HEADERS({ "x-ms-lease-action", "break" },
					{ "x-ms-lease-break-period", "0" }));

	if (reply == NULL)
		return -1;
	/* It may have ended meanwhile, or the container. */
	if (azure_answered(reply, 202) || azure_is_absent(call, reply) ||
	    azure_error_is(call, reply, 409, "LeaseNotPresentWithLeaseOperation"))
		return 0;
	return azure_fail(call, reply);
}
