/* SPDX-License-Identifier: Apache-2.0
 * s3.c - S3 as lib/rest wants it: how a request is signed, where a reply has its error code, what
 * the codes mean. */
#include "s3/s3.h"

#include <jansson.h>
#include <string.h>

#include "s3/sigv4.h"
#include "text/hash.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

/* ---- requests ---- */

static const char *
s3_payload_hash(struct cosi_call *call, struct cosi_bytes body)
{
	static const char of_nothing[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	char hex[HASH_HEX_MAX];
	struct hash hash;

	if (body.len == 0)
		return of_nothing;
	if (hash_sha256(call, body.data, body.len, &hash) < 0)
		return "";
	hash_hex(&hash, hex);
	return cosi_printf(call, "%s", hex);
}

static int
s3_sign(struct cosi_call *call, const void *who, struct rest_message *message)
{
	const struct s3_client *client = who;
	const struct sigv4_key key = { client->access_key, client->secret_key, client->region,
				       client->service != NULL ? client->service : "s3" };
	struct rest_pairs *headers = &message->headers, to_sign = { .n = 0 };
	struct sigv4_request request = { .method = message->request->method,
					 .path = message->path,
					 .query = message->query,
					 .now = call->host->now(call) };
	const char *authorization;
	char date[SIGV4_DATE_MAX];

	sigv4_date(request.now, date);
	if (rest_find(headers, "x-amz-content-sha256") == NULL)
		rest_add(call, headers, "x-amz-content-sha256",
			 s3_payload_hash(call, message->request->body));
	rest_add(call, headers, "x-amz-date", cosi_printf(call, "%s", date));
	/* Host is not among the headers: http() writes it. */
	rest_add(call, &to_sign, "host", message->host);
	for (size_t i = 0; i < headers->n; i++)
		if (strncmp(headers->kv[i].key, "x-amz-", 6) == 0)
			rest_add(call, &to_sign, headers->kv[i].key, headers->kv[i].value);
	rest_sort(&to_sign);
	request.payload = rest_find(headers, "x-amz-content-sha256");
	request.headers = to_sign.kv;
	request.nheaders = to_sign.n;
	authorization = sigv4_authorization(call, &key, &request);
	if (authorization == NULL)
		return -1;
	rest_add(call, headers, "authorization", authorization);
	return 0;
}

const struct cosi_http_reply *
s3_send(struct cosi_call *call, const struct s3_client *client, const struct rest_request *request)
{
	return rest_send(call, &s3_api, client, request);
}

const char *
s3_path(struct cosi_call *call, const char *bucket, const char *key)
{
	return uri_encode_path(call, key != NULL ? cosi_printf(call, "/%s/%s", bucket, key)
						 : cosi_printf(call, "/%s", bucket));
}

/* ---- refusals ---- */

static int
s3_on_error(void *arg, const char *path, char *text, size_t len)
{
	(void)len;
	/* IAM wraps its errors in ErrorResponse. */
	if (strcmp(path, "Error/Code") == 0 || strcmp(path, "ErrorResponse/Error/Code") == 0)
		return rest_take_code(arg, text) ? 1 : 0;
	return 0;
}

static bool
s3_error_code(const struct cosi_http_reply *reply, char out[REST_CODE_MAX])
{
	const char *body = reply->body.data, *code, *error;
	struct cosi_bytes document = reply->body;
	json_auto_t *root = NULL;

	out[0] = '\0';
	if (document.len == 0)
		return false;
	if (body[0] == '{') {
		root = json_loadb(body, document.len, 0, NULL);
		code = json_string_value(json_object_get(root, "Code"));
		return code != NULL && rest_take_code(out, code);
	}
	/* RADOS Gateway 16.2 appends the error document of GetUserPolicy to the answer that it had
	 * begun, which is not well-formed XML as a whole; alone the document is. */
	error = strstr(body, "<Error");
	if (error != NULL)
		document = (struct cosi_bytes){ error, document.len - (size_t)(error - body) };
	(void)xml_read(document, s3_on_error, out);
	return out[0] != '\0';
}

static const struct rest_error s3_errors[] = {
	{ "AccessDenied", COSI_DENIED, NULL },
	{ "AllAccessDisabled", COSI_DENIED, NULL },
	{ "BucketAlreadyExists", COSI_EXISTS, NULL },
	{ "BucketAlreadyOwnedByYou", COSI_EXISTS, NULL },
	{ "BucketNotEmpty", COSI_PRECONDITION, NULL },
	{ "ConcurrentModification", COSI_BUSY, NULL },
	{ "InvalidAccessKeyId", COSI_UNAUTHENTICATED, NULL },
	{ "InvalidBucketName", COSI_INVALID, NULL },
	{ "InvalidBucketState", COSI_PRECONDITION, NULL },
	{ "InvalidLocationConstraint", COSI_OUT_OF_RANGE, NULL },
	{ "MethodNotAllowed", COSI_PRECONDITION, NULL },
	/* What is absent unexpectedly was removed in between. */
	{ "NoSuchBucket", COSI_BUSY, NULL },
	{ "NoSuchEntity", COSI_BUSY, NULL },
	{ "NoSuchKey", COSI_BUSY, NULL },
	{ "NoSuchUser", COSI_BUSY, NULL },
	{ "NotImplemented", COSI_PRECONDITION, NULL },
	{ "OperationAborted", COSI_BUSY, NULL },
	{ "QuotaExceeded", COSI_EXHAUSTED, NULL },
	{ "RequestTimeout", COSI_UNAVAILABLE, NULL },
	{ "SignatureDoesNotMatch", COSI_UNAUTHENTICATED, NULL },
	{ "SlowDown", COSI_BUSY, NULL },
	{ "TooManyBuckets", COSI_EXHAUSTED, NULL },
	{ "UserSuspended", COSI_UNAUTHENTICATED, NULL },
};

const struct rest_api s3_api = {
	.name = "S3",
	.sign = s3_sign,
	.error_code = s3_error_code,
	.skew_code = "RequestTimeTooSkewed",
	.nerrors = sizeof s3_errors / sizeof s3_errors[0],
	.errors = s3_errors,
};

bool
s3_error_is(const struct cosi_http_reply *reply, int status, const char *code)
{
	return rest_error_is(&s3_api, reply, status, code);
}

int
s3_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	return rest_fail(call, &s3_api, reply);
}
