/* SPDX-License-Identifier: Apache-2.0
 * request.h - a module's request, checked, in the form in which it is sent; base URLs in pieces. */
#ifndef COSID_HTTP_REQUEST_H
#define COSID_HTTP_REQUEST_H
#include <curl/curl.h>

#include "http/http.h"

struct url {
	struct cosi_url wire; /* see http_url() */
	const char *origin;   /* "scheme://host[:port]": what texts name and libcurl connects to */
};

/* Strings from the arena.  0, or -1 when base is no http(s)://host[:port][/prefix]; out then holds
 * empty strings. */
int url_parse(struct arena *arena, const char *base, struct url *out);
/* Puts host_label (NULL: none) before the host.  0, or -1 when it cannot stand there. */
int url_add_label(struct arena *arena, const char *host_label, struct url *url);

/* Bytes of text[0..len) up to the first one that cannot stand in a token (RFC 9110 5.6.2). */
size_t request_token_len(const char *text, size_t len);

/* Lives in the call's arena; what the module gave is borrowed. */
struct request {
	const char *method;
	const char *target; /* what stands in the request line */
	const char *shown;  /* "PUT /photos", for error texts: no query, no secret path */
	const char *query;  /* for traces, which leave its values out; NULL: none, or secret */
	struct url url;
	struct curl_slist *headers; /* arena: never given to curl_slist_free_all() */
	struct cosi_bytes body;
	size_t max_reply;
	const char *id_header; /* which each reply of the store has; NULL: it is not known */
	int64_t timeout_ms;
	bool changing;   /* anything but GET and HEAD */
	bool repeatable; /* may be sent again after 429, 500 and 503 */
	bool resendable; /* also when its outcome is unknown: it changes nothing */
};

/* 0, or -1 with call->status INTERNAL: HTTP cannot carry the request. */
int request_prepare(struct http_call *call, const struct url *base, const struct cosi_http *asked,
		    int64_t default_timeout_ms, struct request *out);

#endif
