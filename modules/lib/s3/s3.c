/* SPDX-License-Identifier: Apache-2.0
 * s3.c - signs what goes over the wire, and sends exactly that. */
#include "s3/s3.h"

#include <stdlib.h>
#include <string.h>

#include "s3/sigv4.h"
#include "text/hash.h"
#include "text/join.h"
#include "text/uri.h"

#include "banned.h"

enum { OWN_HEADERS = 4 }; /* host, x-amz-content-sha256, x-amz-date, authorization */

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct cosi_kv *)a)->key, ((const struct cosi_kv *)b)->key);
}

/* By name, not by "name=value": '-' sorts before '=', which misleads. */
static const char *
query_text(struct cosi_call *call, const struct s3_request *request)
{
	struct cosi_kv sorted[S3_QUERY_MAX];

	if (request->nquery > S3_QUERY_MAX) {
		cosi_fail(call, COSI_INTERNAL, "a request has too many query parameters");
		return "";
	}
	for (size_t i = 0; i < request->nquery; i++)
		sorted[i] = request->query[i];
	qsort(sorted, request->nquery, sizeof sorted[0], by_key);
	for (size_t i = 0; i < request->nquery; i++)
		sorted[i] = (struct cosi_kv){
			uri_encode(call, sorted[i].key),
			sorted[i].value != NULL ? uri_encode(call, sorted[i].value) : "",
		};
	return text_join(call, sorted, request->nquery, "=", "&", "");
}

static const char *
payload_hash(struct cosi_call *call, const struct s3_request *request)
{
	static const char of_nothing[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	char hex[HASH_HEX_MAX];
	struct hash hash;

	if (request->unsigned_payload)
		return "UNSIGNED-PAYLOAD";
	if (request->body.len == 0)
		return of_nothing;
	if (hash_sha256(call, request->body.data, request->body.len, &hash) != 0)
		return "";
	hash_hex(&hash, hex);
	return cosi_printf(call, "%s", hex);
}

struct headers {
	size_t nsigned, nsent;
	struct cosi_kv to_sign[S3_HEADERS_MAX + OWN_HEADERS], sent[S3_HEADERS_MAX + OWN_HEADERS];
};

/* What is sent lacks host, which http() writes itself, and has room for the signature. */
static void
collect_headers(struct headers *out, const struct s3_request *request, const char *host,
		const char *payload, const char *date)
{
	out->to_sign[out->nsigned++] = (struct cosi_kv){ "host", host };
	out->to_sign[out->nsigned++] = (struct cosi_kv){ "x-amz-content-sha256", payload };
	out->to_sign[out->nsigned++] = (struct cosi_kv){ "x-amz-date", date };
	for (size_t i = 0; i < request->nheaders; i++) {
		if (strncmp(request->headers[i].key, "x-amz-", 6) == 0)
			out->to_sign[out->nsigned++] = request->headers[i];
		else
			out->sent[out->nsent++] = request->headers[i];
	}
	qsort(out->to_sign, out->nsigned, sizeof out->to_sign[0], by_key);
	for (size_t i = 0; i < out->nsigned; i++)
		if (strcmp(out->to_sign[i].key, "host") != 0)
			out->sent[out->nsent++] = out->to_sign[i];
}

const struct cosi_http_reply *
s3_send(struct cosi_call *call, const struct s3_client *client, const struct s3_request *request)
{
	const struct sigv4_key key = { client->access_key, client->secret_key, client->region,
				       client->service != NULL ? client->service : "s3" };
	const struct cosi_url *url = call->host->url(call, NULL, NULL);
	const char *path = uri_encode_path(call, request->path), *payload, *authorization;
	struct sigv4_request to_sign = { .method = request->method, .now = call->host->now(call) };
	struct headers headers = { 0 };
	char date[SIGV4_DATE_MAX];

	if (request->nheaders > S3_HEADERS_MAX) {
		cosi_fail(call, COSI_INTERNAL, "a request has too many headers");
		return NULL;
	}
	sigv4_date(to_sign.now, date);
	payload = payload_hash(call, request);
	collect_headers(&headers, request, url->host, payload, date);
	/* http() puts the endpoint's own path in front, and what is signed has it, too. */
	to_sign.path = cosi_printf(call, "%s%s", url->path, path);
	to_sign.query = query_text(call, request);
	to_sign.payload = payload;
	to_sign.headers = headers.to_sign;
	to_sign.nheaders = headers.nsigned;
	authorization = sigv4_authorization(call, &key, &to_sign);
	if (authorization == NULL)
		return NULL;
	headers.sent[headers.nsent++] = (struct cosi_kv){ "authorization", authorization };
	return cosi_http(call, .method = request->method, .path = path, .query = to_sign.query,
			 .headers = headers.sent, .nheaders = headers.nsent, .body = request->body,
			 .flags = request->flags, .timeout_ms = request->timeout_ms,
			 .max_reply = request->max_reply);
}
