/* SPDX-License-Identifier: Apache-2.0
 * exchange.c - one exchange with a store: refusals, tries, what stays unknown.
 *
 *   call failed? time up? ──► breaker ──► try ──► answer ──────────────► reply
 *                               ▲          │
 *                               └─ wait ◄──┴─ error or "later", if it may be sent again
 */
#include "http/http.h"

#include <string.h>

#include "base/clock.h"
#include "http/client.h"
#include "http/failure.h"
#include "http/retry.h"
#include "http/trace.h"

#include "banned.h"

struct exchange {
	struct http_client *client;
	struct http_call *call;
	struct origin *origin;
	struct handle *handle;
	struct request request;
	struct attempt attempt; /* the last one */
};

static int
refuse_late(struct http_call *call, const char *shown)
{
	if (atomic_load(call->cancelled))
		return status_fail(call->status, COSI_TIMEOUT,
				   "the caller left before '%s' was sent", shown);
	if (clock_mono_ms() >= call->deadline_ms)
		return status_fail(call->status, COSI_TIMEOUT,
				   "the time was up before '%s' was sent", shown);
	return 0;
}

/* A request that is lost may be carried out later, even when its repetition was answered. */
static void
note_unknown(struct http_call *call, const struct attempt *attempt)
{
	const struct request *request = attempt->request;

	if (!request->changing || attempt->sent == 0)
		return;
	if (attempt->status != 0 && attempt->sent == 1 && !failure_status_unknown(attempt->status))
		return;
	if (request->timeout_ms > call->unknown_ms)
		call->unknown_ms = request->timeout_ms;
}

static void
try(struct exchange *exchange, bool probe)
{
	struct attempt *attempt = &exchange->attempt;

	*attempt = (struct attempt){ .request = &exchange->request, .call = exchange->call };
	handle_perform(exchange->handle, attempt);
	note_unknown(exchange->call, attempt);
	breaker_report(&exchange->origin->breaker, probe, attempt->verdict, attempt->text,
		       clock_mono_ms());
	trace_attempt(exchange->handle, attempt);
}

/* Waits before the next try; false when there is none. */
static bool
again(struct exchange *exchange, unsigned ntried)
{
	const struct attempt *attempt = &exchange->attempt;
	const char *retry_after = reply_header(&exchange->handle->reply, "retry-after");

	if (!attempt->repeat || ntried > exchange->client->retries)
		return false;
	/* What never left may go again, whatever it is. */
	if (!exchange->request.repeatable && attempt->sent > 0)
		return false;
	return retry_wait(exchange->call, retry_delay_ms(ntried, retry_after));
}

/* 0 when the last try brought an answer. */
static int
run(struct exchange *exchange)
{
	struct http_call *call = exchange->call;
	unsigned ntried = 0;
	bool probe;

	do {
		if (breaker_admit(&exchange->origin->breaker, clock_mono_ms(), &probe)) {
			try(exchange, probe);
			continue;
		}
		if (ntried == 0) {
			breaker_refuse(&exchange->origin->breaker, call->status);
			return -1;
		}
		break; /* it opened meanwhile: what the last try brought stands */
	} while (again(exchange, ++ntried));
	if (exchange->attempt.status != 0)
		return 0;
	return status_fail(call->status, exchange->attempt.code, "%s", exchange->attempt.text);
}

/* A module built with an older header knows a shorter struct; what it lacks is zero. */
static int
adopt(struct http_call *call, const struct cosi_http *given, struct cosi_http *out)
{
	size_t size = given->size < sizeof *out ? given->size : sizeof *out;

	if (size < offsetof(struct cosi_http, max_reply))
		return status_fail(call->status, COSI_INTERNAL, "a request without a size");
	memcpy(out, given, size);
	return 0;
}

const struct cosi_http_reply *
http_exchange(struct http_client *client, struct http_call *call, const char *base,
	      const struct cosi_http *request)
{
	struct exchange exchange = { .client = client, .call = call };
	struct cosi_http asked = { 0 };
	const struct cosi_http_reply *reply = NULL;

	if (!status_ok(call->status) || adopt(call, request, &asked) != 0 ||
	    request_prepare(call, base, &asked, client->request_timeout_ms, &exchange.request) !=
		    0 ||
	    refuse_late(call, exchange.request.shown) != 0)
		return NULL;
	exchange.origin = client_origin(client, base, call->status);
	if (exchange.origin == NULL)
		return NULL;
	exchange.handle = client_take(client, exchange.origin);
	if (exchange.handle == NULL) {
		(void)status_fail(call->status, COSI_EXHAUSTED, "no memory for '%s'",
				  exchange.request.shown);
		return NULL;
	}
	if (run(&exchange) == 0) {
		reply = reply_take(&exchange.handle->reply, exchange.attempt.status);
		if (reply == NULL)
			(void)status_fail(call->status, COSI_EXHAUSTED,
					  "out of memory for the answer of %s to '%s'",
					  exchange.request.url.origin, exchange.request.shown);
	}
	client_give(client, exchange.origin, exchange.handle);
	return reply;
}
