/* SPDX-License-Identifier: Apache-2.0
 * send.c - puts a request together, has it signed, and sends exactly what was signed; lists of many
 * pages. */
#include <stdlib.h>
#include <string.h>

#include "rest/rest.h"
#include "text/text.h"

#include "banned.h"

void
rest_add(struct cosi_call *call, struct rest_pairs *pairs, const char *key, const char *value)
{
	if (pairs->n < REST_PAIRS_MAX)
		pairs->kv[pairs->n++] = (struct cosi_kv){ key, value };
	else
		cosi_fail(call, COSI_INTERNAL, "a request has more than %d parameters or headers",
			  REST_PAIRS_MAX);
}

static int
rest_by_key(const void *a, const void *b)
{
	return strcmp(((const struct cosi_kv *)a)->key, ((const struct cosi_kv *)b)->key);
}

void
rest_sort(struct rest_pairs *pairs)
{
	qsort(pairs->kv, pairs->n, sizeof pairs->kv[0], rest_by_key);
}

const char *
rest_find(const struct rest_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (strcmp(pairs->kv[i].key, key) == 0)
			return pairs->kv[i].value;
	return NULL;
}

static const char *
rest_query_text(struct cosi_call *call, const struct rest_pairs *params)
{
	struct cosi_kv encoded[REST_PAIRS_MAX];

	for (size_t i = 0; i < params->n; i++)
		encoded[i] = (struct cosi_kv){ uri_encode(call, params->kv[i].key),
					       uri_encode(call, params->kv[i].value) };
	return text_join(call, encoded, params->n, "=", "&", "");
}

const struct cosi_http_reply *
rest_send(struct cosi_call *call, const struct rest_api *api, const void *who,
	  const struct rest_request *request)
{
	const struct cosi_url *url = call->host->url(call, request->base, NULL);
	struct rest_message message = { .request = request, .host = url->host };

	for (size_t i = 0; i < request->nquery; i++)
		rest_add(call, &message.params, request->query[i].key,
			 request->query[i].value != NULL ? request->query[i].value : "");
	for (size_t i = 0; i < request->nheaders; i++)
		rest_add(call, &message.headers, request->headers[i].key,
			 request->headers[i].value);
	rest_sort(&message.params);
	rest_sort(&message.headers);
	/* http() puts the endpoint's own path in front, so what is signed has it, too. */
	message.path = cosi_printf(call, "%s%s", url->path, request->path);
	message.query = rest_query_text(call, &message.params);
	if (cosi_failed(call) || api->sign(call, who, &message) < 0 || cosi_failed(call))
		return NULL;
	return cosi_http(call, .method = request->method, .path = request->path,
			 .query = message.query, .base = request->base, .flags = request->flags,
			 .timeout_ms = request->timeout_ms, .nheaders = message.headers.n,
			 .headers = message.headers.kv, .body = request->body,
			 .max_reply = request->max_reply);
}

int
rest_pages(struct cosi_call *call, rest_page_fn *page, void *arg)
{
	const char *marker = "", *next;
	int rc;

	for (unsigned n = 0; n < REST_PAGES_MAX; n++) {
		next = "";
		rc = page(call, arg, marker, &next);
		if (rc != 0 || next[0] == '\0')
			return rc;
		if (strcmp(next, marker) == 0)
			return cosi_fail(call, COSI_UNAVAILABLE,
					 "the store lists the same page again and again");
		marker = next;
	}
	return cosi_fail(call, COSI_UNAVAILABLE, "the store's list has more than %d pages",
			 REST_PAGES_MAX);
}
