/* SPDX-License-Identifier: Apache-2.0
 * store.c - answers out of an input, and calls of the handlers. */
#include "store.h"

#include <jansson.h>

#include "banned.h"

enum { MEMORY = 64 << 20, SMALL_MEMORY = 4096 };

/* ---- what a module may send ---- */

static const char controls[] = "\1\2\3\4\5\6\7\b\n\v\f\r\16\17\20\21\22\23\24\25\26\27\30"
			       "\31\32\33\34\35\36\37\177";

static bool
is_sendable(const char *text)
{
	return text[strspn(text, "!$&'()*+,-./:;=@_~%" CHARS_ALNUM)] == '\0';
}

/* What core/http refuses, which would be a mistake of the module; and who repeats what. */
static void
check_request(const struct cosi_http *request)
{
	bool writes = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
	const char *query = request->query != NULL ? request->query : "";

	must(request->path[0] == '/' && is_sendable(request->path) && is_sendable(query));
	must(!writes || (request->flags & (COSI_HTTP_SAFE | COSI_HTTP_FINAL)) != 0);
	must(strstr(query, "secret-key=") == NULL || (request->flags & COSI_HTTP_SECRET) != 0);
	for (size_t i = 0; i < request->nheaders; i++)
		must(strpbrk(request->headers[i].value, controls) == NULL);
}

/* ---- what the store says ---- */

/* Does the text have the pattern's pieces, in order? */
static bool
is_like(const char *text, const char *pattern)
{
	for (;;) {
		const char *dots = strstr(pattern, "...");
		size_t len = dots != NULL ? (size_t)(dots - pattern) : strlen(pattern);
		const char *hit = memmem(text, strlen(text), pattern, len);

		if (hit == NULL)
			return false;
		if (dots == NULL)
			return true;
		text = hit + len;
		pattern = dots + 3;
	}
}

/* The pick-th of those that fit, over and over; NULL: none fits. */
static const struct honest *
find_honest(const struct store *store, const char *asked, size_t pick)
{
	const struct honest *fits[64];
	size_t n = 0;

	for (size_t i = 0; i < store->nhonest && n < 64; i++)
		if (is_like(asked, store->honest[i].request))
			fits[n++] = &store->honest[i];
	return n > 0 ? fits[pick % n] : NULL;
}

static void
note_write(struct store *store, const struct cosi_http *request)
{
	struct cosi_call *call = &store->host.call;
	size_t i = store->nwrites++ % STORE_WRITES;
	void *body = cosi_alloc(call, request->body.len + 1);

	if (body == NULL || request->body.len == 0)
		return;
	memcpy(body, request->body.data, request->body.len);
	store->writes[i].query = cosi_printf(call, "%s", request->query);
	store->writes[i].body = (struct cosi_bytes){ body, request->body.len };
}

/* The body with a piece of it replaced by a text of the input. */
static struct cosi_bytes
splice(struct store *store, struct cosi_bytes body)
{
	const uint8_t *piece;
	size_t at = body.len * input_byte(store->in) / 256, cut = input_byte(store->in) % 32, len;
	char *out;

	cut = cut < body.len - at ? cut : body.len - at;
	len = input_piece(store->in, &piece);
	out = cosi_alloc(&store->host.call, body.len - cut + len + 1);
	memcpy(out, body.data, at);
	if (len > 0)
		memcpy(out + at, piece, len);
	memcpy(out + at + len, (const char *)body.data + at + cut, body.len - at - cut);
	return (struct cosi_bytes){ out, body.len - cut + len };
}

/* Any bytes that core/http hands on as a header's value. */
static const char *
any_value(struct store *store)
{
	char *text = input_text(store->in), *copy;

	text[strcspn(text, controls)] = '\0';
	copy = cosi_printf(&store->host.call, "%s", text);
	free(text);
	return copy;
}

static const struct cosi_kv *
make_headers(struct store *store, size_t *out_n)
{
	struct cosi_kv *headers = cosi_alloc(&store->host.call, STORE_HEADERS * sizeof *headers);
	unsigned with = input_byte(store->in);
	size_t n = 0;

	for (size_t i = 0; i < STORE_HEADERS && store->headers[i].key != NULL; i++) {
		if ((with >> i & 1) == (i == 0 ? 1u : 0u)) /* the first one: by default */
			continue;
		headers[n++] = store->headers[i];
		if ((with & 0x80) != 0 && i > 0)
			headers[n - 1].value = any_value(store);
	}
	*out_n = n;
	return headers;
}

