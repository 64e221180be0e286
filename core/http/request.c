/* SPDX-License-Identifier: Apache-2.0
 * request.c - checks what a module wants to send: nothing in it may change the meaning of the rest.
 *
 * A line break in a header value would be a second header; a space in the path, another request.
 */
#include "http/request.h"

#include <string.h>

#include "base/parse.h"

#include "banned.h"

enum { METHOD_MAX = 16, LABEL_MAX = 255, PORT_MAX = 65535 };

/* ---- URLs ---- */

static bool
is_host_name(const char *name, size_t len)
{
	return len > 0 && len <= LABEL_MAX && name[0] != '.' &&
	       strspn(name, CHARS_ALNUM "-._") >= len;
}

/* Every byte may stand in a request line as it is: visible ASCII, no '#'. */
static bool
is_target(const char *text)
{
	for (const char *p = text; *p != '\0'; p++)
		if (*p <= ' ' || *p > '~' || *p == '#')
			return false;
	return true;
}

int
url_parse(struct arena *arena, const char *base, struct url *out)
{
	bool tls = strncmp(base, "https://", 8) == 0;
	const char *authority = base + (tls ? 8 : 7), *end, *port, *shown_port = "";
	size_t host_len, path_len;
	int64_t number;

	*out = (struct url){ { "", "", "" }, "" };
	if (!tls && strncmp(base, "http://", 7) != 0)
		return -1;
	end = authority + strcspn(authority, "/?#");
	if (!is_target(end) || strchr(end, '?') != NULL)
		return -1;
	if (authority[0] == '[') {
		host_len = 2 + strspn(authority + 1, "0123456789abcdefABCDEF:.");
		if (host_len == 2 || authority[host_len - 1] != ']')
			return -1;
	} else {
		host_len = strcspn(authority, ":/?#");
		if (!is_host_name(authority, host_len))
			return -1;
	}
	port = authority + host_len;
	if (port != end) {
		if (*port != ':' ||
		    parse_int(arena_strndup(arena, port + 1, (size_t)(end - port - 1)), &number) <
			    0 ||
		    number < 1 || number > PORT_MAX)
			return -1;
		/* The scheme's own port is not sent. */
		if (number != (tls ? 443 : 80))
			shown_port = arena_printf(arena, ":%d", (int)number);
	}
	path_len = strlen(end);
	while (path_len > 0 && end[path_len - 1] == '/')
		path_len--;
	out->wire.scheme = tls ? "https" : "http";
	out->wire.host = arena_printf(arena, "%.*s%s", (int)host_len, authority, shown_port);
	out->wire.path = arena_strndup(arena, end, path_len);
	out->origin = arena_printf(arena, "%s://%s", out->wire.scheme, out->wire.host);
	return 0;
}

int
url_add_label(struct arena *arena, const char *host_label, struct url *url)
{
	if (host_label == NULL)
		return 0;
	if (url->wire.host[0] == '[' || !is_host_name(host_label, strlen(host_label)))
		return -1;
	url->wire.host = arena_printf(arena, "%s.%s", host_label, url->wire.host);
	url->origin = arena_printf(arena, "%s://%s", url->wire.scheme, url->wire.host);
	return 0;
}

/* ---- headers ---- */

/* The client's own, because the connection depends on them. */
static const char *const reserved[] = { "host",       "content-length", "transfer-encoding",
					"connection", "expect",         "te",
					"upgrade",    "trailer" };

size_t
request_token_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (chars_is_alnum((unsigned char)text[n]) ||
			   (text[n] != '\0' && strchr("!#$%&'*+-.^_`|~", text[n]) != NULL)))
		n++;
	return n;
}

static bool
is_token(const char *word)
{
	size_t len = strlen(word);

	return len > 0 && request_token_len(word, len) == len;
}

static bool
is_header_name(const char *name)
{
	if (!is_token(name))
		return false;
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (strcasecmp(name, reserved[i]) == 0)
			return false;
	return true;
}

