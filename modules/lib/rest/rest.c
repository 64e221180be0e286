/* SPDX-License-Identifier: Apache-2.0
 * rest.c - puts a request together, has it signed and sends exactly what was signed; what a refusal
 * means; lists of many pages, shortened names, JSON as text. */
#include "rest/rest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/text.h"

#include "banned.h"

#define ACCOUNT_PREFIX "cosi-"

enum {
	SKEW_MAX_S = 14 * 60, /* stores that sign with a date take 15 minutes */
	NAME_MOST = 63,
	HASH_DIGITS = 12,
};

/* ---- requests ---- */

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

const struct cosi_http_reply *
rest_send(struct cosi_call *call, const struct rest_api *api, const void *who,
	  const struct rest_request *request)
{
	const struct cosi_url *url = call->host->url(call, request->base, NULL);
	struct rest_message message = { .request = request, .host = url->host };
	struct cosi_kv encoded[REST_PAIRS_MAX];

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
	for (size_t i = 0; i < message.params.n; i++)
		encoded[i] = (struct cosi_kv){ uri_encode(call, message.params.kv[i].key),
					       uri_encode(call, message.params.kv[i].value) };
	message.query = text_join(call, encoded, message.params.n, "=", "&", "");
	if (cosi_failed(call) || api->sign(call, who, &message) < 0 || cosi_failed(call))
		return NULL;
	return cosi_http(call, .method = request->method, .path = request->path,
			 .query = message.query, .base = request->base, .flags = request->flags,
			 .timeout_ms = request->timeout_ms, .nheaders = message.headers.n,
			 .headers = message.headers.kv, .body = request->body,
			 .max_reply = request->max_reply,
			 .id_header = request->unmarked ? NULL : api->id_header);
}

/* ---- replies ---- */

const char *
rest_header(const struct cosi_http_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

const char *
rest_write_date(struct cosi_call *call, enum rest_form form, int64_t seconds)
{
	time_t when = (time_t)seconds;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm) == NULL)
		return "";
	if (form == REST_HTTP)
		(void)strftime(text, sizeof text, REST_DATE, &tm);
	else if (form == REST_RFC3339)
		(void)strftime(text, sizeof text, REST_ISO "Z", &tm);
	else
		(void)strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &tm);
	return cosi_printf(call, "%s", text);
}

int64_t
rest_read_date(const char *text, const char *format)
{
	struct tm tm = { 0 };
	time_t seconds;

	if (text == NULL || strptime(text, format, &tm) == NULL)
		return 0;
	seconds = timegm(&tm);
	return seconds > 0 ? (int64_t)seconds : 0;
}

bool
rest_take_code(char out[REST_CODE_MAX], const char *code)
{
	size_t len = strlen(code);

	if (len == 0 || len >= REST_CODE_MAX ||
	    strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != len)
		return false;
	memcpy(out, code, len + 1);
	return true;
}

const char *
rest_error_code(struct cosi_call *call, const struct rest_api *api,
		const struct cosi_http_reply *reply)
{
	char code[REST_CODE_MAX];

	return api->error_code(reply, code) ? cosi_printf(call, "%s", code) : "";
}

bool
rest_error_is(const struct rest_api *api, const struct cosi_http_reply *reply, int status,
	      const char *code)
{
	char has[REST_CODE_MAX];

	return reply->status == status && api->error_code(reply, has) && strcmp(has, code) == 0;
}

/* What a refusal means by its status alone.  INTERNAL: a request that only this daemon can have
 * made wrong. */
static uint32_t
rest_status_means(int status)
{
	switch (status) {
	case 401:
		return COSI_UNAUTHENTICATED;
	case 403:
		return COSI_DENIED;
	case 404: /* of whom?  Proxies say it of what they cannot reach, some without a body */
	case 408:
	case 429:
	case 499: /* MinIO: another request took the bucket first */
		return COSI_UNAVAILABLE;
	case 409:
	case 412:
		return COSI_BUSY;
	case 507:
		return COSI_EXHAUSTED;
	default:
		return status / 100 == 4 ? COSI_INTERNAL : COSI_UNAVAILABLE;
	}
}

/* Some stores refuse an old date with the same code as a bad key: then the dates tell.  A store
 * that has a code of its own for it is believed, since the request may have been late on its way.
 */