static const struct cosi_http_reply *
store_answer(struct host *host, const struct cosi_http *request)
{
	static const int statuses[] = { 200, 201, 202, 204, 400, 401, 403, 404, 405, 408,
					409, 412, 426, 429, 499, 500, 501, 503, 507, 302 };
	enum { HONEST = 0x7f, NSTATUSES = sizeof statuses / sizeof statuses[0] };
	struct store *store = (struct store *)host;
	struct cosi_http_reply *reply = cosi_alloc(&host->call, sizeof *reply);
	const char *asked = cosi_printf(&host->call, "%s %s?%s", request->method, request->path,
					request->query);
	bool ends = store->in->at == store->in->end;
	uint8_t how = input_byte(store->in);
	const struct honest *honest = find_honest(store, asked, how % 16);
	struct cosi_bytes body = { "", 0 };
	const uint8_t *piece;
	char *exact;

	check_request(request);
	note_write(store, request);
	if (ends || how == 0xff || reply == NULL) {
		(void)cosi_fail(&host->call, COSI_UNAVAILABLE, "it was cut");
		return NULL;
	}
	reply->status = 200;
	if (how < 0xc0 && honest != NULL) {
		reply->status = honest->status;
		if (honest->body != NULL)
			body = (struct cosi_bytes){ honest->body, strlen(honest->body) };
		reply->headers = make_headers(store, &reply->nheaders);
		if (how >= 0x80)
			body = splice(store, body);
	} else if (how >= 0xf8) {
		for (size_t i = 0; i < STORE_WRITES; i++)
			if (store->writes[i].query != NULL &&
			    (how != 0xf8 || strcmp(store->writes[i].query, request->query) == 0))
				body = store->writes[i].body;
		reply->headers = make_headers(store, &reply->nheaders);
	} else {
		reply->status = statuses[how % NSTATUSES];
		reply->headers = make_headers(store, &reply->nheaders);
		body.len = input_piece(store->in, &piece);
		body.data = piece;
	}
	/* As core/http gives it: with a NUL behind it, and nothing more. */
	exact = cosi_alloc(&host->call, body.len + 1);
	if (body.len > 0)
		memcpy(exact, body.data, body.len);
	reply->body = (struct cosi_bytes){ exact, body.len };
	return reply;
}

/* ---- calls ---- */

static const struct cosi_mark mark = { STORE_OWNER, "my photos", STORE_PARAMS };

static int
store_found(struct cosi_call *call, const struct cosi_found *found)
{
	const struct store *store = (const struct store *)call;

	must(found->native != NULL && found->native[0] != '\0');
	must(strcmp(found->mark.owner, STORE_OWNER) == 0);
	must(found->kind == COSI_BUCKET || found->kind == COSI_ACCOUNT);
	return store->in->at == store->in->end; /* what is left wants no more */
}

static int
call_bucket(struct store *store, void *instance, unsigned method)
{
	static const char *const names[] = { "photos", "photos", "admin", "a.b-c",
					     "$logs",  "Ab",     "minio" };
	uint8_t bits = input_byte(store->in);
	const struct cosi_bucket_params params = {
		.set = (bits & 1 ? COSI_P_QUOTA_SIZE : 0) | (bits & 2 ? COSI_P_ANONYMOUS : 0) |
		       (bits & 4 ? COSI_P_REGION : 0),
		.quota_size = 1 << 20,
		.anonymous = bits & 2 ? bits >> 6 : 0u,
		.region = bits & 8 ? "default:hot" : "a b",
		.versioning = (bits & 0x10) != 0,
		.object_lock = (bits & 0x20) != 0,
		.purge = (bits & 1) != 0,
	};
	const struct cosi_bucket_req req = {
		.native = names[input_pick(store->in, 7)],
		.mark = { STORE_OWNER, method == 0 || bits & 1 ? mark.name : NULL,
			  method == 0 ? mark.params : NULL },
		.protocols = store->module->protocols,
		.common = &params,
	};
	struct cosi_bucket bucket = { .ours = false };
	struct cosi_call *call = &store->host.call;
	int rc;

	if (method == 2)
		return store->module->delete_bucket(instance, call, &req);
	rc = method == 0 ? store->module->create_bucket(instance, call, &req, &bucket)
			 : store->module->get_bucket(instance, call, &req, &bucket);
	if (rc == 0)
		must(bucket.protocols == store->module->protocols);
	if (rc == 0 && method == 0)
		must(bucket.ours && strcmp(bucket.params, STORE_PARAMS) == 0);
	return rc;
}

