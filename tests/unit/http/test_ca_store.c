/* SPDX-License-Identifier: Apache-2.0
 * test_ca_store.c - certificates are read once, and shared. */
#include "http/handle.h"

#include <openssl/ssl.h>
#include <unistd.h>

#include "fakes/pki.h"
#include "rig.h"

#include "banned.h"

static X509_STORE *
applied(struct ca_store *trust, SSL_CTX **out_ctx)
{
	*out_ctx = SSL_CTX_new(TLS_client_method());
	assert_non_null(*out_ctx);
	assert_int_equal(ca_store_apply_cb(NULL, *out_ctx, trust), CURLE_OK);
	return SSL_CTX_get_cert_store(*out_ctx);
}

/* Two connections of one client look into one store, which outlives the client. */
static int
ncertificates(struct ca_store *trust)
{
	SSL_CTX *first, *second;
	X509_STORE *store = applied(trust, &first);
	int n;

	assert_ptr_equal(applied(trust, &second), store);
	ca_store_free(trust);
	SSL_CTX_free(first);
	n = sk_X509_OBJECT_num(X509_STORE_get0_objects(store));
	SSL_CTX_free(second);
	return n;
}

static void
test_ca_file__alone(void **state)
{
	char dir[] = "/tmp/cosid-test-trust-XXXXXX", path[64];
	struct status status = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	pki_free(pki_new(dir));
	(void)snprintf(path, sizeof path, "%s/ca.pem", dir);
	assert_int_equal(ncertificates(ca_store_new(path, &status)), 1);
	(void)unlink(path);
	(void)rmdir(dir);
}

static void
test_system__bundle(void **state)
{
	const char *bundle = curl_version_info(CURLVERSION_NOW)->cainfo;
	struct status status = { 0 };
	bool some = ncertificates(ca_store_new(NULL, &status)) > 0;

	(void)state;
	assert_int_equal(some, bundle != NULL && access(bundle, R_OK) == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ca_file__alone),
		cmocka_unit_test(test_system__bundle),
	};

	return RIG_RUN(tests);
}
