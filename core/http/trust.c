/* SPDX-License-Identifier: Apache-2.0
 * trust.c - the certificates that a client trusts, read once for all of its connections. */
#include "http/trust.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "http/http.h"

#include "banned.h"

struct trust {
	pthread_mutex_t mutex;
	X509_STORE *store; /* NULL: the system's, not read yet; once set it stays */
};

/* What libcurl would set: a server's own certificate may stand in ca_file. */
static X509_STORE *
new_store(void)
{
	X509_STORE *store = X509_STORE_new();

	if (store != NULL)
		X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
	return store;
}

static int
load_file(struct trust *trust, const char *ca_file, struct status *status)
{
	FILE *file = fopen(ca_file, "re");
	int loaded;

	if (file == NULL)
		return status_fail(status, COSI_INVALID, "cannot read ca_file '%s': %m", ca_file);
	(void)fclose(file);
	trust->store = new_store();
	if (trust->store == NULL)
		return status_no_memory(status);
	loaded = X509_STORE_load_file(trust->store, ca_file);
	/* Nothing of it may surface in a later connection of this thread. */
	ERR_clear_error();
	if (loaded != 1)
		return status_fail(status, COSI_INVALID,
				   "no certificate in PEM form in ca_file '%s'", ca_file);
	return 0;
}

struct trust *
trust_new(const char *ca_file, struct status *status)
{
	struct trust *trust = calloc(1, sizeof *trust);

	if (trust == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	pthread_mutex_init(&trust->mutex, NULL);
	if (ca_file != NULL && load_file(trust, ca_file, status) != 0) {
		trust_free(trust);
		return NULL;
	}
	return trust;
}

void
trust_free(struct trust *trust)
{
	if (trust == NULL)
		return;
	X509_STORE_free(trust->store);
	pthread_mutex_destroy(&trust->mutex);
	free(trust);
}

void
http_trust_version(const char *ca_file, struct http_trust_version *out)
{
	const char *path = ca_file != NULL ? ca_file : curl_version_info(CURLVERSION_NOW)->cainfo;
	struct stat st;

	*out = (struct http_trust_version){ 0 };
	if (path == NULL)
		path = X509_get_default_cert_file();
	if (stat(path, &st) != 0)
		return;
	*out = (struct http_trust_version){
		.device = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.changed_s = st.st_ctim.tv_sec,
		.changed_ns = st.st_ctim.tv_nsec,
	};
}

/* Where libcurl was built to look, then where OpenSSL was.  With an empty store every handshake
 * fails with a reason. */
static X509_STORE *
load_system(void)
{
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
	X509_STORE *store = new_store();

	if (store == NULL)
		return NULL;
	if (info->cainfo == NULL || X509_STORE_load_file(store, info->cainfo) != 1)
		(void)X509_STORE_set_default_paths(store);
	ERR_clear_error();
	return store;
}

CURLcode
trust_apply_cb(CURL *easy, void *ssl_ctx, void *userdata)
{
	struct trust *trust = userdata;
	X509_STORE *store;

	(void)easy;
	pthread_mutex_lock(&trust->mutex);
	if (trust->store == NULL)
		trust->store = load_system();
	store = trust->store;
	pthread_mutex_unlock(&trust->mutex);
	if (store == NULL)
		return CURLE_OUT_OF_MEMORY;
	SSL_CTX_set1_cert_store(ssl_ctx, store);
	return CURLE_OK;
}
