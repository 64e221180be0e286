/* SPDX-License-Identifier: Apache-2.0
 * pki.c - certificates for one test: P-256 keys, a CA, leaves. */
#include "fakes/pki.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "banned.h"

enum { DAY_S = 86400 };

struct pki {
	char dir[PATH_MAX];
	EVP_PKEY *key;
	X509 *cert;
	long serial;
};

static void
need(bool ok, const char *what)
{
	if (!ok) {
		(void)fprintf(stderr, "pki: %s\n", what);
		abort();
	}
}

static FILE *
create(const struct pki *pki, const char *name, const char *suffix)
{
	char path[PATH_MAX + 64];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s%s", pki->dir, name, suffix);
	file = fopen(path, "we");
	need(file != NULL, path);
	return file;
}

static void
extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	need(extension != NULL && X509_add_ext(cert, extension, -1) == 1, value);
	X509_EXTENSION_free(extension);
}

/* Signed by pki's CA, or by itself when there is none yet. */
static X509 *
make(struct pki *pki, EVP_PKEY *key, const char *common_name, const char *san, int days)
{
	X509 *cert = X509_new(), *issuer = pki->cert != NULL ? pki->cert : cert;
	X509_NAME *name = X509_get_subject_name(cert);

	X509_set_version(cert, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), ++pki->serial);
	X509_gmtime_adj(X509_getm_notBefore(cert), -(long)DAY_S * 30);
	X509_gmtime_adj(X509_getm_notAfter(cert), (long)DAY_S * days);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1,
				   -1, 0);
	X509_set_issuer_name(cert, X509_get_subject_name(issuer));
	X509_set_pubkey(cert, key);
	extend(cert, issuer, NID_basic_constraints, san == NULL ? "critical,CA:TRUE" : "CA:FALSE");
	if (san != NULL)
		extend(cert, issuer, NID_subject_alt_name, san);
	need(X509_sign(cert, pki->key, EVP_sha256()) > 0, "cannot sign");
	return cert;
}

static void
write_cert(const struct pki *pki, const char *name, X509 *cert)
{
	FILE *file = create(pki, name, ".pem");

	need(PEM_write_X509(file, cert) == 1 && fclose(file) == 0, name);
}

struct pki *
pki_new(const char *dir)
{
	struct pki *pki = calloc(1, sizeof *pki);

	need(pki != NULL, "no memory");
	(void)snprintf(pki->dir, sizeof pki->dir, "%s", dir);
	pki->key = EVP_EC_gen("P-256");
	need(pki->key != NULL, "no key");
	pki->cert = make(pki, pki->key, "test CA", NULL, 1);
	write_cert(pki, "ca", pki->cert);
	return pki;
}

void
pki_free(struct pki *pki)
{
	X509_free(pki->cert);
	EVP_PKEY_free(pki->key);
	free(pki);
}

void
pki_issue(struct pki *pki, const char *name, const char *san, int days)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = make(pki, key, name, san, days);
	FILE *file = create(pki, name, ".key");

	write_cert(pki, name, cert);
	need(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 && fclose(file) == 0,
	     "cannot write a key");
	X509_free(cert);
	EVP_PKEY_free(key);
}
