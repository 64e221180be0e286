/* SPDX-License-Identifier: Apache-2.0
 * reply.c - reads a reply's headers, and says what a refusal means. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rest/rest.h"

#include "banned.h"

enum { SKEW_MAX_S = 14 * 60 }; /* stores that sign with a date take 15 minutes */

const char *
rest_header(const struct cosi_http_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

const char *
rest_write_date(struct cosi_call *call, int64_t seconds)
{
	time_t when = (time_t)seconds;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm) != NULL)
		(void)strftime(text, sizeof text, REST_DATE, &tm);
	return cosi_printf(call, "%s", text);
}

int64_t
rest_read_date(const char *text, const char *format)
{
	struct tm tm = { 0 };
	time_t seconds;

	if (text == NULL || strptime(text, format, &tm) == NULL)
		return 0;
	seconds = timegm(&tm);
	return seconds > 0 ? (int64_t)seconds : 0;
}

bool
rest_take_code(char out[REST_CODE_MAX], const char *code)
{
	size_t len = strlen(code);

	if (len == 0 || len >= REST_CODE_MAX ||
	    strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != len)
		return false;
	memcpy(out, code, len + 1);
	return true;
}

const char *
rest_error_code(struct cosi_call *call, const struct rest_api *api,
		const struct cosi_http_reply *reply)
{
	char code[REST_CODE_MAX];

	return api->error_code(reply, code) ? cosi_printf(call, "%s", code) : "";
}

bool
rest_error_is(const struct rest_api *api, const struct cosi_http_reply *reply, int status,
	      const char *code)
{
	char has[REST_CODE_MAX];

	return reply->status == status && api->error_code(reply, has) && strcmp(has, code) == 0;
}

/* What a refusal means by its status alone.  INTERNAL: a request that only this daemon can have
 * made wrong. */
static uint32_t
rest_status_means(int status)
{
	switch (status) {
	case 401:
		return COSI_UNAUTHENTICATED;
	case 403:
		return COSI_DENIED;
	case 404: /* of whom?  Proxies say it of what they cannot reach, some without a body */
	case 408:
	case 429:
	case 499: /* MinIO: another request took the bucket first */
		return COSI_UNAVAILABLE;
	case 409:
	case 412:
		return COSI_BUSY;
	case 507:
		return COSI_EXHAUSTED;
	default:
		return status / 100 == 4 ? COSI_INTERNAL : COSI_UNAVAILABLE;
	}
}

/* Some stores refuse an old date with the same code as a bad key: then the dates tell.  A store
 * that has a code of its own for it is believed, since the request may have been late on its way.
 */
static bool
rest_is_skewed(struct cosi_call *call, const struct rest_api *api,
	       const struct cosi_http_reply *reply)
{
	int64_t theirs = rest_read_date(rest_header(reply, "date"), REST_DATE);
	char code[REST_CODE_MAX];

	if ((reply->status != 401 && reply->status != 403) || theirs == 0)
		return false;
	if (api->skew_code != NULL && api->error_code(reply, code) &&
	    strcmp(code, api->skew_code) == 0)
		return true;
	return llabs(theirs - call->host->now(call)) > SKEW_MAX_S;
}

static int
rest_fail_code(struct cosi_call *call, const struct rest_api *api,
	       const struct cosi_http_reply *reply, const char *code)
{
	for (size_t i = 0; i < api->nerrors; i++) {
		const struct rest_error *error = &api->errors[i];

		if (strcmp(code, error->code) == 0)
			return cosi_fail(call, error->means, "the store answered %d %s%s%s",
					 reply->status, code, error->hint != NULL ? ": " : "",
					 error->hint != NULL ? error->hint : "");
	}
	return cosi_fail(call, rest_status_means(reply->status), "the store answered %d %s",
			 reply->status, code);
}

int
rest_fail(struct cosi_call *call, const struct rest_api *api, const struct cosi_http_reply *reply)
{
	const struct cosi_url *url = call->host->url(call, NULL, NULL);
	char code[REST_CODE_MAX];

	if (rest_is_skewed(call, api, reply))
		return cosi_fail(
			call, COSI_UNAVAILABLE, "the clocks differ: here it is %s, at the store %s",
			rest_write_date(call, call->host->now(call)), rest_header(reply, "date"));
	if (reply->status / 100 == 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the %d reply of %s://%s cannot be understood: does it serve %s?",
				 reply->status, url->scheme, url->host, api->name);
	if (api->error_code(reply, code))
		return rest_fail_code(call, api, reply, code);
	if (reply->body.len > 0)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "%s://%s answered %d without a valid %s error", url->scheme,
				 url->host, reply->status, api->name);
	return cosi_fail(call, rest_status_means(reply->status),
			 "the store answered %d without a reason", reply->status);
}
