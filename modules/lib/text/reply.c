/* SPDX-License-Identifier: Apache-2.0
 * reply.c - reads an answer's headers. */
#include "text/reply.h"

#include <string.h>
#include <time.h>

#include "banned.h"

#define DATE "%a, %d %b %Y %H:%M:%S GMT"

const char *
reply_header(const struct cosi_http_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

bool
reply_take_code(char out[REPLY_CODE_MAX], const char *code)
{
	size_t len = strlen(code);

	if (len == 0 || len >= REPLY_CODE_MAX ||
	    strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != len)
		return false;
	memcpy(out, code, len + 1);
	return true;
}

uint32_t
reply_meaning(int status)
{
	switch (status) {
	case 401:
		return COSI_UNAUTHENTICATED;
	case 403:
		return COSI_DENIED;
	case 404: /* of whom?  Proxies say it of what they cannot reach, some without a body */
	case 408:
	case 429:
	case 499: /* MinIO: another request took the bucket meanwhile */
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

int64_t
reply_skew(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *theirs = reply_header(reply, "date");
	struct tm tm = { 0 };

	if (theirs == NULL || strptime(theirs, DATE, &tm) == NULL)
		return 0;
	return (int64_t)timegm(&tm) - call->host->now(call);
}

int
reply_fail_skewed(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *theirs = reply_header(reply, "date");
	time_t now = (time_t)call->host->now(call);
	struct tm tm;
	char ours[32] = "?";

	if (gmtime_r(&now, &tm) != NULL)
		(void)strftime(ours, sizeof ours, DATE, &tm);
	return cosi_fail(call, COSI_UNAVAILABLE,
			 "the clocks differ: here it is %s, at the store %.32s", ours,
			 theirs != NULL ? theirs : "?");
}
