/* SPDX-License-Identifier: Apache-2.0
 * failure.c - what the end of an attempt means: an answer, or which error in which words.
 *
 * Texts name the store and the request's method and path, never a query, a header or a body.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "http/handle.h"

#include "banned.h"

enum failure_stage {
	NOT_SENT = 1,  /* cause: a CURLcode */
	NO_ANSWER = 2, /* cause: a CURLcode */
	UNUSABLE = 3,  /* cause: enum reply_trouble; the same request would bring the same again */
	STOPPED = 4,   /* cause: enum attempt_stop */
};
enum { OTHER = -1 };

/* %o: the store, %r: the request, %e: the TLS library's error, %w: the error in words, %c: the
 * connection's timeout, %t: the request's, %b: the largest body. */
static const struct failure {
	enum failure_stage stage;
	int cause; /* OTHER: all that is not named above */
	uint32_t code;
	bool repeat;
	enum breaker_outcome outcome;
	const char *text;
} failures[] = {
	{ NOT_SENT, CURLE_OPERATION_TIMEDOUT, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "cannot reach %o: no connection within %c" },
	{ NOT_SENT, CURLE_COULDNT_RESOLVE_HOST, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "cannot reach %o: unknown host" },
	{ NOT_SENT, CURLE_PEER_FAILED_VERIFICATION, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "cannot reach %o: %e" },
	{ NOT_SENT, CURLE_SSL_CACERT_BADFILE, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "cannot reach %o: %e" },
	{ NOT_SENT, CURLE_SSL_CONNECT_ERROR, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "cannot reach %o: %e" },
	{ NOT_SENT, OTHER, COSI_UNAVAILABLE, true, BREAKER_BAD, "cannot reach %o: %w" },

	{ NO_ANSWER, CURLE_OPERATION_TIMEDOUT, COSI_TIMEOUT, true, BREAKER_BAD,
	  "no answer to '%r' from %o within %t" },
	{ NO_ANSWER, CURLE_ABORTED_BY_CALLBACK, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "%o closed the connection instead of answering '%r'" },
	{ NO_ANSWER, CURLE_GOT_NOTHING, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "%o closed the connection instead of answering '%r'" },
	{ NO_ANSWER, CURLE_PARTIAL_FILE, COSI_UNAVAILABLE, true, BREAKER_BAD,
	  "%o cut its answer to '%r' short" },
	{ NO_ANSWER, CURLE_UNSUPPORTED_PROTOCOL, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "the answer of %o to '%r' is not valid HTTP" },
	{ NO_ANSWER, CURLE_WEIRD_SERVER_REPLY, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "the answer of %o to '%r' is not valid HTTP" },
	{ NO_ANSWER, CURLE_BAD_CONTENT_ENCODING, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "the answer of %o to '%r' is not valid HTTP" },
	{ NO_ANSWER, OTHER, COSI_UNAVAILABLE, true, BREAKER_BAD, "no answer to '%r' from %o: %w" },

	{ UNUSABLE, REPLY_HEAD_TOO_LARGE, COSI_UNAVAILABLE, false, BREAKER_GOOD,
	  "the head of the answer of %o to '%r' is too large" },
	{ UNUSABLE, REPLY_BODY_TOO_LARGE, COSI_UNAVAILABLE, false, BREAKER_GOOD,
	  "the answer of %o to '%r' is larger than %b bytes" },
	{ UNUSABLE, REPLY_MALFORMED, COSI_UNAVAILABLE, false, BREAKER_BAD,
	  "the answer of %o to '%r' is not valid HTTP" },
	{ UNUSABLE, OTHER, COSI_EXHAUSTED, false, BREAKER_NOTHING,
	  "out of memory for the answer of %o to '%r'" },

	{ STOPPED, ATTEMPT_CANCELLED, COSI_TIMEOUT, false, BREAKER_NOTHING,
	  "the caller left before '%r' was sent" },
	{ STOPPED, ATTEMPT_TOO_LATE, COSI_TIMEOUT, false, BREAKER_NOTHING,
	  "the deadline passed before '%r' was sent" },
	{ STOPPED, OTHER, COSI_TIMEOUT, false, BREAKER_NOTHING,
	  "'%r' was cancelled: its caller has left" },
};

/* "20 s", "250 ms" */
static void
write_duration(int64_t ms, FILE *out)
{
	bool whole = ms % 1000 == 0;

	(void)fprintf(out, "%lld %s", (long long)(whole ? ms / 1000 : ms), whole ? "s" : "ms");
}

