/* SPDX-License-Identifier: Apache-2.0
 * s3.c - S3 as lib/rest wants it: how a request is signed, where a reply has its error code, what
 * the codes mean. */
#include "s3/s3.h"

#include <jansson.h>
#include <string.h>

#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

enum { DAY_LEN = 8 };

/* ---- requests ---- */

const char *
sigv4_authorization(struct cosi_call *call, const struct sigv4_key *key,
		    const struct sigv4_request *request)
{
	const char *headers = text_join(call, request->headers, request->nheaders, ":", "\n", "\n");
	const char *names = text_join(call, request->headers, request->nheaders, NULL, ";", "");
	const char *canonical =
		cosi_printf(call, "%s\n%s\n%s\n%s\n%s\n%s", request->method, request->path,
			    request->query, headers, names, request->payload);
	const char *scope = cosi_printf(call, "%.*s/%s/%s/aws4_request", DAY_LEN, request->date,
					key->region, key->service);
	const char *secret = cosi_printf(call, "AWS4%s", key->secret_key), *to_sign;
	struct cosi_bytes parts[5] = {
		{ request->date, DAY_LEN },
		{ key->region, strlen(key->region) },
		{ key->service, strlen(key->service) },
		{ "aws4_request", strlen("aws4_request") },
	};
	char hex[HASH_HEX_MAX];
	struct hash hash, last;

	if (request->date[0] == '\0') {
		cosi_fail(call, COSI_INTERNAL, "the clock says a time that has no date");
		return NULL;
	}
	if (hash_sha256(call, canonical, strlen(canonical), &hash) < 0)
		return NULL;
	hash_hex(&hash, hex);
	to_sign = cosi_printf(call, "AWS4-HMAC-SHA256\n%s\n%s\n%s", request->date, scope, hex);
	parts[4] = (struct cosi_bytes){ to_sign, strlen(to_sign) };
	/* A chain of HMACs that begins with the secret; the last one signs. */
	if (hash_hmac(call, secret, strlen(secret), parts[0].data, parts[0].len, &hash) < 0)
		return NULL;
	for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++) {
		last = hash;
		if (hash_hmac(call, &last, sizeof last, parts[i].data, parts[i].len, &hash) < 0)
			return NULL;
	}
	hash_wipe(&last, sizeof last);
	hash_hex(&hash, hex);
	return cosi_printf(call, "AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s",
			   key->access_key, scope, names, hex);
}

static int
s3_sign(struct cosi_call *call, const void *who, struct rest_message *message)
{
	const struct s3_client *client = who;
	const struct sigv4_key key = { client->access_key, client->secret_key, client->region,
				       client->service != NULL ? client->service : "s3" };
	const struct cosi_bytes body = message->request->body;
	struct rest_pairs *headers = &message->headers, to_sign = { .n = 0 };
	struct sigv4_request request = {
		.method = message->request->method,
		.path = message->path,
		.query = message->query,
		.date = rest_write_date(call, REST_BASIC, call->host->now(call)),
	};
	char hex[HASH_HEX_MAX];
	struct hash hash;

	request.payload = rest_find(headers, "x-amz-content-sha256");
	if (request.payload == NULL) {
		if (hash_sha256(call, body.data, body.len, &hash) < 0)
			return -1;
		hash_hex(&hash, hex);
		request.payload = cosi_printf(call, "%s", hex);
		rest_add(call, headers, "x-amz-content-sha256", request.payload);
	}
	rest_add(call, headers, "x-amz-date", request.date);
	/* Host is not among the headers: http() writes it. */
	rest_add(call, &to_sign, "host", message->host);
	for (size_t i = 0; i < headers->n; i++)
		if (strncmp(headers->kv[i].key, "x-amz-", 6) == 0)
			rest_add(call, &to_sign, headers->kv[i].key, headers->kv[i].value);
	rest_sort(&to_sign);
	request.headers = to_sign.kv;
	request.nheaders = to_sign.n;
	rest_add(call, headers, "authorization", sigv4_authorization(call, &key, &request));
	return cosi_failed(call) ? -1 : 0;
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

static bool
s3_error_code(const struct cosi_http_reply *reply, char out[REST_CODE_MAX])
{
	const char *body = reply->body.data, *error;
	struct cosi_bytes document = reply->body;
	char code[REST_CODE_MAX + 1];
	json_auto_t *root = NULL;

	if (document.len == 0)
		return false;
	if (body[0] == '{') {
		root = json_loadb(body, document.len, 0, NULL);
		body = json_string_value(json_object_get(root, "Code"));
		return body != NULL && rest_take_code(out, body);
	}
	/* RADOS Gateway 16.2 appends the error document of GetUserPolicy to the answer that it had
	 * begun, which is not well-formed XML as a whole; alone the document is. */
	error = strstr(body, "<Error");
	if (error != NULL)
		document = (struct cosi_bytes){ error, document.len - (size_t)(error - body) };
	/* IAM wraps its errors in ErrorResponse. */
	return (xml_find(document, "Error/Code", code, sizeof code) ||
		xml_find(document, "ErrorResponse/Error/Code", code, sizeof code)) &&
	       rest_take_code(out, code);
}

static const struct rest_error s3_errors[] = {
	{ "AccessDenied", COSI_DENIED, NULL },
	{ "AllAccessDisabled", COSI_DENIED, NULL },
	/* PUT of a bucket expects both; to any other request they say nothing. */
	{ "BucketAlreadyExists", COSI_UNAVAILABLE, NULL },
	{ "BucketAlreadyOwnedByYou", COSI_UNAVAILABLE, NULL },
	{ "BucketNotEmpty", COSI_PRECONDITION, NULL },
	{ "ConcurrentModification", COSI_BUSY, NULL },
	/* The body ended early on its way; MinIO also says it while the bucket is deleted. */
	{ "IncompleteBody", COSI_UNAVAILABLE, NULL },
	{ "InvalidAccessKeyId", COSI_UNAUTHENTICATED, "is the key 'access_key' right?" },
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
	{ "SignatureDoesNotMatch", COSI_UNAUTHENTICATED, "is the key 'secret_key' right?" },
	{ "SlowDown", COSI_BUSY, NULL },
	{ "TooManyBuckets", COSI_EXHAUSTED, NULL },
	{ "UserSuspended", COSI_UNAUTHENTICATED, NULL },
};

const struct rest_api s3_api = {
	.name = "S3",
	.sign = s3_sign,
	.error_code = s3_error_code,
	.skew_code = "RequestTimeTooSkewed",
	.id_header = "x-amz-request-id",
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
