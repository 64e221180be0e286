/* SPDX-License-Identifier: Apache-2.0
 * handle.c - one libcurl handle with its connections, and one attempt of a request on it.
 *
 * What is the same for all requests is set once; resetting a handle for each costs more than the
 * request's own options.
 */
#include "http/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

enum { KEEPALIVE_S = 30, CONNECTIONS = 4 };

/* Did libcurl get no memory on this thread?  It gives the same code for a header line that is
 * longer than it takes. */
static _Thread_local bool out_of_memory;

static void *
note_memory(void *p)
{
	out_of_memory = out_of_memory || p == NULL;
	return p;
}

void *
handle_malloc(size_t size)
{
	return note_memory(wiped_malloc(size));
}

void *
handle_calloc(size_t n, size_t size)
{
	return note_memory(wiped_calloc(n, size));
}

void *
handle_realloc(void *p, size_t size)
{
	return note_memory(wiped_realloc(p, size));
}

char *
handle_strdup(const char *s)
{
	return note_memory(wiped_strdup(s));
}

/* Called when a connection stands, before each sending.  libcurl itself repeats a request on a
 * fresh connection when a kept one turns out to be closed, whatever the method: here that is
 * counted, and refused to what must not be sent twice. */
static int
before_sending_cb(void *userdata, char *ip, char *local_ip, int port, int local_port)
{
	struct handle *handle = userdata;
	struct attempt *attempt = handle->attempt;
	struct http_call *call = attempt->call;

	(void)ip, (void)local_ip, (void)port, (void)local_port;
	if (attempt->sent > 0 && !attempt->request->repeatable)
		attempt->stop = ATTEMPT_NO_REPEAT;
	else if (atomic_load(call->cancelled))
		attempt->stop = ATTEMPT_CANCELLED;
	else if (clock_mono_ms() >= call->deadline_ms)
		attempt->stop = ATTEMPT_TOO_LATE;
	if (attempt->stop != ATTEMPT_GOES_ON)
		return CURL_PREREQFUNC_ABORT;
	attempt->sent++;
	call->nrequests++;
	return CURL_PREREQFUNC_OK;
}

/* Called once a second at least, while nothing comes, of calls that may be abandoned. */
static int
progress_cb(void *userdata, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
	    curl_off_t ulnow)
{
	struct attempt *attempt = ((struct handle *)userdata)->attempt;

	(void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
	if (attempt->request->changing || !atomic_load(attempt->call->abandoned))
		return 0;
	attempt->stop = ATTEMPT_GIVEN_UP;
	return 1;
}

#define SET(option, value) (failed |= curl_easy_setopt(easy, (option), (value)) != CURLE_OK)

/* The certificates come from the CA store: libcurl reads none. */
static bool
set_tls(CURL *easy, const struct handle_options *options)
{
	bool failed = false;

	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, options->ca_store != NULL ? 1L : 0L);
	SET(CURLOPT_SSL_VERIFYHOST, options->ca_store != NULL ? 2L : 0L);
	SET(CURLOPT_CAINFO, (char *)NULL);
	SET(CURLOPT_CAPATH, (char *)NULL);
	SET(CURLOPT_CA_CACHE_TIMEOUT, 0L);
	if (options->ca_store != NULL) {
		SET(CURLOPT_SSL_CTX_FUNCTION, ca_store_apply_cb);
		SET(CURLOPT_SSL_CTX_DATA, options->ca_store);
	}
	return failed;
}

static bool
set_connection(CURL *easy, const struct handle_options *options)
{
	bool failed = false;

	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_TCP_NODELAY, 1L);
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
	SET(CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_S);
	SET(CURLOPT_MAXCONNECTS, (long)CONNECTIONS);
	SET(CURLOPT_MAXAGE_CONN, (long)((options->idle_ms + 999) / 1000));
	return failed;
}

static bool
set_http(struct handle *handle)
{
	CURL *easy = handle->easy;
	bool failed = false;

	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_USERAGENT, "cosid/" COSID_VERSION);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_HEADERFUNCTION, reply_header_cb);
	SET(CURLOPT_HEADERDATA, &handle->reply);
	SET(CURLOPT_WRITEFUNCTION, reply_body_cb);
	SET(CURLOPT_WRITEDATA, &handle->reply);
	SET(CURLOPT_PREREQFUNCTION, before_sending_cb);
	SET(CURLOPT_PREREQDATA, handle);
	SET(CURLOPT_XFERINFOFUNCTION, progress_cb);
	SET(CURLOPT_XFERINFODATA, handle);
	SET(CURLOPT_ERRORBUFFER, handle->error);
	return failed;
}

