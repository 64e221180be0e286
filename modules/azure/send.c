/* SPDX-License-Identifier: Apache-2.0
 * send.c - signs what goes over the wire, and sends exactly that. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "azure.h"
#include "text/join.h"
#include "text/uri.h"

#include "banned.h"

#define VERSION "2021-12-02" /* all that is needed here is older */
#define XML     "application/xml"

enum { DATE_MAX = 32, OWN_QUERY = 2, OWN_HEADERS = 5 };

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct cosi_kv *)a)->key, ((const struct cosi_kv *)b)->key);
}

static const char *
date_of(struct cosi_call *call)
{
	time_t now = (time_t)call->host->now(call);
	char text[DATE_MAX] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm) != NULL)
		(void)strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	return cosi_printf(call, "%s", text);
}

struct parts {
	size_t nquery, nheaders;
	struct cosi_kv query[AZURE_QUERY_MAX + OWN_QUERY];
	struct cosi_kv headers[AZURE_HEADERS_MAX + OWN_HEADERS];
};

/* Names are of [a-z-] alone: servers that sort as people do, not by bytes, agree on their order. */
static void
collect(struct cosi_call *call, const struct azure_request *request, struct parts *out)
{
	for (size_t i = 0; i < request->nquery; i++)
		out->query[out->nquery++] = request->query[i];
	if (request->container != NULL)
		out->query[out->nquery++] = (struct cosi_kv){ "restype", "container" };
	if (request->comp != NULL)
		out->query[out->nquery++] = (struct cosi_kv){ "comp", request->comp };
	qsort(out->query, out->nquery, sizeof out->query[0], by_key);
	for (size_t i = 0; i < request->nheaders; i++)
		out->headers[out->nheaders++] = request->headers[i];
	out->headers[out->nheaders++] = (struct cosi_kv){ "x-ms-date", date_of(call) };
	out->headers[out->nheaders++] = (struct cosi_kv){ "x-ms-version", VERSION };
	qsort(out->headers, out->nheaders, sizeof out->headers[0], by_key);
}

static const char *
query_text(struct cosi_call *call, const struct parts *parts)
{
	struct cosi_kv encoded[AZURE_QUERY_MAX + OWN_QUERY];

	for (size_t i = 0; i < parts->nquery; i++)
		encoded[i] = (struct cosi_kv){ parts->query[i].key,
					       uri_encode(call, parts->query[i].value) };
	return text_join(call, encoded, parts->nquery, "=", "&", "");
}

static const char *
authorization(const struct azure *azure, struct cosi_call *call,
	      const struct azure_request *request, const char *path, const struct parts *parts)
{
	const char *account = azure->config->account, *text;

	text = azure_sign_text(call, &(struct azure_to_sign){
					     .method = request->method,
					     .account = account,
					     .path = path,
					     .nquery = parts->nquery,
					     .query = parts->query,
					     .nheaders = parts->nheaders,
					     .headers = parts->headers,
					     .type = request->body.len > 0 ? XML : "",
					     .len = request->body.len,
					     .unmodified_since = request->unmodified_since,
				     });
	return cosi_printf(call, "SharedKey %s:%s", account,
			   azure_key_sign(call, &azure->key, text));
}

const struct cosi_http_reply *
azure_send(const struct azure *azure, struct cosi_call *call, const struct azure_request *request)
{
	const char *prefix = call->host->url(call, NULL, NULL)->path;
	const char *path =
		cosi_printf(call, "/%s", request->container != NULL ? request->container : "");
	/* http() puts the endpoint's own path in front, and what is signed has it, too. */
	const char *target = cosi_printf(call, "%s%s", prefix, path);
	struct parts parts = { 0 };
	const char *proof;

	if (request->nquery > AZURE_QUERY_MAX || request->nheaders > AZURE_HEADERS_MAX) {
		cosi_fail(call, COSI_INTERNAL, "a request has too many parts");
		return NULL;
	}
	collect(call, request, &parts);
	proof = authorization(azure, call, request, target, &parts);
	parts.headers[parts.nheaders++] = (struct cosi_kv){ "authorization", proof };
	if (request->body.len > 0)
		parts.headers[parts.nheaders++] = (struct cosi_kv){ "content-type", XML };
	if (request->unmodified_since != NULL)
		parts.headers[parts.nheaders++] =
			(struct cosi_kv){ "if-unmodified-since", request->unmodified_since };
	return cosi_http(call, .method = request->method, .path = path,
			 .query = query_text(call, &parts), .headers = parts.headers,
			 .nheaders = parts.nheaders, .body = request->body, .flags = COSI_HTTP_SAFE,
			 .max_reply = request->max_reply);
}