static bool
rest_is_skewed(struct cosi_call *call, const struct rest_api *api,
	       const struct cosi_http_reply *reply)
{
	int64_t theirs = rest_read_date(rest_header(reply, "date"), REST_DATE);
	char code[REST_CODE_MAX];

	if ((reply->status != 401 && reply->status != 403) || theirs == 0)
		return false;
	if (api->skew_code != NULL && api->error_code(reply, code) &&
	    strcmp(code, api->skew_code) == 0)
		return true;
	return llabs(theirs - call->host->now(call)) > SKEW_MAX_S;
}

int
rest_fail(struct cosi_call *call, const struct rest_api *api, const struct cosi_http_reply *reply)
{
	const struct cosi_url *url = call->host->url(call, NULL, NULL);
	uint32_t means = rest_status_means(reply->status);
	const char *hint = NULL;
	char code[REST_CODE_MAX];

	if (rest_is_skewed(call, api, reply))
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the clocks differ: here it is %s, at the store %s",
				 rest_write_date(call, REST_HTTP, call->host->now(call)),
				 rest_header(reply, "date"));
	if (reply->status / 100 == 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the %d reply of %s://%s cannot be understood: does it serve %s?",
				 reply->status, url->scheme, url->host, api->name);
	if (!api->error_code(reply, code)) {
		if (reply->body.len > 0)
			return cosi_fail(call, COSI_UNAVAILABLE,
					 "%s://%s answered %d without a valid %s error",
					 url->scheme, url->host, reply->status, api->name);
		/* Without a code, a server on the way may not have understood it. */
		return cosi_fail(call, means == COSI_INTERNAL ? COSI_UNAVAILABLE : means,
				 "%s://%s answered %d without a reason", url->scheme, url->host,
				 reply->status);
	}
	for (size_t i = 0; i < api->nerrors; i++)
		if (strcmp(code, api->errors[i].code) == 0) {
			means = api->errors[i].means;
			hint = api->errors[i].hint;
		}
	return cosi_fail(call, means, "the store answered %d %s%s%s", reply->status, code,
			 hint != NULL ? ": " : "", hint != NULL ? hint : "");
}

/* ---- lists ---- */

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

/* ---- names ---- */

bool
rest_is_account(const char *native)
{
	size_t len = strlen(ACCOUNT_PREFIX);

	return strncmp(native, ACCOUNT_PREFIX, len) == 0 && native[len] != '\0' &&
	       native[strspn(native, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

bool
rest_is_revoked(const struct cosi_access_req *req, const char *bucket)
{
	for (size_t i = 0; i < req->nbuckets; i++)
		if (strcmp(req->buckets[i]->native, bucket) == 0)
			return true;
	return req->nbuckets == 0;
}

const char *
rest_name_shorten(struct cosi_call *call, const struct rest_names *names, const char *asked)
{
	char head[NAME_MOST], hex[HASH_HEX_MAX];
	size_t most = names->max - 1 - HASH_DIGITS, n = 0;
	struct hash hash;

	if (hash_sha256(call, asked, strlen(asked), &hash) < 0)
		return NULL;
	hash_hex(&hash, hex);
	for (const char *p = asked; *p != '\0' && n < most; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			head[n++] = c;
		else if (n > 0 && (!names->single_dashes || head[n - 1] != '-'))
			head[n++] = '-';
	}
	if (names->single_dashes && n > 0 && head[n - 1] == '-')
		n--;
	return n > 0 ? cosi_printf(call, "%.*s-%.*s", (int)n, head, HASH_DIGITS, hex)
		     : cosi_printf(call, "bucket-%.*s", HASH_DIGITS, hex);
}

const char *
rest_name_map(struct cosi_call *call, const struct rest_names *names, const char *asked,
	      const char *broken_rule, bool exact)
{
	if (broken_rule == NULL)
		return asked;
	if (!exact)
		return rest_name_shorten(call, names, asked);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a %s: %s", asked, names->what,
		  broken_rule);
	return NULL;
}

/* ---- JSON ---- */

const char *
rest_json(struct cosi_call *call, json_t *document)
{
	json_auto_t *owned = document;
	size_t len = owned != NULL ? json_dumpb(owned, NULL, 0, JSON_COMPACT) : 0;
	char *text = len > 0 ? cosi_alloc(call, len + 1) : NULL;

	if (text != NULL && json_dumpb(owned, text, len, JSON_COMPACT) == len)
		return text;
	cosi_fail(call, COSI_EXHAUSTED, "no memory for a document");
	return NULL;
}

const char *
rest_json_text(struct cosi_call *call, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? cosi_printf(call, "%s", text) : "";
}