struct handle *
handle_new(const struct handle_options *options)
{
	struct handle *handle = calloc(1, sizeof *handle);

	if (handle == NULL)
		return NULL;
	handle->options = options;
	handle->easy = curl_easy_init();
	if (handle->easy == NULL || set_connection(handle->easy, options) ||
	    set_tls(handle->easy, options) || set_http(handle)) {
		handle_free(handle);
		return NULL;
	}
	return handle;
}

void
handle_free(struct handle *handle)
{
	if (handle == NULL)
		return;
	curl_easy_cleanup(handle->easy);
	reply_done(&handle->reply);
	free(handle);
}

static bool
has_body(const struct request *request)
{
	return request->body.len > 0 || strcmp(request->method, "PUT") == 0 ||
	       strcmp(request->method, "POST") == 0 || strcmp(request->method, "PATCH") == 0;
}

static bool
set_method(CURL *easy, const struct request *request)
{
	bool failed = false;

	SET(CURLOPT_HTTPGET, 1L); /* takes back what the last request set */
	if (strcmp(request->method, "HEAD") == 0) {
		SET(CURLOPT_NOBODY, 1L);
	} else if (has_body(request)) {
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
		SET(CURLOPT_POSTFIELDS, request->body.data != NULL ? request->body.data : "");
	}
	SET(CURLOPT_CUSTOMREQUEST, request->method);
	return failed;
}

/* A connection that stands after the deadline is of no use: nothing may be sent then. */
static int64_t
connect_timeout(const struct handle *handle, const struct attempt *attempt)
{
	int64_t timeout_ms = handle->options->connect_timeout_ms;
	int64_t left = attempt->call->deadline_ms - clock_mono_ms();

	if (timeout_ms > left)
		timeout_ms = left;
	return timeout_ms > 0 ? timeout_ms : 1;
}

static bool
set_request(struct handle *handle, const struct attempt *attempt, int64_t timeout_ms)
{
	const struct request *request = attempt->request;
	CURL *easy = handle->easy;
	bool failed = set_method(easy, request);

	SET(CURLOPT_URL, request->url.origin);
	SET(CURLOPT_REQUEST_TARGET, request->target);
	SET(CURLOPT_HTTPHEADER, request->headers);
	SET(CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect_timeout(handle, attempt));
	SET(CURLOPT_NOPROGRESS, attempt->call->abandoned == NULL ? 1L : 0L);
	return failed;
}

/* Did stray bytes come before the answer?  RADOS Gateway 16.2 sends more than an answer's worth,
 * and what comes late is taken for the answer to the next request on that connection. */
static bool
is_spoilt(const struct handle *handle, CURLcode code)
{
	long nconnects = 0;

	if (code != CURLE_UNSUPPORTED_PROTOCOL && code != CURLE_WEIRD_SERVER_REPLY)
		return false;
	(void)curl_easy_getinfo(handle->easy, CURLINFO_NUM_CONNECTS, &nconnects);
	return nconnects == 0;
}

static CURLcode
handle_send(struct handle *handle, const struct attempt *attempt, int64_t timeout_ms, bool fresh)
{
	CURL *easy = handle->easy;
	bool failed;

	reply_reset(&handle->reply, attempt->request->max_reply, attempt->call->arena);
	handle->error[0] = '\0';
	out_of_memory = false;
	failed = set_request(handle, attempt, timeout_ms);
	SET(CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
	out_of_memory = out_of_memory || failed;
	return failed ? CURLE_OUT_OF_MEMORY : curl_easy_perform(easy);
}

/* Two attempts are one request for the caller: they share its timeout. */
void
handle_perform(struct handle *handle, struct attempt *attempt)
{
	int64_t begun_ms = clock_mono_ms(), left_ms = attempt->request->timeout_ms;
	CURLcode code;

	handle->attempt = attempt;
	code = handle_send(handle, attempt, left_ms, false);
	if (is_spoilt(handle, code) && attempt->request->repeatable) {
		left_ms -= clock_mono_ms() - begun_ms;
		code = handle_send(handle, attempt, left_ms > 0 ? left_ms : 1, true);
	}
	attempt->ms = clock_mono_ms() - begun_ms;
	failure_judge(handle, attempt, code, out_of_memory);
	handle->attempt = NULL;
}