static bool
is_header_value(const char *value)
{
	for (const char *p = value; *p != '\0'; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return false;
	return true;
}

static void
add_line(struct arena *arena, struct curl_slist ***tail, char *line)
{
	struct curl_slist *node = arena_alloc(arena, sizeof *node);

	if (node == NULL)
		return;
	node->data = line;
	**tail = node;
	*tail = &node->next;
}

static int
prepare_headers(struct http_call *call, const struct cosi_http *asked, struct request *out)
{
	/* libcurl's own additions are switched off by lines without a value. */
	static char no_expect[] = "Expect:", no_type[] = "Content-Type:";
	struct curl_slist **tail = &out->headers;
	size_t bytes = strlen(out->target);
	bool has_type = false;

	if (asked->nheaders > HTTP_REQUEST_HEADERS_MAX)
		return status_fail(call->status, COSI_INTERNAL, "'%s' has more than %d headers",
				   out->shown, HTTP_REQUEST_HEADERS_MAX);
	for (size_t i = 0; i < asked->nheaders; i++) {
		const char *name = asked->headers[i].key, *value = asked->headers[i].value;
		bool empty;

		if (!is_header_name(name))
			return status_fail(call->status, COSI_INTERNAL,
					   "'%s' cannot have a header named '%.64s'", out->shown,
					   name);
		if (!is_header_value(value))
			return status_fail(call->status, COSI_INTERNAL,
					   "'%s' has control bytes in its header '%s'", out->shown,
					   name);
		bytes += strlen(name) + strlen(value);
		has_type = has_type || strcasecmp(name, "content-type") == 0;
		/* libcurl reads "Name:" as "without that header", and "Name;" as the header with an
		 * empty value. */
		empty = value[strspn(value, " \t")] == '\0';
		add_line(call->arena, &tail,
			 arena_printf(call->arena, "%s%s%s", name, empty ? ";" : ": ",
				      empty ? "" : value));
	}
	if (bytes > HTTP_REQUEST_HEAD_MAX)
		return status_fail(call->status, COSI_INTERNAL, "'%s' has a head above %d bytes",
				   out->shown, HTTP_REQUEST_HEAD_MAX);
	add_line(call->arena, &tail, arena_printf(call->arena, "Host: %s", out->url.wire.host));
	add_line(call->arena, &tail, no_expect);
	if (!has_type)
		add_line(call->arena, &tail, no_type);
	if (arena_failed(call->arena))
		return status_fail(call->status, COSI_EXHAUSTED, "out of memory for a %s request",
				   asked->method);
	return 0;
}

/* ---- the whole ---- */

int
request_prepare(struct http_call *call, const struct url *base, const struct cosi_http *asked,
		int64_t default_timeout_ms, struct request *out)
{
	const char *query = asked->query != NULL && asked->query[0] != '\0' ? asked->query : NULL;

	*out = (struct request){
		.method = asked->method,
		.body = asked->body,
		.max_reply = asked->max_reply > 0 ? asked->max_reply : HTTP_REPLY_BODY_DEFAULT,
		.id_header = asked->id_header,
		.timeout_ms = asked->timeout_ms > 0 ? asked->timeout_ms : default_timeout_ms,
		.url = *base,
	};
	if (asked->method == NULL || strlen(asked->method) > METHOD_MAX || !is_token(asked->method))
		return status_fail(call->status, COSI_INTERNAL, "a request has no usable method");
	if (url_add_label(call->arena, asked->host_label, &out->url) < 0)
		return status_fail(call->status, COSI_INTERNAL,
				   "'%s' cannot stand before the host of %s", asked->host_label,
				   base->origin);
	if (asked->path == NULL || asked->path[0] != '/' || !is_target(asked->path) ||
	    (asked->query != NULL && !is_target(asked->query)))
		return status_fail(call->status, COSI_INTERNAL,
				   "the path of a %s request is not encoded", asked->method);
	out->target = arena_printf(call->arena, "%s%s%s%s", out->url.wire.path, asked->path,
				   query != NULL ? "?" : "", query != NULL ? query : "");
	out->shown = out->method;
	if ((asked->flags & COSI_HTTP_SECRET) == 0) {
		out->shown = arena_printf(call->arena, "%s %s%.512s", out->method,
					  out->url.wire.path, asked->path);
		out->query = query;
	}
	out->changing = strcmp(out->method, "GET") != 0 && strcmp(out->method, "HEAD") != 0;
	out->repeatable = !out->changing || strcmp(out->method, "DELETE") == 0 ||
			  (asked->flags & COSI_HTTP_SAFE) != 0;
	if ((asked->flags & COSI_HTTP_FINAL) != 0)
		out->repeatable = false;
	out->resendable = out->repeatable && !out->changing;
	return prepare_headers(call, asked, out);
}
