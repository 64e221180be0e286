/* SPDX-License-Identifier: Apache-2.0
 * host.c - a host table over libcurl's easy interface. */
#include "host.h"

#include <curl/curl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "banned.h"

struct host_chunk {
	struct host_chunk *next;
	max_align_t bytes[];
};

static void host_log(struct cosi_call *call, uint32_t level, const char *fmt, ...)
	COSI_PRINTF(3, 4);
static int host_fail(struct cosi_call *call, uint32_t code, const char *fmt, ...) COSI_PRINTF(3, 4);
static char *host_printf(struct cosi_call *call, const char *fmt, ...) COSI_PRINTF(2, 3);

static void
host_log(struct cosi_call *call, uint32_t level, const char *fmt, ...)
{
	(void)call;
	(void)level;
	(void)fmt;
}

static int
host_fail(struct cosi_call *call, uint32_t code, const char *fmt, ...)
{
	struct host *host = (struct host *)call;
	char text[HOST_TEXT_MAX], old[HOST_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	memcpy(old, host->text, sizeof old);
	if (host->code == 0)
		host->code = code != 0 ? code : COSI_INTERNAL;
	(void)snprintf(host->text, sizeof host->text, "%.500s%s%.500s", text,
		       old[0] != '\0' ? ": " : "", old);
	return -1;
}

static void *
host_alloc(struct cosi_call *call, size_t size)
{
	struct host *host = (struct host *)call;
	struct host_chunk *chunk;

	if (host->code != 0)
		return NULL;
	chunk = calloc(1, sizeof *chunk + size);
	if (chunk == NULL)
		abort();
	chunk->next = host->chunks;
	host->chunks = chunk;
	host->allocated += size;
	return chunk->bytes;
}

static char *
host_printf(struct cosi_call *call, const char *fmt, ...)
{
	static char nothing[1];
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = host_alloc(call, (size_t)len + 1);
	if (text == NULL)
		return nothing;
	va_start(ap, fmt);
	(void)vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}

static int64_t
host_now(struct cosi_call *call)
{
	const struct host *host = (const struct host *)call;

	return host->now != 0 ? host->now : (int64_t)time(NULL);
}

static int64_t
host_time_left_ms(struct cosi_call *call)
{
	const struct host *host = (const struct host *)call;

	return host->time_left_ms != 0 ? host->time_left_ms : 60000;
}

static int
host_random(struct cosi_call *call, void *out, size_t len)
{
	const struct host *host = (const struct host *)call;

	if (host->random != NULL) {
		memcpy(out, host->random, len);
		return 0;
	}
	return getrandom(out, len, 0) == (ssize_t)len ? 0 : -1;
}

struct exchange {
	struct host *host;
	char *body;
	size_t len;
	struct cosi_kv headers[64];
	size_t nheaders;
};

static size_t
on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	char *body = host_alloc(&x->host->call, x->len + size * n + 1);

	if (body == NULL)
		return 0;
	if (x->len > 0)
		memcpy(body, x->body, x->len);
	memcpy(body + x->len, bytes, size * n);
	x->body = body;
	x->len += size * n;
	return size * n;
}

static size_t
on_header(char *bytes, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	char *line = host_printf(&x->host->call, "%.*s", (int)(size * n), bytes);
	char *colon = strchr(line, ':');

	if (colon == NULL || x->nheaders == 64)
		return size * n;
	*colon = '\0';
	for (char *p = line; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	colon[1 + strcspn(colon + 1, "\r\n")] = '\0';
	x->headers[x->nheaders++] = (struct cosi_kv){ line, colon + 1 + strspn(colon + 1, " ") };
	return size * n;
}

static int
perform(struct host *host, const struct cosi_http *request, struct exchange *x)
{
	struct curl_slist *headers = NULL;
	CURL *curl = host->curl;
	CURLcode rc;

	curl_easy_reset(curl);
	for (size_t i = 0; i < request->nheaders; i++)
		headers = curl_slist_append(headers, host_printf(&host->call, "%s: %s",
								 request->headers[i].key,
								 request->headers[i].value));
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_URL,
			 host_printf(&host->call, "%s%s%s%s", host->endpoint, request->path,
				     request->query != NULL && request->query[0] != '\0' ? "?" : "",
				     request->query != NULL ? request->query : ""));
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
			 (long)(request->timeout_ms > 0 ? request->timeout_ms : 20000));
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, x);
	if (strcmp(request->method, "HEAD") == 0) {
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	} else if (strcmp(request->method, "GET") != 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
				 request->body.len > 0 ? request->body.data : "");
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	}
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	rc = curl_easy_perform(curl);
	curl_slist_free_all(headers);
	if (rc == CURLE_OK)
		return 0;
	return host_fail(&host->call,
			 rc == CURLE_OPERATION_TIMEDOUT ? COSI_TIMEOUT : COSI_UNAVAILABLE, "%s",
			 curl_easy_strerror(rc));
}

