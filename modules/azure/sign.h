/* SPDX-License-Identifier: Apache-2.0
 * sign.h - Shared Key and service SAS: which text is signed, and its signature.
 *
 * Source: "Authorize with Shared Key" and "Create a service SAS" (REST reference of Azure Storage).
 */
#ifndef AZURE_SIGN_H
#define AZURE_SIGN_H
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

enum { AZURE_KEY_MAX = 64 };
struct azure_key {
	uint8_t bytes[AZURE_KEY_MAX + 2]; /* libcrypto decodes whole triples */
	size_t len;
};

/* 0; or -1 when it is not the base64 of 1 to AZURE_KEY_MAX bytes. */
int azure_key_read(const char *base64, struct azure_key *out);
/* Base64 of the text's HMAC-SHA256, from the call's memory; "" when the call has failed. */
const char *azure_key_sign(struct cosi_call *call, const struct azure_key *key, const char *text);

struct azure_to_sign {
	const char *method, *account;
	const char *path; /* as it goes over the wire */
	size_t nquery, nheaders;
	const struct cosi_kv *query;   /* not encoded; sorted by name, none twice */
	const struct cosi_kv *headers; /* x-ms-*, in lower case; sorted by name */
	const char *type;              /* of the body; "" when there is none */
	size_t len;                    /* of the body */
	const char *unmodified_since;  /* NULL: no such condition */
};
/* What Shared Key signs.  No header Date must be sent: x-ms-date stands among the headers. */
const char *azure_sign_text(struct cosi_call *call, const struct azure_to_sign *request);

/* The query that opens a container to what the stored access policy of that id says:
 * sv, si, sr, sig, encoded. */
const char *azure_sign_sas(struct cosi_call *call, const struct azure_key *key, const char *account,
			   const char *container, const char *policy);

#endif
