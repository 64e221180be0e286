/* SPDX-License-Identifier: Apache-2.0
 * http.c - one request to a store: refusals, attempts, what stays unknown.
 *
 *   call failed? time up? ──► breaker ──► attempt ──► answer ──────────────► reply
 *                               ▲            │
 *                               └── wait ◄───┴─ error or "later", if it may be sent again
 */
#include "http/http.h"

#include <curl/curl.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/parse.h"
#include "http/client.h"

#include "banned.h"

/* STEP_MS: how soon a wait sees that the caller left.  RETRY_AFTER_MAX_S keeps the arithmetic safe;
 * a wait beyond the deadline is refused anyway. */
enum { QUERY_MAX = 128, STEP_MS = 20, RETRY_AFTER_MAX_S = 86400 };

/* ---- one debug line per attempt: what a store's operator needs to find it in the store's log ----
 */

/* As the stores call what stands in their own logs: S3, Azure, GCS, others. */
static const char *const id_headers[] = { "x-amz-request-id", "x-ms-request-id",
					  "x-guploader-uploadid", "x-request-id" };

static void
trace_attempt(const struct handle *handle, const struct attempt *attempt)
{
	const struct request *request = attempt->request;
	const struct log_fields unnamed = { .backend = handle->options->backend, .ms = -1 };
	const struct log_fields *fields = attempt->call->fields;
	const char *id = NULL, *query = request->query;
	char names[QUERY_MAX];
	bool in_value = false;
	size_t len = 0;

	if (!log_wants(COSI_DEBUG))
		return;
	if (fields == NULL)
		fields = &unnamed;
	/* "a=1&tagging" -> "?a&tagging": names tell what was asked, values may be secrets. */
	if (query != NULL)
		names[len++] = '?';
	for (; query != NULL && *query != '\0' && len < QUERY_MAX - 1; query++) {
		in_value = *query == '=' || (in_value && *query != '&');
		if (!in_value)
			names[len++] = *query;
	}
	names[len] = '\0';
	if (attempt->status == 0) {
		log_line(COSI_DEBUG, fields, "http %s%s at %s: %s (%lld ms, sent %u)",
			 request->shown, names, request->url.origin, attempt->text,
			 (long long)attempt->ms, attempt->sent);
		return;
	}
	for (size_t i = 0; id == NULL && i < sizeof id_headers / sizeof id_headers[0]; i++)
		id = reply_header(&handle->reply, id_headers[i]);
	log_line(COSI_DEBUG, fields, "http %s%s at %s: %d, %lld ms, %zu bytes, request id %.128s",
		 request->shown, names, request->url.origin, attempt->status,
		 (long long)attempt->ms, handle->reply.body.len, id != NULL ? id : "-");
}

/* ---- how long to wait before the next attempt ---- */

int64_t
retry_delay_ms(unsigned nattempts, const char *retry_after)
{
	int64_t full = RETRY_MAX_MS, asked_s = 0;
	uint16_t random = 0;
	time_t date;

	if (nattempts <= 5 && RETRY_FIRST_MS << (nattempts - 1) < RETRY_MAX_MS)
		full = RETRY_FIRST_MS << (nattempts - 1);
	/* Without randomness the delay is the same for all, which is still a delay. */
	(void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
	full = full / 2 + full / 2 * random / UINT16_MAX;
	/* RFC 9110 10.2.3: seconds, or a date. */
	if (retry_after != NULL && parse_int(retry_after, &asked_s) < 0) {
		date = curl_getdate(retry_after, NULL);
		asked_s = date == (time_t)-1 ? 0 : (int64_t)date - clock_wall_s();
	}
	if (asked_s < 0)
		asked_s = 0;
	if (asked_s > RETRY_AFTER_MAX_S)
		asked_s = RETRY_AFTER_MAX_S;
	return full > asked_s * 1000 ? full : asked_s * 1000;
}

bool
retry_wait(const struct http_call *call, int64_t delay_ms)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int64_t until = clock_mono_ms() + delay_ms;

	if (until >= call->deadline_ms)
		return false;
	while (clock_mono_ms() < until) {
		if (atomic_load(call->cancelled))
			return false;
		(void)nanosleep(&step, NULL);
	}
	return !atomic_load(call->cancelled);
}

