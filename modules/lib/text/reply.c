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