/* Sorted and without duplicates, as the daemon gives them: two, or more than some store takes. */
enum { MANY_BUCKETS = 126 };

static size_t
make_refs(struct input *in, bool grants, struct cosi_bucket_ref *refs)
{
	static char names[MANY_BUCKETS][64];
	uint8_t bits = input_byte(in);
	bool many = (bits & 0x70) == 0x70;

	for (int i = 0; i < MANY_BUCKETS; i++) {
		(void)snprintf(names[i], sizeof names[i], "b%03d%.*s", i, bits & 0x80 ? 58 : 0,
			       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
		refs[i] = (struct cosi_bucket_ref){ names[i], !grants    ? 0
							      : bits & 2 ? 1 + (uint32_t)i % 3
									 : 1 };
	}
	if (many)
		return MANY_BUCKETS - bits % 4;
	refs[0] = (struct cosi_bucket_ref){ "photos", grants ? 1 + bits % 3 : 0 };
	refs[1].native = bits & 4 ? "videos" : "swift";
	return grants ? 1 + (bits >> 3) % 2 : (bits >> 3) % 3;
}

static int
call_access(struct store *store, void *instance, bool grants)
{
	static const char *const names[] = { "cosi-ba-1", "cosi-ba-1", "admin", "cosi-" };
	struct cosi_bucket_ref refs[MANY_BUCKETS];
	const struct cosi_bucket_ref *list[MANY_BUCKETS];
	struct cosi_bucket bucket[MANY_BUCKETS] = { { .ours = false } };
	struct cosi_bucket *buckets[MANY_BUCKETS];
	const struct cosi_access_req req = {
		.nbuckets = make_refs(store->in, grants, refs),
		.buckets = list,
		.native = names[input_pick(store->in, 4)],
		.mark = { STORE_OWNER, grants ? "ba-1" : NULL, grants ? STORE_PARAMS : NULL },
		.protocol = store->module->protocols,
		.auth = COSI_AUTH_KEY,
	};
	struct cosi_access access = { .buckets = buckets };
	int rc;

	for (size_t i = 0; i < MANY_BUCKETS; i++) {
		list[i] = &refs[i];
		buckets[i] = &bucket[i];
	}
	if (!grants)
		return store->module->revoke(instance, &store->host.call, &req);
	rc = store->module->grant(instance, &store->host.call, &req, &access);
	if (rc == 0)
		must(store->module->protocols == COSI_AZURE
			     ? access.token != NULL
			     : access.key_id != NULL && access.key_secret != NULL);
	return rc;
}

void
store_call(struct store *store, void *instance, const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	unsigned method = input_byte(&in);
	struct cosi_call *call = &store->host.call;
	int rc;

	store->in = &in;
	store->host.script = store_answer;
	store->host.now = 1795176000;
	store->host.random = "0123456789abcdef0123456789abcdef";
	store->host.time_left_ms = method & 0x40 ? 3000 : 0;
	memset(store->writes, 0, sizeof store->writes);
	store->nwrites = 0;
	arena_init(&store->arena, method & 0x80 ? SMALL_MEMORY : MEMORY);
	{
		CHARGE_SCOPE(&store->arena);

		switch (method % 7) {
		case 3:
		case 4:
			rc = call_access(store, instance, method % 7 == 3);
			break;
		case 5:
			rc = store->module->list(instance, call, STORE_OWNER, store_found);
			break;
		case 6:
			rc = store->module->probe(instance, call);
			break;
		default:
			rc = call_bucket(store, instance, method % 7);
		}
	}
	must((rc == 0) == (store->host.code == COSI_OK));
	must(rc == 0 || store->host.text[0] != '\0');
	must(store->host.code <= COSI_INTERNAL);
	must(store->arena.charged == 0); /* the handler freed what its parsers took */
	arena_done(&store->arena);
	host_reset(&store->host);
}
