/* SPDX-License-Identifier: Apache-2.0
 * http.c - one request to a store: refusals, attempts, what stays unknown.
 *
 *   call failed? time up? ──► breaker ──► attempt ──► answer ──────────────► reply
 *                               ▲            │
 *                               └── wait ◄───┴─ error or "later", if it may be sent again
 */
#include "http/http.h"

#include <curl/curl.h>
#include <string.h>
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

static const char *
store_request_id(const struct reply *reply)
{
	const char *value;

	for (size_t i = 0; i < sizeof id_headers / sizeof id_headers[0]; i++) {
		value = reply_header(reply, id_headers[i]);
		if (value != NULL)
			return value;
	}
	return "-";
}

/* "a=1&tagging" -> "?a&tagging": names tell what was asked, values may be secrets. */
static const char *
query_names(const char *query, char out[static QUERY_MAX])
{
	size_t len = 0;
	bool value = false;

	out[0] = '\0';
	if (query == NULL)
		return out;
	out[len++] = '?';
	for (; *query != '\0' && len < QUERY_MAX - 1; query++) {
		value = *query == '=' || (value && *query != '&');
		if (!value)
			out[len++] = *query;
	}
	out[len] = '\0';
	return out;
}

static void
trace_attempt(const struct handle *handle, const struct attempt *attempt)
{
	const struct request *request = attempt->request;
	const struct log_fields unnamed = { .backend = handle->options->backend, .ms = -1 };
	const struct log_fields *fields = attempt->call->fields;
	char names[QUERY_MAX];

	if (!log_wants(COSI_DEBUG))
		return;
	if (fields == NULL)
		fields = &unnamed;
	if (attempt->status == 0)
		log_line(COSI_DEBUG, fields, "http %s%s at %s: %s (%lld ms, sent %u)",
			 request->shown, query_names(request->query, names), request->url.origin,
			 attempt->text, (long long)attempt->ms, attempt->sent);
	else
		log_line(COSI_DEBUG, fields,
			 "http %s%s at %s: %d, %lld ms, %zu bytes, request id %.128s",
			 request->shown, query_names(request->query, names), request->url.origin,
			 attempt->status, (long long)attempt->ms, handle->reply.body.len,
			 store_request_id(&handle->reply));
}

/* ---- how long to wait before the next attempt ---- */

/* RFC 9110 10.2.3: seconds, or a date. */
static int64_t
retry_after_ms(const char *value)
{
	int64_t seconds;
	time_t date;

	if (parse_int(value, &seconds) < 0) {
		date = curl_getdate(value, NULL);
		if (date == (time_t)-1)
			return 0;
		seconds = (int64_t)date - clock_wall_s();
	}
	if (seconds <= 0)
		return 0;
	return (seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S) * 1000;
}

int64_t
retry_delay_ms(unsigned nattempts, const char *retry_after)
{
	int64_t full = RETRY_MAX_MS, asked = retry_after != NULL ? retry_after_ms(retry_after) : 0;
	uint16_t random = 0;

	if (nattempts <= 5 && RETRY_FIRST_MS << (nattempts - 1) < RETRY_MAX_MS)
		full = RETRY_FIRST_MS << (nattempts - 1);
	/* Without randomness the delay is the same for all, which is still a delay. */
	(void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
	full = full / 2 + full / 2 * random / UINT16_MAX;
	return full > asked ? full : asked;
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

/* One request of a module, while it is sent. */
struct sending {
	struct http_client *client;
	struct http_call *call;
	struct origin *origin;
	struct handle *handle;
	struct request request;
	struct attempt attempt; /* the last one */
};

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
send_once(struct sending *sending, bool probe)
{
	struct attempt *attempt = &sending->attempt;

	*attempt = (struct attempt){ .request = &sending->request, .call = sending->call };
	handle_perform(sending->handle, attempt);
	note_unknown(sending->call, attempt);
	breaker_report(&sending->origin->breaker, probe, attempt->outcome, attempt->text,
		       clock_mono_ms());
	trace_attempt(sending->handle, attempt);
}

/* Waits before the next attempt; false when there is none. */
static bool
wait_to_repeat(struct sending *sending, unsigned nattempts)
{
	const struct attempt *attempt = &sending->attempt;
	const char *retry_after = reply_header(&sending->handle->reply, "retry-after");

	if (!attempt->repeat || nattempts > sending->client->retries)
		return false;
	/* A request that never left can be sent again, regardless of its method. */
	if (!sending->request.repeatable && attempt->sent > 0)
		return false;
	return retry_wait(sending->call, retry_delay_ms(nattempts, retry_after));
}

/* 0 when the last attempt brought an answer. */
static int
send_until_answered(struct sending *sending)
{
	struct breaker *breaker = &sending->origin->breaker;
	struct http_call *call = sending->call;
	unsigned nattempts = 0;
	bool probe;

	do {
		if (breaker_admit(breaker, clock_mono_ms(), &probe)) {
			send_once(sending, probe);
			continue;
		}
		if (nattempts == 0) {
			breaker_refuse(breaker, call->status);
			return -1;
		}
		break; /* opened by other requests: the last attempt's result is reported */
	} while (wait_to_repeat(sending, ++nattempts));
	if (sending->attempt.status != 0)
		return 0;
	return status_fail(call->status, sending->attempt.code, "%s", sending->attempt.text);
}

/* Everything that stands before the first attempt.  0 or -1 with call->status. */
static int
sending_begin(struct sending *sending, const char *base, const struct cosi_http *given)
{
	struct http_call *call = sending->call;
	struct cosi_http asked = { 0 };
	size_t size = given->size < sizeof asked ? given->size : sizeof asked;

	/* A module built with an older header knows a shorter struct; what it lacks is zero. */
	if (size < offsetof(struct cosi_http, max_reply))
		return status_fail(call->status, COSI_INTERNAL, "a request without a size");
	memcpy(&asked, given, size);
	sending->origin = client_origin(sending->client, base, call->status);
	if (sending->origin == NULL ||
	    request_prepare(call, &sending->origin->url, &asked,
			    sending->client->request_timeout_ms, &sending->request) < 0)
		return -1;
	if (atomic_load(call->cancelled))
		return status_fail(call->status, COSI_TIMEOUT,
				   "the caller left before '%s' was sent", sending->request.shown);
	if (clock_mono_ms() >= call->deadline_ms)
		return status_fail(call->status, COSI_TIMEOUT,
				   "the deadline passed before '%s' was sent",
				   sending->request.shown);
	sending->handle = client_take(sending->client, sending->origin);
	if (sending->handle == NULL)
		return status_fail(call->status, COSI_EXHAUSTED, "out of memory for '%s'",
				   sending->request.shown);
	return 0;
}

const struct cosi_http_reply *
http_send(struct http_client *client, struct http_call *call, const char *base,
	  const struct cosi_http *request)
{
	struct sending sending = { .client = client, .call = call };
	const struct cosi_http_reply *reply = NULL;

	if (!status_ok(call->status) || sending_begin(&sending, base, request) < 0)
		return NULL;
	if (send_until_answered(&sending) == 0) {
		reply = reply_take(&sending.handle->reply, sending.attempt.status);
		if (reply == NULL)
			status_fail(call->status, COSI_EXHAUSTED,
				    "out of memory for the answer of %s to '%s'",
				    sending.request.url.origin, sending.request.shown);
	}
	client_give(client, sending.origin, sending.handle);
	return reply;
}