/* ---- attempts ---- */

/* No answer, or one that says only that an intermediary gave up. */
static bool
is_lost(int status)
{
	return status == 0 || status == 408 || status == 502 || status == 504;
}

/* attempt: its request and call are set; it becomes the last one.  0 when that brought an answer.
 */
static int
send_until_answered(const struct http_client *client, struct origin *origin, struct handle *handle,
		    struct attempt *attempt)
{
	const struct request *request = attempt->request;
	struct http_call *call = attempt->call;
	unsigned nattempts = 0;
	bool again, probe, foreign, lost;

	do {
		if (!breaker_admit(&origin->breaker, clock_mono_ms(), &probe)) {
			if (nattempts > 0)
				break; /* opened by other requests: the last attempt counts */
			breaker_refuse(&origin->breaker, call->status);
			return -1;
		}
		*attempt = (struct attempt){ .request = request, .call = call };
		handle_perform(handle, attempt);
		nattempts++;
		/* A proxy or another server in the store's place. */
		foreign = attempt->status != 0 && request->id_header != NULL &&
			  reply_header(&handle->reply, request->id_header) == NULL;
		/* The store may carry it out later, beside or after whatever is sent then: its
		 * repetition, another request of this call, or of one that saw this call succeed.
		 * So nothing more is sent, and the call fails. */
		lost = request->changing && attempt->sent > 0 &&
		       (is_lost(attempt->status) || (foreign && attempt->status >= 500));
		if (lost)
			call->unknown_ms = request->timeout_ms;
		breaker_report(&origin->breaker, probe, attempt->outcome, attempt->text,
			       clock_mono_ms());
		trace_attempt(handle, attempt);
		/* A request that never left can be sent again, regardless of its method. */
		again = !lost && attempt->repeat && nattempts <= client->retries &&
			(request->repeatable || attempt->sent == 0);
	} while (again && retry_wait(call, retry_delay_ms(nattempts, reply_header(&handle->reply,
										  "retry-after"))));
	if (attempt->status == 0)
		return status_fail(call->status, attempt->code, "%s", attempt->text);
	if (foreign)
		return status_fail(call->status, COSI_UNAVAILABLE,
				   "the %d reply of %s to '%s' is not from the store: "
				   "it has no header '%s'",
				   attempt->status, request->url.origin, request->shown,
				   request->id_header);
	if (lost)
		return status_fail(call->status, COSI_UNAVAILABLE,
				   "%s answered %d to '%s': it may still be carried out",
				   request->url.origin, attempt->status, request->shown);
	return 0;
}

const struct cosi_http_reply *
http_send(struct http_client *client, struct http_call *call, const char *base,
	  const struct cosi_http *asked)
{
	struct request request;
	struct attempt attempt = { .request = &request, .call = call };
	const struct cosi_http_reply *reply = NULL;
	struct origin *origin;
	struct handle *handle;

	if (!status_ok(call->status))
		return NULL;
	origin = client_origin(client, base, call->status);
	if (origin == NULL ||
	    request_prepare(call, &origin->url, asked, client->request_timeout_ms, &request) < 0)
		return NULL;
	if (atomic_load(call->cancelled)) {
		status_fail(call->status, COSI_TIMEOUT, "the caller left before '%s' was sent",
			    request.shown);
		return NULL;
	}
	if (clock_mono_ms() >= call->deadline_ms) {
		status_fail(call->status, COSI_TIMEOUT, "the deadline passed before '%s' was sent",
			    request.shown);
		return NULL;
	}
	handle = client_take(client, origin);
	if (handle == NULL) {
		status_fail(call->status, COSI_EXHAUSTED, "out of memory for '%s'", request.shown);
		return NULL;
	}
	if (send_until_answered(client, origin, handle, &attempt) == 0) {
		reply = reply_take(&handle->reply, attempt.status);
		if (reply == NULL)
			status_fail(call->status, COSI_EXHAUSTED,
				    "out of memory for the answer of %s to '%s'",
				    request.url.origin, request.shown);
	}
	client_give(client, origin, handle);
	return reply;
}
