/* SPDX-License-Identifier: Apache-2.0
 * api.c - Azure Blob Storage as lib/rest needs it: how requests are signed, what refusals mean.
 *
 * Sources: "Authorize with Shared Key", "Create a service SAS", "Common REST API error codes",
 * "Blob service error codes" (REST reference of Azure Storage).
 */
#include <openssl/evp.h>
#include <string.h>

#include "azure.h"
#include "text/text.h"

#include "banned.h"

#define API_VERSION "2021-12-02" /* all that is needed here is older */
#define SAS_VERSION "2022-11-02"

/* ---- signatures ---- */

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

static int
azure_sign_message(struct cosi_call *call, const void *who, struct rest_message *message)
{
	const struct azure *azure = who;
	const char *account = azure->config->account, *text;

	if (message->request->body.len > 0)
		rest_add(call, &message->headers, "content-type", "application/xml");
	rest_add(call, &message->headers, "x-ms-date",
		 rest_write_date(call, REST_HTTP, call->host->now(call)));
	rest_add(call, &message->headers, "x-ms-version", API_VERSION);
	rest_sort(&message->headers);
	text = azure_sign_text(call, account, message);
	rest_add(call, &message->headers, "authorization",
		 cosi_printf(call, "SharedKey %s:%s", account,
			     azure_key_sign(call, &azure->key, text)));
	return cosi_failed(call) ? -1 : 0;
}

/* ---- refusals ---- */

/* In a header, since the answer to a HEAD has no body; a proxy that drops it leaves the document.
 */
static bool
azure_read_error(const struct cosi_http_reply *reply, char out[REST_CODE_MAX])
{
	const char *header = rest_header(reply, "x-ms-error-code");
	char code[REST_CODE_MAX + 1];

	if (header != NULL && rest_take_code(out, header))
		return true;
	return xml_find(reply->body, "Error/Code", code, sizeof code) && rest_take_code(out, code);
}

#define KEY_HINT "is account_key one of the account's two keys"

static const struct rest_error azure_errors[] = {
	{ "AccountIsDisabled", COSI_DENIED, NULL },
	{ "AuthenticationFailed", COSI_UNAUTHENTICATED, KEY_HINT "?" },
	{ "AuthorizationFailure", COSI_DENIED,
	  KEY_HINT ", and does the account's firewall let this host in?" },
	{ "ConditionNotMet", COSI_BUSY, "another client has changed it since it was read" },
	{ "ContainerAlreadyExists", COSI_EXISTS, NULL },
	{ "ContainerBeingDeleted", COSI_UNAVAILABLE,
	  "a container of that name is being deleted, which takes 30 s and more" },
	{ "ContainerNotFound", COSI_BUSY, NULL },
	{ "InsufficientAccountPermissions", COSI_DENIED, NULL },
	{ "InternalError", COSI_UNAVAILABLE, NULL },
	{ "InvalidAuthenticationInfo", COSI_UNAUTHENTICATED, KEY_HINT "?" },
	{ "InvalidMetadata", COSI_INVALID, NULL },
	{ "InvalidResourceName", COSI_INVALID, NULL },
	{ "KeyBasedAuthenticationNotPermitted", COSI_DENIED,
	  "the account's keys are switched off (allowSharedKeyAccess), and only they can sign a "
	  "SAS "
	  "that can be revoked" },
	{ "LeaseAlreadyPresent", COSI_BUSY, NULL },
	{ "LeaseIdMismatchWithContainerOperation", COSI_BUSY, NULL },
	{ "LeaseIdMissing", COSI_BUSY, NULL },
	{ "LeaseIsBreakingAndCannotBeAcquired", COSI_BUSY, NULL },
	{ "LeaseLost", COSI_BUSY, NULL },
	{ "LeaseNotPresentWithContainerOperation", COSI_BUSY, NULL },
	{ "OperationTimedOut", COSI_UNAVAILABLE, NULL },
	{ "OutOfRangeInput", COSI_INVALID, NULL },
	{ "PublicAccessNotPermitted", COSI_PRECONDITION,
	  "the account's anonymous access is switched off (allowBlobPublicAccess)" },
	{ "ResourceNotFound", COSI_PRECONDITION, "is there such a storage account?" },
	{ "ServerBusy", COSI_UNAVAILABLE, NULL },
};

const struct rest_api azure_api = {
	.name = "Azure Blob Storage",
	.sign = azure_sign_message,
	.error_code = azure_read_error,
	.id_header = "x-ms-request-id",
	.nerrors = sizeof azure_errors / sizeof azure_errors[0],
	.errors = azure_errors,
};

bool
azure_is_absent(const struct cosi_http_reply *reply)
{
	return rest_error_is(&azure_api, reply, 404, "ContainerNotFound");
}

int
azure_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	return rest_fail(call, &azure_api, reply);
}
