/* SPDX-License-Identifier: Apache-2.0
 * sign.c - the texts that Azure has signed, and their signatures. */
#include "sign.h"

#include <openssl/evp.h>
#include <string.h>

#include "text/text.h"

#include "banned.h"

#define SAS_VERSION "2022-11-02"

int
azure_key_read(const char *base64, struct azure_key *out)
{
	size_t len = strlen(base64), pad = len;

	while (pad > 0 && base64[pad - 1] == '=')
		pad--;
	pad = len - pad;
	if (len == 0 || len % 4 != 0 || len / 4 * 3 > sizeof out->bytes || pad > 2 ||
	    strspn(base64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") !=
		    len - pad)
		return -1;
	if (EVP_DecodeBlock(out->bytes, (const unsigned char *)base64, (int)len) < 0)
		return -1;
	out->len = len / 4 * 3 - pad;
	return out->len <= AZURE_KEY_MAX ? 0 : -1;
}

const char *
azure_key_sign(struct cosi_call *call, const struct azure_key *key, const char *text)
{
	char base64[HASH_BASE64_MAX];
	const char *signature;
	struct hash mac;

	if (hash_hmac(call, key->bytes, key->len, text, strlen(text), &mac) < 0)
		return "";
	hash_base64(&mac, base64);
	signature = cosi_printf(call, "%s", base64);
	hash_wipe(&mac, sizeof mac);
	hash_wipe(base64, sizeof base64);
	return signature;
}

/* Twelve lines, most of them empty; then the x-ms-* headers; then path and query.  The path
 * repeats the account when the endpoint does: one rule for both styles of URL. */
const char *
azure_sign_text(struct cosi_call *call, const char *account, const struct rest_message *message)
{
	const struct rest_request *request = message->request;
	const char *len = request->body.len > 0 ? cosi_printf(call, "%zu", request->body.len) : "";
	const char *type = rest_find(&message->headers, "content-type");
	const char *since = rest_find(&message->headers, "if-unmodified-since");
	struct rest_pairs own = { .n = 0 };
	const char *headers, *query;

	for (size_t i = 0; i < message->headers.n; i++)
		if (strncmp(message->headers.kv[i].key, "x-ms-", 5) == 0)
			own.kv[own.n++] = message->headers.kv[i];
	headers = text_join(call, own.kv, own.n, ":", "\n", "\n");
	query = text_join(call, message->params.kv, message->params.n, ":", "\n", "");
	return cosi_printf(call, "%s\n\n\n%s\n\n%s\n\n\n\n\n%s\n\n%s/%s%s%s%s", request->method,
			   len, type != NULL ? type : "", since != NULL ? since : "", headers,
			   account, message->path, query[0] != '\0' ? "\n" : "", query);
}

/* Rights and dates stand in the policy alone: Azure refuses a SAS that repeats them. */
const char *
azure_sign_sas(struct cosi_call *call, const struct azure_key *key, const char *account,
	       const char *container, const char *policy)
{
	const char *text = cosi_printf(call,
				       "\n\n\n/blob/%s/%s\n%s\n\n\n" SAS_VERSION "\nc"
				       "\n\n\n\n\n\n\n",
				       account, container, policy);

	return cosi_printf(call, "sv=" SAS_VERSION "&si=%s&sr=c&sig=%s", uri_encode(call, policy),
			   uri_encode(call, azure_key_sign(call, key, text)));
}
