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
#include "rest/rest.h"

enum { AZURE_KEY_MAX = 64 };
struct azure_key {
	uint8_t bytes[AZURE_KEY_MAX + 2]; /* libcrypto decodes whole triples */
	size_t len;
};

/* 0; or -1 when it is not the base64 of 1 to AZURE_KEY_MAX bytes. */
int azure_key_read(const char *base64, struct azure_key *out);
/* Base64 of the text's HMAC-SHA256, from the call's memory; "" when the call has failed. */
const char *azure_key_sign(struct cosi_call *call, const struct azure_key *key, const char *text);

/* What Shared Key signs of a message whose headers are sorted, and hold x-ms-date. */
const char *azure_sign_text(struct cosi_call *call, const char *account,
			    const struct rest_message *message);

/* The query that grants what the container's stored access policy of that id allows: sv, si, sr,
 * sig, encoded. */
const char *azure_sign_sas(struct cosi_call *call, const struct azure_key *key, const char *account,
			   const char *container, const char *policy);

#endif
