/* SPDX-License-Identifier: Apache-2.0
 * rest.h - what a module needs to speak to a store over HTTP, whatever the store's protocol.
 *
 * A protocol is a struct rest_api: how a request is signed, where an error code stands in a
 * reply, and what each code means.  Most modules wrap the functions below once, with their own api:
 *
 *   reply = rest_call(call, &api, instance, .method = "PUT", .path = "/photos",
 *                     REST_QUERY({ "restype", "container" }), .flags = COSI_HTTP_SAFE);
 *   if (reply == NULL)
 *           return -1;
 *   if (rest_error_is(&api, reply, 409, "ContainerAlreadyExists"))
 *           return join(call, instance);
 *   return reply->status == 201 ? 0 : rest_fail(call, &api, reply);
 *
 * Whatever is returned by pointer comes from the call's memory.  An int is 0, or -1 with the call
 * failed, where nothing else is said.
 */
#ifndef LIB_REST_REST_H
#define LIB_REST_REST_H
#include <jansson.h>
#include <stdbool.h>

#include "cosi_module.h"

/* ---- requests ---- */

/* Queries and headers while they are put together. */
enum { REST_PAIRS_MAX = 24 };
struct rest_pairs {
	size_t n;
	struct cosi_kv kv[REST_PAIRS_MAX];
};
/* One pair more than fits fails the call, INTERNAL. */
void rest_add(struct cosi_call *call, struct rest_pairs *pairs, const char *key, const char *value);
/* By name alone, which is what signatures ask for: "a-b" comes after "a". */
void rest_sort(struct rest_pairs *pairs);
/* The value of that name; NULL: there is none. */
const char *rest_find(const struct rest_pairs *pairs, const char *key);

struct rest_request {
	const char *method;
	const char *path;              /* begins with '/'; encoded: see uri_encode() */
	const char *base;              /* value of a COSI_URL key; NULL: the backend's endpoint */
	size_t nquery, nheaders;       /* at most REST_PAIRS_MAX, with what the signer adds */
	const struct cosi_kv *query;   /* not encoded, in any order; a NULL value: "" */
	const struct cosi_kv *headers; /* names in lower case, in any order */
	struct cosi_bytes body;
	uint32_t flags;     /* enum cosi_http_flag */
	int64_t timeout_ms; /* 0: the backend's */
	size_t max_reply;   /* 0: the daemon's */
	/* The store has a reply to it without api->id_header, and the caller checks. */
	bool unmarked;
};

#define REST_COUNT_(...) (sizeof(struct cosi_kv[]){ __VA_ARGS__ } / sizeof(struct cosi_kv))
#define REST_QUERY(...)                                                                            \
	.nquery = REST_COUNT_(__VA_ARGS__), .query = (const struct cosi_kv[])                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define REST_HEADERS(...)                                                                          \
	.nheaders = REST_COUNT_(__VA_ARGS__), .headers = (const struct cosi_kv[])                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define REST_TEXT(text)                                                                            \
	(struct cosi_bytes)                                                                        \
	{                                                                                          \
		(text), strlen(text)                                                               \
	}

/* A request as its signer sees it. */
struct rest_message {
	const struct rest_request *request;
	const char *host;          /* as the header Host says it */
	const char *path;          /* whole: the endpoint's own path in front */
	const char *query;         /* encoded, sorted by name, each name followed by '=' */
	struct rest_pairs params;  /* the query, not encoded, sorted */
	struct rest_pairs headers; /* sorted; what the signer adds is sent, too */
};

/* ---- a protocol ---- */

enum { REST_CODE_MAX = 65 };

/* An error code of the store's. */
struct rest_error {
	const char *code;
	uint32_t means;   /* enum cosi_code */
	const char *hint; /* what to look at; NULL: the code says it all */
};

struct rest_api {
	const char *name; /* "S3", for "this is no answer of S3" */
	/* Adds to message->headers the proof of who asks. */
	int (*sign)(struct cosi_call *call, const void *who, struct rest_message *message);
	/* Finds the error code and copies it by rest_take_code(); false: the reply has none. */
	bool (*error_code)(const struct cosi_http_reply *reply, char out[REST_CODE_MAX]);
	size_t nerrors;
	const struct rest_error *errors;
	/* The error code for a request whose date is too far off, whatever the reply's own date is;
	 * NULL: the protocol has none. */
	const char *skew_code;
	/* A header that every reply of the store has, and no page of a server on the way; NULL: the
	 * protocol has none. */
	const char *id_header;
};

