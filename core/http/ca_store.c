/* SPDX-License-Identifier: Apache-2.0
 * ca_store.c - the certificates that a client trusts, read once for all of its connections. */
#include "http/ca_store.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "http/http.h"

#include "banned.h"

struct ca_store {
	pthread_mutex_t mutex;
	X509_STORE *store; /* NULL: the system's, not read yet; once set it stays */
};

/* What libcurl would set: a server's own certificate may stand in ca_file. */
static X509_STORE *
x509_store_new(void)
{
	X509_STORE *store = X509_STORE_new();

	if (store != NULL)
		X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
	return store;
}

static int
ca_load_file(struct ca_store *ca, const char *ca_file, struct status *status)
{
	FILE *file = fopen(ca_file, "re");
	int loaded;

	if (file == NULL)
		return status_fail(status, COSI_INVALID, "cannot read ca_file '%s': %m", ca_file);
	(void)fclose(file);
	ca->store = x509_store_new();
	if (ca->store == NULL)
		return status_no_memory(status);
	loaded = X509_STORE_load_file(ca->store, ca_file);
	/* Otherwise a later connection of this thread would report its errors. */
	ERR_clear_error();
	if (loaded != 1)
		return status_fail(status, COSI_INVALID,
				   "no certificate in PEM form in ca_file '%s'", ca_file);
	return 0;
}

struct ca_store *
ca_store_new(const char *ca_file, struct status *status)
{
	struct ca_store *ca = calloc(1, sizeof *ca);

	if (ca == NULL) {
		status_no_memory(status);
		return NULL;
	}
	pthread_mutex_init(&ca->mutex, NULL);
	if (ca_file != NULL && ca_load_file(ca, ca_file, status) < 0) {
		ca_store_free(ca);
		return NULL;
	}
	return ca;
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

/* Where libcurl was built to look, then where OpenSSL was.  With an empty store every handshake
 * fails with a reason. */
static X509_STORE *
ca_load_system(void)
{
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
	X509_STORE *store = x509_store_new();

	if (store == NULL)
		return NULL;
	if (info->cainfo == NULL || X509_STORE_load_file(store, info->cainfo) != 1)
		(void)X509_STORE_set_default_paths(store);
	ERR_clear_error();
	return store;
}

CURLcode
ca_store_apply_cb(CURL *easy, void *ssl_ctx, void *userdata)
{
	struct ca_store *ca = userdata;
	X509_STORE *store;

	(void)easy;
	pthread_mutex_lock(&ca->mutex);
	if (ca->store == NULL)
		ca->store = ca_load_system();
	store = ca->store;
	pthread_mutex_unlock(&ca->mutex);
	if (store == NULL)
		return CURLE_OUT_OF_MEMORY;
	SSL_CTX_set1_cert_store(ssl_ctx, store);
	return CURLE_OK;
}