static void
write_part(struct handle *handle, const struct attempt *attempt, CURLcode code, char part,
	   FILE *out)
{
	const struct request *request = attempt->request;
	const char *words = handle->error[0] != '\0' ? handle->error : curl_easy_strerror(code);
	long number = 0;

	switch (part) {
	case 'o':
		(void)fputs(request->url.origin, out);
		break;
	case 'r':
		(void)fputs(request->shown, out);
		break;
	case 'e':
		/* The system's errno says nothing about TLS.  OpenSSL's text for plain HTTP in
		 * reply to a handshake needs an explanation. */
		(void)fputs(words, out);
		if (strstr(words, "wrong version number") != NULL)
			(void)fputs(": does it speak TLS?", out);
		break;
	case 'w':
		/* The system's words, else libcurl's own, in lower case. */
		if (curl_easy_getinfo(handle->easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK &&
		    number != 0 && strerrordesc_np((int)number) != NULL)
			words = strerrordesc_np((int)number);
		if (isupper((unsigned char)words[0]) && !isupper((unsigned char)words[1]))
			(void)fputc(tolower((unsigned char)*words++), out);
		(void)fputs(words, out);
		break;
	case 'c':
		write_duration(handle->options->connect_timeout_ms, out);
		break;
	case 't':
		write_duration(request->timeout_ms, out);
		break;
	default:
		(void)fprintf(out, "%zu", request->max_reply);
	}
}

static void
attempt_fail(struct handle *handle, struct attempt *attempt, CURLcode code,
	     enum failure_stage stage, int cause)
{
	const struct failure *failure = failures;
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	while (failure->stage != stage || (failure->cause != cause && failure->cause != OTHER))
		failure++;
	attempt->code = failure->code;
	attempt->repeat = failure->repeat;
	attempt->outcome = failure->outcome;
	for (const char *p = failure->text; out != NULL && *p != '\0'; p++)
		if (*p == '%')
			write_part(handle, attempt, code, *++p, out);
		else
			(void)fputc(*p, out);
	if (out != NULL)
		(void)fclose(out);
	text[sizeof text - 1] = '\0';
	secret_printf(attempt->text, sizeof attempt->text, "%s",
		      text[0] != '\0' ? text : "no answer from the store");
}

void
failure_judge(struct handle *handle, struct attempt *attempt, CURLcode code, bool out_of_memory)
{
	enum reply_trouble trouble = handle->reply.trouble;
	enum attempt_stop stop = attempt->stop;
	bool late = clock_mono_ms() >= attempt->call->deadline_ms;
	long status = 0;

	attempt->status = 0;
	attempt->repeat = false;
	if (code == CURLE_OK && handle->reply.head_done) {
		(void)curl_easy_getinfo(handle->easy, CURLINFO_RESPONSE_CODE, &status);
		if (status < 200 || status > 599) {
			attempt_fail(handle, attempt, CURLE_OK, NO_ANSWER,
				     CURLE_WEIRD_SERVER_REPLY);
			return;
		}
		attempt->status = (int)status;
		attempt->outcome = BREAKER_GOOD;
		if (status >= 502 && status <= 504) {
			attempt->outcome = BREAKER_BAD;
			secret_printf(attempt->text, sizeof attempt->text,
				      "%s answers with HTTP %d", attempt->request->url.origin,
				      attempt->status);
		}
		/* The statuses that mean "later". */
		attempt->repeat = status == 429 || status == 500 || attempt->outcome == BREAKER_BAD;
		return;
	}
	if (code == CURLE_OK) /* cut within the head */
		code = CURLE_GOT_NOTHING;
	/* With memory, it is a header line above libcurl's own 100 KiB. */
	if (trouble == REPLY_FINE && code == CURLE_OUT_OF_MEMORY)
		trouble = out_of_memory || attempt->sent == 0 ? REPLY_NO_MEMORY
							      : REPLY_HEAD_TOO_LARGE;
	if (attempt->sent == 0 && code == CURLE_OPERATION_TIMEDOUT && late)
		stop = atomic_load(attempt->call->cancelled) ? ATTEMPT_CANCELLED : ATTEMPT_TOO_LATE;
	if (stop == ATTEMPT_GIVEN_UP)
		attempt_fail(handle, attempt, code, STOPPED, stop);
	else if (trouble != REPLY_FINE)
		attempt_fail(handle, attempt, code, UNUSABLE, trouble);
	else if (attempt->sent > 0)
		attempt_fail(handle, attempt, code, NO_ANSWER, code);
	else if (stop == ATTEMPT_CANCELLED || stop == ATTEMPT_TOO_LATE)
		attempt_fail(handle, attempt, code, STOPPED, stop);
	else
		attempt_fail(handle, attempt, code, NOT_SENT, code);
}