/* Signs and sends.  NULL: the call has failed; every status is an answer, as with cosi_http(), but
 * a reply without api->id_header is UNAVAILABLE, unless request->unmarked. who: for api->sign(). */
const struct cosi_http_reply *rest_send(struct cosi_call *call, const struct rest_api *api,
					const void *who, const struct rest_request *request);
#define rest_call(call, api, who, ...)                                                             \
	rest_send((call), (api), (who), &(struct rest_request){ __VA_ARGS__ })

/* ---- replies ---- */

/* The value of a header; NULL: the reply has none.  name: in lower case. */
const char *rest_header(const struct cosi_http_reply *reply, const char *name);

/* Copies an error code of 1 to 64 characters of [A-Za-z0-9]; false: it is none. */
bool rest_take_code(char out[REST_CODE_MAX], const char *code);
/* The error code of a reply, "" without one. */
const char *rest_error_code(struct cosi_call *call, const struct rest_api *api,
			    const struct cosi_http_reply *reply);
/* Is it that error of the store's, and not just the status of some server on the way? */
bool rest_error_is(const struct rest_api *api, const struct cosi_http_reply *reply, int status,
		   const char *code);
/* Fails the call with what the reply means: by the api's table, else by its status; a success
 * counts as a reply that cannot be understood.  Always negative.  Context is added by
 * cosi_fail(call, 0, "cannot ...").  By status alone it is never COSI_NOT_FOUND: who expects an
 * absence asks rest_error_is() first, and any server on the way may say 404. */
int rest_fail(struct cosi_call *call, const struct rest_api *api,
	      const struct cosi_http_reply *reply);

/* Dates in UTC and seconds since the epoch, for strptime(): "Fri, 20 Nov 2026 12:00:00 GMT" of
 * headers, "2026-11-20T12:00:00" of documents. */
#define REST_DATE "%a, %d %b %Y %H:%M:%S GMT"
#define REST_ISO  "%Y-%m-%dT%H:%M:%S"
enum rest_form {
	REST_HTTP = 1, /* REST_DATE */
	REST_RFC3339,  /* 2026-11-20T12:00:00Z */
	REST_BASIC,    /* 20261120T120000Z */
};
/* "": the time has no date. */
const char *rest_write_date(struct cosi_call *call, enum rest_form form, int64_t seconds);
/* 0: the text is NULL or no date. */
int64_t rest_read_date(const char *text, const char *format);

/* ---- lists ---- */

/* Handles the page that begins at marker, "" for the first one, and sets *out_next to where the
 * next one begins, or leaves it "".  Positive: no more is wanted. */
typedef int rest_page_fn(struct cosi_call *call, void *arg, const char *marker,
			 const char **out_next);
/* Page after page to the end, or to what page() returned.  A store that names the same marker
 * twice in a row, or has more than REST_PAGES_MAX pages, fails the call, UNAVAILABLE. */
enum { REST_PAGES_MAX = 10000 };
int rest_pages(struct cosi_call *call, rest_page_fn *page, void *arg);

/* ---- names ---- */

/* Can it be the native name of an account: "cosi-" and [a-z0-9-], as the daemon makes them?  A
 * module touches no other account. */
bool rest_is_account(const char *native);
/* Does a revoke take that bucket from the account?  One that names none takes all. */
bool rest_is_revoked(const struct cosi_access_req *req, const char *bucket);

/* What a store's names look like. */
struct rest_names {
	const char *what;   /* "bucket": for errors */
	size_t max;         /* bytes, at most 63 */
	bool single_dashes; /* "--" is not allowed */
};
/* The first characters in lower case, '-' for what is not [a-z0-9], then '-' and 12 digits of a
 * hash of the whole: for every name another one, the same for ever.  NULL: the call has failed. */
const char *rest_name_shorten(struct cosi_call *call, const struct rest_names *names,
			      const char *asked);
/* The end of a map_name(): the name itself when it breaks no rule (NULL), else the shortened one,
 * or NULL with the call failed, INVALID, when it must be the very word. */
const char *rest_name_map(struct cosi_call *call, const struct rest_names *names, const char *asked,
			  const char *broken_rule, bool exact);

/* ---- JSON ---- */

/* The document as compact text, its members in the order in which they were put in; frees the
 * document, as in rest_json(call, json_pack(...)).  NULL: the call has failed, also for want of
 * memory when the document is NULL. */
const char *rest_json(struct cosi_call *call, json_t *document);
/* The text of a member; "" when there is none or it is no text. */
const char *rest_json_text(struct cosi_call *call, const json_t *object, const char *key);

#endif
