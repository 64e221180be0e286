/* SPDX-License-Identifier: Apache-2.0
 * failure.c - what the end of a transfer means: an answer, or which error in which words.
 *
 * Texts name the store and the request's method and path, never a query, a header or a body.
 */
#include "http/failure.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

bool
failure_status_passes(int status)
{
	return status == 429 || status == 500 || (status >= 502 && status <= 504);
}

bool
failure_status_unknown(int status)
{
	return status == 408 || status == 502 || status == 504;
}

static void fail(struct attempt *attempt, uint32_t code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void
fail(struct attempt *attempt, uint32_t code, const char *fmt, ...)
{
	va_list ap;

	attempt->code = code;
	va_start(ap, fmt);
	secret_vprintf(attempt->text, sizeof attempt->text, fmt, ap);
	va_end(ap);
}

/* "20 s", "250 ms" */
static const char *
duration(int64_t ms, char out[static 32])
{
	if (ms % 1000 == 0)
		(void)snprintf(out, 32, "%lld s", (long long)ms / 1000);
	else
		(void)snprintf(out, 32, "%lld ms", (long long)ms);
	return out;
}

/* The system's words for it, else libcurl's own. */
static void
reason(struct handle *handle, CURLcode code, char *out, size_t size)
{
	long number = 0;
	const char *words = NULL;

	if (curl_easy_getinfo(handle->easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK && number != 0)
		words = strerrordesc_np((int)number);
	if (words == NULL)
		words = handle->error[0] != '\0' ? handle->error : curl_easy_strerror(code);
	(void)snprintf(out, size, "%s", words);
	if (!isupper((unsigned char)out[1]))
		out[0] = (char)tolower((unsigned char)out[0]);
}

/* OpenSSL's text for plain HTTP in reply to a handshake needs an explanation. */
static const char *
tls_hint(const char *words)
{
	return strstr(words, "wrong version number") != NULL ? ": does it speak TLS?" : "";
}

static void
not_sent(struct handle *handle, struct attempt *attempt, CURLcode code)
{
	const char *origin = attempt->request->url.origin;
	char words[CURL_ERROR_SIZE], time[32];

	attempt->verdict = BREAKER_BAD;
	attempt->repeat = true;
	switch ((int)code) {
	case CURLE_OPERATION_TIMEDOUT:
		fail(attempt, COSI_UNAVAILABLE, "cannot reach %s: no connection within %s", origin,
		     duration(handle->options->connect_timeout_ms, time));
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
		fail(attempt, COSI_UNAVAILABLE, "cannot reach %s: unknown host", origin);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		attempt->repeat = false;
		/* fall through */
	case CURLE_SSL_CONNECT_ERROR:
		/* The system's errno says nothing about TLS. */
		fail(attempt, COSI_UNAVAILABLE, "cannot reach %s: %s%s", origin,
		     handle->error[0] != '\0' ? handle->error : curl_easy_strerror(code),
		     tls_hint(handle->error));
		break;
	default:
		reason(handle, code, words, sizeof words);
		fail(attempt, COSI_UNAVAILABLE, "cannot reach %s: %s", origin, words);
	}
}

static void
no_answer(struct handle *handle, struct attempt *attempt, CURLcode code)
{
	const struct request *request = attempt->request;
	char words[CURL_ERROR_SIZE], time[32];

	attempt->verdict = BREAKER_BAD;
	attempt->repeat = true;
	switch ((int)code) {
	case CURLE_OPERATION_TIMEDOUT:
		fail(attempt, COSI_TIMEOUT, "no answer to '%s' from %s within %s", request->shown,
		     request->url.origin, duration(request->timeout_ms, time));
		break;
	case CURLE_ABORTED_BY_CALLBACK:
	case CURLE_GOT_NOTHING:
		fail(attempt, COSI_UNAVAILABLE,
		     "%s closed the connection instead of answering '%s'", request->url.origin,
		     request->shown);
		break;
	case CURLE_PARTIAL_FILE:
		fail(attempt, COSI_UNAVAILABLE, "%s cut its answer to '%s' short",
		     request->url.origin, request->shown);
		break;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		attempt->repeat = false;
		fail(attempt, COSI_UNAVAILABLE, "the answer of %s to '%s' is not valid HTTP",
		     request->url.origin, request->shown);
		break;
	default:
		reason(handle, code, words, sizeof words);
		fail(attempt, COSI_UNAVAILABLE, "no answer to '%s' from %s: %s", request->shown,
		     request->url.origin, words);
	}
}

/* The store answers, but not what could be used: the same request would bring the same again. */
static void
useless(enum reply_trouble trouble, struct attempt *attempt)
{
	const struct request *request = attempt->request;

	attempt->verdict = BREAKER_GOOD;
	switch (trouble) {
	case REPLY_HEAD_TOO_LARGE:
		fail(attempt, COSI_UNAVAILABLE, "the head of the answer of %s to '%s' is too large",
		     request->url.origin, request->shown);
		break;
	case REPLY_BODY_TOO_LARGE:
		fail(attempt, COSI_UNAVAILABLE, "the answer of %s to '%s' is larger than %zu bytes",
		     request->url.origin, request->shown, request->max_reply);
		break;
	case REPLY_MALFORMED:
		fail(attempt, COSI_UNAVAILABLE, "the answer of %s to '%s' is not valid HTTP",
		     request->url.origin, request->shown);
		break;
	case REPLY_NO_MEMORY:
	case REPLY_FINE:
		attempt->verdict = BREAKER_NOTHING;
		fail(attempt, COSI_EXHAUSTED, "out of memory for the answer of %s to '%s'",
		     request->url.origin, request->shown);
	}
}

static void
answered(struct handle *handle, struct attempt *attempt)
{
	long status = 0;

	(void)curl_easy_getinfo(handle->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 || status > 599) {
		fail(attempt, COSI_UNAVAILABLE, "the answer of %s to '%s' is not valid HTTP",
		     attempt->request->url.origin, attempt->request->shown);
		attempt->verdict = BREAKER_BAD;
		return;
	}
	attempt->status = (int)status;
	attempt->repeat = failure_status_passes(attempt->status);
	attempt->verdict = BREAKER_GOOD;
	if (status >= 502 && status <= 504) {
		attempt->verdict = BREAKER_BAD;
		secret_printf(attempt->text, sizeof attempt->text, "%s answers with HTTP %d",
			      attempt->request->url.origin, attempt->status);
	}
}

static void
too_late(struct attempt *attempt)
{
	attempt->verdict = BREAKER_NOTHING;
	fail(attempt, COSI_TIMEOUT,
	     atomic_load(attempt->call->cancelled) ? "the caller left before '%s' was sent"
						   : "the time was up before '%s' was sent",
	     attempt->request->shown);
}

static void
given_up(struct attempt *attempt)
{
	attempt->verdict = BREAKER_NOTHING;
	fail(attempt, COSI_TIMEOUT, "'%s' was cancelled: its caller has left",
	     attempt->request->shown);
}

void
failure_judge(struct handle *handle, struct attempt *attempt, CURLcode code)
{
	bool late = clock_mono_ms() >= attempt->call->deadline_ms;

	attempt->status = 0;
	attempt->repeat = false;
	if (code == CURLE_OK && !handle->reply.head_done) /* cut within the head */
		no_answer(handle, attempt, CURLE_GOT_NOTHING);
	else if (code == CURLE_OK)
		answered(handle, attempt);
	else if (attempt->stop == ATTEMPT_GIVEN_UP)
		given_up(attempt);
	else if (handle->reply.trouble != REPLY_FINE)
		useless(handle->reply.trouble, attempt);
	else if (code == CURLE_OUT_OF_MEMORY) /* also: a header line above libcurl's own 100 KiB */
		useless(attempt->sent > 0 ? REPLY_HEAD_TOO_LARGE : REPLY_NO_MEMORY, attempt);
	else if (attempt->sent == 0 &&
		 (attempt->stop == ATTEMPT_TOO_LATE || (code == CURLE_OPERATION_TIMEDOUT && late)))
		too_late(attempt);
	else if (attempt->sent == 0)
		not_sent(handle, attempt, code);
	else
		no_answer(handle, attempt, code);
}
