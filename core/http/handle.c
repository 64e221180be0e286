/* SPDX-License-Identifier: Apache-2.0
 * handle.c - one libcurl handle with its connections, the certificates that it trusts, and one
 * attempt of a request on it.
 *
 * What is the same for all requests is set once; resetting a handle for each costs more than the
 * request's own options.
 */
#include "http/handle.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

enum { KEEPALIVE_S = 30, CONNECTIONS = 4 };

/* ---- libcurl's allocators ---- */

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

/* ---- certificates ---- */

struct ca_store {
	pthread_mutex_t mutex;
	X509_STORE *store; /* NULL: the system's, not read yet; once set it stays */
};

/* A store with the certificates of that file, if there are any.  path may be NULL.  NULL: no
 * memory.
 */
static X509_STORE *
ca_load(const char *path, bool *out_found)
{
	X509_STORE *store = X509_STORE_new();

	if (store == NULL)
		return NULL;
	/* What libcurl would set: a server's own certificate may stand in ca_file. */
	X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
	*out_found = path != NULL && X509_STORE_load_file(store, path) == 1;
	/* Otherwise a later connection of this thread would report its errors. */
	ERR_clear_error();
	return store;
}

struct ca_store *
ca_store_new(const char *ca_file, struct status *status)
{
	struct ca_store *ca = calloc(1, sizeof *ca);
	CLEANUP_FILE FILE *file = NULL;
	bool found;

	if (ca == NULL) {
		status_no_memory(status);
		return NULL;
	}
	pthread_mutex_init(&ca->mutex, NULL);
	if (ca_file == NULL)
		return ca;
	file = fopen(ca_file, "re");
	if (file == NULL) {
		status_fail(status, COSI_INVALID, "cannot read ca_file '%s': %m", ca_file);
	} else {
		ca->store = ca_load(ca_file, &found);
		if (ca->store != NULL && found)
			return ca;
		if (ca->store == NULL)
			status_no_memory(status);
		else
			status_fail(status, COSI_INVALID,
				    "no certificate in PEM form in ca_file '%s'", ca_file);
	}
	ca_store_free(ca);
	return NULL;
}

void
ca_store_free(struct ca_store *ca)
{
	if (ca == NULL)
		return;
	X509_STORE_free(ca->store);
	pthread_mutex_destroy(&ca->mutex);
	free(ca);
}

void
http_ca_version(const char *ca_file, struct http_ca_version *out)
{
	const char *path = ca_file != NULL ? ca_file : curl_version_info(CURLVERSION_NOW)->cainfo;
	struct stat st;

	*out = (struct http_ca_version){ 0 };
	if (path == NULL)
		path = X509_get_default_cert_file();
	if (stat(path, &st) != 0)
		return;
	*out = (struct http_ca_version){
		.device = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.changed_s = st.st_ctim.tv_sec,
		.changed_ns = st.st_ctim.tv_nsec,
	};
}

CURLcode
ca_store_apply_cb(CURL *easy, void *ssl_ctx, void *userdata)
{
	struct ca_store *ca = userdata;
	LOCK_SCOPE(&ca->mutex);
	bool found;

	(void)easy;
	if (ca->store == NULL) {
		ca->store = ca_load(curl_version_info(CURLVERSION_NOW)->cainfo, &found);
		if (ca->store == NULL)
			return CURLE_OUT_OF_MEMORY;
		/* Where libcurl was built to look, then where OpenSSL was.  With an empty store
		 * every handshake fails with a reason. */
		if (!found) {
			(void)X509_STORE_set_default_paths(ca->store);
			ERR_clear_error();
		}
	}
	SSL_CTX_set1_cert_store(ssl_ctx, ca->store);
	return CURLE_OK;
}

/* ---- the handle ---- */

/* Called when a connection stands, before each sending.  libcurl itself repeats a request on a
 * fresh connection when a kept one turns out to be closed, whatever the method: here that is
 * counted, and refused to what changes something: the first one may have arrived. */
static int
before_sending_cb(void *userdata, char *ip, char *local_ip, int port, int local_port)
{
	struct handle *handle = userdata;
	struct attempt *attempt = handle->attempt;
	struct http_call *call = attempt->call;

	(void)ip, (void)local_ip, (void)port, (void)local_port;
	if (attempt->sent > 0 && !attempt->request->resendable)
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

struct handle *
handle_new(const struct handle_options *options)
{
	struct handle *handle = calloc(1, sizeof *handle);
	bool failed = false;
	CURL *easy;

	if (handle == NULL)
		return NULL;
	handle->options = options;
	handle->easy = easy = curl_easy_init();
	if (easy == NULL) {
		handle_free(handle);
		return NULL;
	}
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

	/* The certificates come from the CA store: libcurl reads none. */
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
	if (failed) {
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

static CURLcode
handle_send(struct handle *handle, const struct attempt *attempt, int64_t timeout_ms, bool fresh)
{
	const struct request *request = attempt->request;
	const char *method = request->method;
	CURL *easy = handle->easy;
	int64_t connect_ms = handle->options->connect_timeout_ms;
	int64_t left_ms = attempt->call->deadline_ms - clock_mono_ms();
	bool failed = false;

	reply_reset(&handle->reply, request->max_reply, attempt->call->arena);
	handle->error[0] = '\0';
	out_of_memory = false;
	/* A connection that stands after the deadline is of no use: nothing may be sent then. */
	if (connect_ms > left_ms)
		connect_ms = left_ms > 0 ? left_ms : 1;
	SET(CURLOPT_HTTPGET, 1L); /* takes back what the last request set */
	if (strcmp(method, "HEAD") == 0) {
		SET(CURLOPT_NOBODY, 1L);
	} else if (request->body.len > 0 || strcmp(method, "PUT") == 0 ||
		   strcmp(method, "POST") == 0 || strcmp(method, "PATCH") == 0) {
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
		SET(CURLOPT_POSTFIELDS, request->body.data != NULL ? request->body.data : "");
	}
	SET(CURLOPT_CUSTOMREQUEST, method);
	SET(CURLOPT_URL, request->url.origin);
	SET(CURLOPT_REQUEST_TARGET, request->target);
	SET(CURLOPT_HTTPHEADER, request->headers);
	SET(CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	SET(CURLOPT_NOPROGRESS, attempt->call->abandoned == NULL ? 1L : 0L);
	SET(CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
	out_of_memory = out_of_memory || failed;
	return failed ? CURLE_OUT_OF_MEMORY : curl_easy_perform(easy);
}

void
handle_perform(struct handle *handle, struct attempt *attempt)
{
	int64_t begun_ms = clock_mono_ms(), left_ms = attempt->request->timeout_ms;
	long nconnects = 1;
	CURLcode code;

	handle->attempt = attempt;
	code = handle_send(handle, attempt, left_ms, false);
	if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY)
		(void)curl_easy_getinfo(handle->easy, CURLINFO_NUM_CONNECTS, &nconnects);
	/* Did stray bytes come before the answer?  RADOS Gateway 16.2 sends more than an answer's
	 * worth, and what comes late is taken for the answer to the next request on that
	 * connection.  Two attempts are one request for the caller: they share its timeout. */
	if (nconnects == 0 && attempt->request->resendable) {
		left_ms -= clock_mono_ms() - begun_ms;
		code = handle_send(handle, attempt, left_ms > 0 ? left_ms : 1, true);
	}
	attempt->ms = clock_mono_ms() - begun_ms;
	failure_judge(handle, attempt, code, out_of_memory);
	handle->attempt = NULL;
}
