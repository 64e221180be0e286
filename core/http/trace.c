/* SPDX-License-Identifier: Apache-2.0
 * trace.c - one debug line per try: what a store's operator needs to find it in the store's log. */
#include "http/trace.h"

#include <stdio.h>

#include "base/log.h"

#include "banned.h"

enum { QUERY_MAX = 128 };

/* As the stores call what stands in their own logs: S3, Azure, GCS, others. */
static const char *const id_headers[] = { "x-amz-request-id", "x-ms-request-id",
					  "x-guploader-uploadid", "x-request-id" };

static const char *
store_request_id(const struct reply *reply)
{
	const char *value;

	for (size_t i = 0; i < sizeof id_headers / sizeof id_headers[0]; i++) {
		value = reply_header(reply, id_headers[i]);
		if (value != NULL)
			return value;
	}
	return "-";
}

/* "a=1&tagging" -> "?a&tagging": names tell what was asked, values may be secrets. */
static const char *
query_names(const char *query, char out[static QUERY_MAX])
{
	size_t len = 0;
	bool value = false;

	out[0] = '\0';
	if (query == NULL)
		return out;
	out[len++] = '?';
	for (; *query != '\0' && len < QUERY_MAX - 1; query++) {
		value = *query == '=' || (value && *query != '&');
		if (!value)
			out[len++] = *query;
	}
	out[len] = '\0';
	return out;
}

void
trace_attempt(const struct handle *handle, const struct attempt *attempt)
{
	const struct request *request = attempt->request;
	const struct log_fields unnamed = { .backend = handle->options->backend, .ms = -1 };
	const struct log_fields *fields = attempt->call->fields;
	char names[QUERY_MAX];

	if (!log_wants(COSI_DEBUG))
		return;
	if (fields == NULL)
		fields = &unnamed;
	if (attempt->status == 0)
		log_line(COSI_DEBUG, fields, "http %s%s at %s: %s (%lld ms, sent %u)",
			 request->shown, query_names(request->query, names), request->url.origin,
			 attempt->text, (long long)attempt->ms, attempt->sent);
	else
		log_line(COSI_DEBUG, fields,
			 "http %s%s at %s: %d, %lld ms, %zu bytes, request id %.128s",
			 request->shown, query_names(request->query, names), request->url.origin,
			 attempt->status, (long long)attempt->ms, handle->reply.body.len,
			 store_request_id(&handle->reply));
}
