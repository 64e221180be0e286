/* SPDX-License-Identifier: Apache-2.0
 * s3_error.c - the table of refusals. */
#include "s3/s3_error.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "text/xml.h"

#include "banned.h"

enum { CODE_MAX = 65 };

static const struct meaning {
	const char *code;
	uint32_t means; /* enum cosi_code */
} meanings[] = {
	{ "AccessDenied", COSI_DENIED },
	{ "AllAccessDisabled", COSI_DENIED },
	{ "BucketAlreadyExists", COSI_EXISTS },
	{ "BucketAlreadyOwnedByYou", COSI_EXISTS },
	{ "BucketNotEmpty", COSI_PRECONDITION },
	{ "ConcurrentModification", COSI_BUSY },
	{ "InvalidAccessKeyId", COSI_UNAUTHENTICATED },
	{ "InvalidBucketName", COSI_INVALID },
	{ "InvalidBucketState", COSI_PRECONDITION },
	{ "InvalidLocationConstraint", COSI_OUT_OF_RANGE },
	{ "MethodNotAllowed", COSI_PRECONDITION },
	{ "NoSuchBucket", COSI_BUSY },
	{ "NoSuchEntity", COSI_BUSY },
	{ "NoSuchKey", COSI_BUSY },
	{ "NoSuchUser", COSI_BUSY },
	{ "NotImplemented", COSI_PRECONDITION },
	{ "OperationAborted", COSI_BUSY },
	{ "QuotaExceeded", COSI_EXHAUSTED },
	{ "RequestTimeTooSkewed", COSI_UNAVAILABLE },
	{ "RequestTimeout", COSI_UNAVAILABLE },
	{ "SignatureDoesNotMatch", COSI_UNAUTHENTICATED },
	{ "SlowDown", COSI_BUSY },
	{ "TooManyBuckets", COSI_EXHAUSTED },
	{ "UserSuspended", COSI_UNAUTHENTICATED },
};

static bool
take_code(char out[CODE_MAX], const char *code)
{
	size_t len = strlen(code);

	if (len == 0 || len >= CODE_MAX ||
	    strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != len)
		return false;
	memcpy(out, code, len + 1);
	return true;
}

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	(void)len;
	/* IAM wraps its errors in ErrorResponse, and RADOS Gateway 16.2 some in an answer that it
	 * had begun: the end of the path is what they share. */
	if (strcmp(path, "Error/Code") == 0 || strcmp(path, "ErrorResponse/Error/Code") == 0)
		return take_code(arg, text) ? 1 : 0;
	return 0;
}

static void
json_code(const struct cosi_http_reply *reply, char out[CODE_MAX])
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	const char *code = json_string_value(json_object_get(root, "Code"));

	if (code != NULL)
		(void)take_code(out, code);
}

/* An error document that follows the beginning of another answer (GetUserPolicy does that on 16.2)
 * is not well-formed XML as a whole; alone it is. */
static void
xml_code(const struct cosi_http_reply *reply, char out[CODE_MAX])
{
	const char *body = reply->body.data, *error = strstr(body, "<Error");
	struct cosi_bytes document = reply->body;

	if (error != NULL)
		document = (struct cosi_bytes){ error, reply->body.len - (size_t)(error - body) };
	(void)xml_read(document, on_element, out);
}

const char *
s3_error_code(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	char code[CODE_MAX] = "";

	if (reply->body.len == 0)
		return "";
	if (*(const char *)reply->body.data == '{')
		json_code(reply, code);
	else
		xml_code(reply, code);
	return cosi_printf(call, "%s", code);
}

bool
s3_error_is(struct cosi_call *call, const struct cosi_http_reply *reply, int status,
	    const char *code)
{
	return reply->status == status && strcmp(s3_error_code(call, reply), code) == 0;
}

static const char *
header(const struct cosi_http_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

static int
fail_skewed(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *theirs = header(reply, "date");
	time_t now = (time_t)call->host->now(call);
	struct tm tm;
	char ours[32] = "?";

	if (gmtime_r(&now, &tm) != NULL)
		(void)strftime(ours, sizeof ours, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	return cosi_fail(call, COSI_UNAVAILABLE,
			 "the clocks differ: here it is %s, at the store %.32s", ours,
			 theirs != NULL ? theirs : "?");
}

/* For a Code that is not in the table. */
static uint32_t
by_status(int status)
{
	switch (status) {
	case 401:
		return COSI_UNAUTHENTICATED;
	case 403:
		return COSI_DENIED;
	case 408:
	case 429:
	case 499: /* MinIO: another request took the bucket meanwhile */
		return COSI_UNAVAILABLE;
	case 409:
		return COSI_BUSY;
	case 507:
		return COSI_EXHAUSTED;
	default:
		return status / 100 == 5 || status / 100 == 3 ? COSI_UNAVAILABLE : COSI_INTERNAL;
	}
}

int
s3_error_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *code = s3_error_code(call, reply);

	if (strcmp(code, "RequestTimeTooSkewed") == 0)
		return fail_skewed(call, reply);
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (strcmp(code, meanings[i].code) == 0)
			return cosi_fail(call, meanings[i].means, "the store answered %d %s",
					 reply->status, code);
	if (code[0] != '\0')
		return cosi_fail(call, by_status(reply->status), "the store answered %d %s",
				 reply->status, code);
	if (reply->body.len > 0 && reply->status / 100 != 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "status %d came with something that is not S3", reply->status);
	if (reply->status / 100 == 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the answer %d cannot be understood: is this the store?",
				 reply->status);
	return cosi_fail(call, by_status(reply->status), "the store answered %d without a reason",
			 reply->status);
}
