/* SPDX-License-Identifier: Apache-2.0
 * request.c - checks what a module wants to send: nothing in it may change the meaning of the rest.
 *
 * A line break in a header value would be a second header; a space in the path, another request.
 */
#include "http/request.h"

#include <string.h>

#include "banned.h"

enum { METHOD_MAX = 16 };

/* Ours, because the connection depends on them. */
static const char *const reserved[] = { "host",       "content-length", "transfer-encoding",
					"connection", "expect",         "te",
					"upgrade",    "trailer" };

static bool
token_ok(const char *word)
{
	static const char token_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789!#$%&'*+-.^_`|~";

	return word[0] != '\0' && word[strspn(word, token_chars)] == '\0';
}

static bool
value_ok(const char *value)
{
	for (const char *p = value; *p != '\0'; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return false;
	return true;
}

static bool
name_ok(const char *name)
{
	if (!token_ok(name))
		return false;
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (strcasecmp(name, reserved[i]) == 0)
			return false;
	return true;
}

static int
add(struct arena *arena, struct curl_slist ***tail, char *line)
{
	struct curl_slist *node = arena_alloc(arena, sizeof *node);

	if (node == NULL || line == NULL)
		return -1;
	node->data = line;
	**tail = node;
	*tail = &node->next;
	return 0;
}

static char *
join(struct arena *arena, const char *name, const char *separator, const char *value)
{
	size_t name_len = strlen(name), separator_len = strlen(separator);
	size_t value_len = strlen(value);
	char *line = arena_alloc(arena, name_len + separator_len + value_len + 1);

	if (line == NULL)
		return NULL;
	memcpy(line, name, name_len);
	memcpy(line + name_len, separator, separator_len);
	memcpy(line + name_len + separator_len, value, value_len);
	return line;
}

/* libcurl reads "Name:" as "without that header", and "Name;" as the header with an empty value. */
static char *
header_line(struct arena *arena, const struct cosi_kv *header)
{
	if (header->value[strspn(header->value, " \t")] == '\0')
		return join(arena, header->key, ";", "");
	return join(arena, header->key, ": ", header->value);
}

/* libcurl's own additions are switched off by lines without a value. */
static int
add_fixed(struct arena *arena, struct curl_slist ***tail, const struct request *request,
	  bool has_type)
{
	static char no_expect[] = "Expect:", no_type[] = "Content-Type:";

	if (add(arena, tail, join(arena, "Host", ": ", request->url.wire.host)) != 0 ||
	    add(arena, tail, no_expect) != 0)
		return -1;
	return has_type ? 0 : add(arena, tail, no_type);
}

static int
prepare_headers(struct http_call *call, const struct cosi_http *asked, struct request *out)
{
	struct curl_slist **tail = &out->headers;
	size_t bytes = strlen(out->target);
	const struct cosi_kv *header;
	bool has_type = false;

	if (asked->nheaders > HTTP_REQUEST_HEADERS_MAX)
		return status_fail(call->status, COSI_INTERNAL, "'%s' has more than %d headers",
				   out->shown, HTTP_REQUEST_HEADERS_MAX);
	for (size_t i = 0; i < asked->nheaders; i++) {
		header = &asked->headers[i];
		if (!name_ok(header->key))
			return status_fail(call->status, COSI_INTERNAL,
					   "'%s' cannot have a header named '%.64s'", out->shown,
					   header->key);
		if (!value_ok(header->value))
			return status_fail(call->status, COSI_INTERNAL,
					   "'%s' has control bytes in its header '%s'", out->shown,
					   header->key);
		bytes += strlen(header->key) + strlen(header->value);
		has_type = has_type || strcasecmp(header->key, "content-type") == 0;
		if (add(call->arena, &tail, header_line(call->arena, header)) != 0)
			break;
	}
	if (bytes > HTTP_REQUEST_HEAD_MAX)
		return status_fail(call->status, COSI_INTERNAL, "'%s' has a head above %d bytes",
				   out->shown, HTTP_REQUEST_HEAD_MAX);
	if (add_fixed(call->arena, &tail, out, has_type) != 0)
		return status_fail(call->status, COSI_EXHAUSTED, "no memory for a %s request",
				   asked->method);
	return 0;
}

static void
prepare_texts(struct arena *arena, const struct cosi_http *asked, struct request *out)
{
	const char *query = asked->query != NULL && asked->query[0] != '\0' ? asked->query : NULL;

	out->target = arena_printf(arena, "%s%s%s%s", out->url.wire.path, asked->path,
				   query != NULL ? "?" : "", query != NULL ? query : "");
	if ((asked->flags & COSI_HTTP_SECRET) != 0) {
		out->shown = out->method;
		return;
	}
	out->shown =
		arena_printf(arena, "%s %s%.512s", out->method, out->url.wire.path, asked->path);
	out->query = query;
}

static bool
is_one_of(const char *method, const char *a, const char *b, const char *c)
{
	return strcmp(method, a) == 0 || strcmp(method, b) == 0 || strcmp(method, c) == 0;
}

static bool
may_repeat(const char *method, uint32_t flags)
{
	if ((flags & COSI_HTTP_FINAL) != 0)
		return false;
	return (flags & COSI_HTTP_SAFE) != 0 || is_one_of(method, "GET", "HEAD", "DELETE");
}

int
request_prepare(struct http_call *call, const char *base, const struct cosi_http *asked,
		int64_t default_timeout_ms, struct request *out)
{
	*out = (struct request){
		.method = asked->method,
		.body = asked->body,
		.max_reply = asked->max_reply > 0 ? asked->max_reply : HTTP_REPLY_BODY_DEFAULT,
		.timeout_ms = asked->timeout_ms > 0 ? asked->timeout_ms : default_timeout_ms,
	};
	if (asked->method == NULL || strlen(asked->method) > METHOD_MAX || !token_ok(asked->method))
		return status_fail(call->status, COSI_INTERNAL, "a request has no usable method");
	/* Out of memory: prepare_headers() says so. */
	if (url_split(call->arena, base, asked->host_label, &out->url) != 0 &&
	    !arena_failed(call->arena))
		return status_fail(call->status, COSI_INTERNAL,
				   "the base URL, or '%s' before its host, cannot be used",
				   asked->host_label != NULL ? asked->host_label : "");
	if (asked->path == NULL || asked->path[0] != '/' || !url_target_ok(asked->path) ||
	    (asked->query != NULL && !url_target_ok(asked->query)))
		return status_fail(call->status, COSI_INTERNAL,
				   "the path of a %s request is not encoded", asked->method);
	prepare_texts(call->arena, asked, out);
	out->repeatable = may_repeat(asked->method, asked->flags);
	out->changing = !is_one_of(asked->method, "GET", "HEAD", "HEAD");
	return prepare_headers(call, asked, out);
}