const struct cosi_http_reply *
host_exchange(struct host *host, const struct cosi_http *request)
{
	struct exchange x = { .host = host };
	struct cosi_http_reply *reply;
	struct cosi_kv *headers;
	long status = 0;

	if (perform(host, request, &x) != 0)
		return NULL;
	curl_easy_getinfo(host->curl, CURLINFO_RESPONSE_CODE, &status);
	reply = host_alloc(&host->call, sizeof *reply);
	headers = host_alloc(&host->call, sizeof x.headers);
	memcpy(headers, x.headers, sizeof x.headers);
	*reply = (struct cosi_http_reply){
		.status = (int)status,
		.body = { x.body != NULL ? x.body : "", x.len },
		.headers = headers,
		.nheaders = x.nheaders,
	};
	return reply;
}

static bool
has_header(const struct cosi_http_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, name) == 0)
			return true;
	return false;
}

static const struct cosi_http_reply *
host_http(struct cosi_call *call, const struct cosi_http *request)
{
	struct host *host = (struct host *)call;
	const struct cosi_http_reply *reply;
	unsigned n = host->nrequests;

	if (host->code != 0)
		return NULL;
	if (host->kill_before == n + 1) {
		host_fail(call, COSI_TIMEOUT, "killed before request %u", n + 1);
		return NULL;
	}
	host->nrequests++;
	reply = host->script != NULL ? host->script(host, request) : host_exchange(host, request);
	if (n < HOST_TRACE_MAX)
		(void)snprintf(host->trace[n], sizeof host->trace[n], "%s %.100s?%.100s %d",
			       request->method, request->path,
			       request->query != NULL ? request->query : "",
			       reply != NULL ? reply->status : 0);
	if (reply != NULL && request->id_header != NULL && !has_header(reply, request->id_header)) {
		host_fail(call, COSI_UNAVAILABLE, "the %d reply is not from the store",
			  reply->status);
		return NULL;
	}
	if (host->kill_after == n + 1) {
		host_fail(call, COSI_TIMEOUT, "killed after request %u", n + 1);
		return NULL;
	}
	return reply;
}

static const struct cosi_url *
host_url(struct cosi_call *call, const char *base, const char *host_label)
{
	const struct host *host = (const struct host *)call;
	struct cosi_url *url = host_alloc(call, sizeof *url);
	static const struct cosi_url nothing = { "http", "", "" };
	const char *authority;
	size_t len;

	(void)host_label;
	if (url == NULL)
		return &nothing;
	if (base == NULL)
		base = host->endpoint;
	authority = base != NULL ? strstr(base, "//") + 2 : "store.example";
	len = strcspn(authority, "/");
	*url = (struct cosi_url){ "http", host_printf(call, "%.*s", (int)len, authority),
				  authority + len };
	return url;
}

static const char *
host_public_url(struct cosi_call *call)
{
	const struct host *host = (const struct host *)call;

	return host->public_endpoint != NULL ? host->public_endpoint : host->endpoint;
}

static bool
host_failed(struct cosi_call *call)
{
	return ((const struct host *)call)->code != 0;
}

/* No time passes but what is left of the call's. */
static int
host_wait(struct cosi_call *call, int64_t ms)
{
	struct host *host = (struct host *)call;

	if (host->code != 0)
		return -1;
	if (host_time_left_ms(call) <= ms)
		return host_fail(call, COSI_TIMEOUT, "the time is up");
	host->time_left_ms = host_time_left_ms(call) - ms;
	return 0;
}

static const struct cosi_host table = {
	.minor = COSI_API_MINOR,
	.log = host_log,
	.fail = host_fail,
	.alloc = host_alloc,
	.printf = host_printf,
	.now = host_now,
	.time_left_ms = host_time_left_ms,
	.random = host_random,
	.http = host_http,
	.url = host_url,
	.public_url = host_public_url,
	.failed = host_failed,
	.wait = host_wait,
};

void
host_init(struct host *host, const char *endpoint)
{
	*host = (struct host){ .call = { &table }, .endpoint = endpoint };
	host->curl = curl_easy_init();
	if (host->curl == NULL)
		abort();
}

void
host_reset(struct host *host)
{
	while (host->chunks != NULL) {
		struct host_chunk *next = host->chunks->next;

		/* As the daemon does it. */
		explicit_bzero(host->chunks, malloc_usable_size(host->chunks));
		free(host->chunks);
		host->chunks = next;
	}
	host->allocated = 0;
	host->code = 0;
	host->text[0] = '\0';
	host->nrequests = 0;
}

void
host_done(struct host *host)
{
	host_reset(host);
	curl_easy_cleanup(host->curl);
}

const struct cosi_http_reply *
host_reply(struct host *host, int status, const char *body)
{
	static const struct cosi_kv id = { "x-amz-request-id", "1" };
	struct cosi_http_reply *reply = host_alloc(&host->call, sizeof *reply);

	*reply = (struct cosi_http_reply){
		.status = status,
		.body = { body, strlen(body) },
		.nheaders = 1,
		.headers = &id,
	};
	return reply;
}
