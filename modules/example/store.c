/* SPDX-License-Identifier: Apache-2.0
 * store.c - the requests to the imaginary store, and what its refusals mean. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
store_init(struct store *store, struct cosi_call *call, const char *admin_key)
{
	size_t size = strlen("Bearer ") + strlen(admin_key) + 1;

	store->authorization = malloc(size);
	if (store->authorization == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "out of memory");
	(void)snprintf(store->authorization, size, "Bearer %s", admin_key);
	return 0;
}

void
store_done(struct store *store)
{
	explicit_bzero(store->authorization, strlen(store->authorization));
	free(store->authorization);
}

const char *
store_name_rule(const char *name)
{
	size_t len = strlen(name);

	if (len < STORE_NAME_MIN || len > STORE_NAME_MAX)
		return "a name has 3 to 63 characters";
	if (strspn(name, STORE_NAME_CHARS) != len)
		return "a name has only a-z, 0-9 and '-'";
	return name[0] == '-' || name[len - 1] == '-' ? "a name does not begin or end with '-'"
						      : NULL;
}

/* What the store's refusals mean.  Sidecars take some codes as final and some as "gone": whatever
 * passes by itself is BUSY, UNAVAILABLE or TIMEOUT. */
static const struct {
	const char *code;
	uint32_t means; /* enum cosi_code */
	const char *hint;
} refusals[] = {
	{ "BucketNotEmpty", COSI_PRECONDITION, ": whenNotEmpty = purge deletes objects, too" },
	{ "Forbidden", COSI_DENIED, ": 'admin_key' is no administrator's" },
	{ "NoSuchBucket", COSI_BUSY, ": a bucket was deleted by another request" },
	{ "QuotaExceeded", COSI_EXHAUSTED, "" },
	{ "Unauthorized", COSI_UNAUTHENTICATED, ": is 'admin_key' right?" },
};

static int
store_refused(struct cosi_call *call, int status, const char *code)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
		if (strcmp(code, refusals[i].code) == 0)
			return cosi_fail(call, refusals[i].means, "the store answered %d %s%s",
					 status, code, refusals[i].hint);
	return cosi_fail(call, COSI_UNAVAILABLE, "the store answered %d %.64s", status,
			 code[0] != '\0' ? code : "in a way that cannot be understood");
}

/* 0: it is done, and *out (unless out is NULL) is the answer.  1: the store refused it with the
 * code `expected`.  -1: the call has failed.  "Gone" and "exists" are what the store says by its
 * own codes; a bare 404 may be a proxy's.
 *
 * The daemon connects, retries and keeps the deadline.  A PUT may be sent twice (COSI_HTTP_SAFE):
 * the second one is refused with "exists", and the caller looks at what exists. */
static int
store_send(const struct store *store, struct cosi_call *call, const char *method, const char *path,
	   const char *query, const json_t *body, const char *expected, json_t **out)
{
	const struct cosi_kv header = { "authorization", store->authorization };
	const struct cosi_http_reply *reply;
	char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
	json_auto_t *answer = NULL;
	const char *code;

	if (text == NULL && strcmp(method, "PUT") == 0)
		return cosi_fail(call, COSI_EXHAUSTED, "out of memory");
	reply = cosi_http(call, .method = method, .path = path, .query = query, .headers = &header,
			  .nheaders = 1, .flags = COSI_HTTP_SAFE,
			  .body = { text, text != NULL ? strlen(text) : 0 });
	free(text);
	if (reply == NULL)
		return -1; /* no answer came, and the call has failed with the reason */
	answer = json_loadb(reply->body.data, reply->body.len, JSON_REJECT_DUPLICATES, NULL);
	if (reply->status / 100 == 2 && out == NULL)
		return 0;
	if (reply->status / 100 == 2 && json_is_object(answer)) {
		*out = json_incref(answer);
		return 0;
	}
	code = json_string_value(json_object_get(answer, "error"));
	if (code != NULL && strcmp(code, expected) == 0)
		return 1;
	return store_refused(call, reply->status, code != NULL ? code : "");
}

int
store_put_bucket(const struct store *store, struct cosi_call *call, const char *name,
		 const json_t *tags, const char *tier)
{
	json_auto_t *body = json_pack("{s:O, s:s}", "tags", tags, "tier", tier);

	return store_send(store, call, "PUT", cosi_printf(call, "/v1/buckets/%s", name), NULL, body,
			  "BucketExists", NULL);
}

int
store_get_bucket(const struct store *store, struct cosi_call *call, const char *name, json_t **out)
{
	/* A name may come out of an id, which anybody can write: it is checked before it becomes
	 * part of a path. */
	if (store_name_rule(name) != NULL)
		return 1;
	return store_send(store, call, "GET", cosi_printf(call, "/v1/buckets/%s", name), NULL, NULL,
			  "NoSuchBucket", out);
}

int
store_delete_bucket(const struct store *store, struct cosi_call *call, const char *name, bool purge)
{
	return store_send(store, call, "DELETE", cosi_printf(call, "/v1/buckets/%s", name),
			  purge ? "purge=true" : NULL, NULL, "NoSuchBucket", NULL);
}

int
store_put_account(const struct store *store, struct cosi_call *call, const char *name,
		  const json_t *tags, const json_t *buckets, json_t **out)
{
	json_auto_t *body = json_pack("{s:O, s:O}", "tags", tags, "buckets", buckets);

	return store_send(store, call, "PUT", cosi_printf(call, "/v1/accounts/%s", name), NULL,
			  body, "AccountExists", out);
}

int
store_get_account(const struct store *store, struct cosi_call *call, const char *name, json_t **out)
{
	return store_send(store, call, "GET", cosi_printf(call, "/v1/accounts/%s", name), NULL,
			  NULL, "NoSuchAccount", out);
}

int
store_delete_account(const struct store *store, struct cosi_call *call, const char *name,
		     const char *buckets)
{
	const char *query = buckets != NULL ? cosi_printf(call, "buckets=%s", buckets) : NULL;

	return store_send(store, call, "DELETE", cosi_printf(call, "/v1/accounts/%s", name), query,
			  NULL, "NoSuchAccount", NULL);
}

int
store_list(const struct store *store, struct cosi_call *call, uint32_t kind, const char *after,
	   json_t **out)
{
	int rc =
		store_send(store, call, "GET", kind == COSI_BUCKET ? "/v1/buckets" : "/v1/accounts",
			   cosi_printf(call, "after=%s", after), NULL, "", out);

	if (rc == 0 && !json_is_array(json_object_get(*out, "items")))
		return cosi_fail(call, COSI_UNAVAILABLE, "the store's answer is no list");
	return rc;
}
