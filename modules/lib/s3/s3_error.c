/* SPDX-License-Identifier: Apache-2.0
 * s3_error.c - the table of refusals. */
#include "s3/s3_error.h"

#include <jansson.h>
#include <string.h>

#include "text/reply.h"
#include "text/xml.h"

#include "banned.h"

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

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	(void)len;
	/* IAM wraps its errors in ErrorResponse, and RADOS Gateway 16.2 some in an answer that it
	 * had begun: the end of the path is what they share. */
	if (strcmp(path, "Error/Code") == 0 || strcmp(path, "ErrorResponse/Error/Code") == 0)
		return reply_take_code(arg, text) ? 1 : 0;
	return 0;
}

static void
json_code(const struct cosi_http_reply *reply, char out[REPLY_CODE_MAX])
{
	json_auto_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	const char *code = json_string_value(json_object_get(root, "Code"));

	if (code != NULL)
		(void)reply_take_code(out, code);
}

/* An error document that follows the beginning of another answer (GetUserPolicy does that on 16.2)
 * is not well-formed XML as a whole; alone it is. */
static void
xml_code(const struct cosi_http_reply *reply, char out[REPLY_CODE_MAX])
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
	char code[REPLY_CODE_MAX] = "";

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

/* Whoever sees the text alone, in an event, asks first which host it was. */
static const char *
endpoint(struct cosi_call *call)
{
	const struct cosi_url *url = call->host->url(call, NULL, NULL);

	return cosi_printf(call, "%s://%s", url->scheme, url->host);
}

int
s3_error_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *code = s3_error_code(call, reply);

	if (strcmp(code, "RequestTimeTooSkewed") == 0)
		return reply_fail_skewed(call, reply);
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (strcmp(code, meanings[i].code) == 0)
			return cosi_fail(call, meanings[i].means, "the store answered %d %s",
					 reply->status, code);
	if (code[0] != '\0')
		return cosi_fail(call, reply_meaning(reply->status), "the store answered %d %s",
				 reply->status, code);
	if (reply->body.len > 0 && reply->status / 100 != 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "status %d came from %s with something that is not S3",
				 reply->status, endpoint(call));
	if (reply->status / 100 == 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the answer %d of %s cannot be understood: is this the store?",
				 reply->status, endpoint(call));
	return cosi_fail(call, reply_meaning(reply->status),
			 "the store answered %d without a reason", reply->status);
}
