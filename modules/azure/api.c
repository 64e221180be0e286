/* SPDX-License-Identifier: Apache-2.0
 * api.c - Azure Blob Storage as lib/rest needs it: how requests are signed, what refusals mean.
 *
 * Sources: "Common REST API error codes", "Blob service error codes" (REST reference of Azure
 * Storage).
 */
#include <string.h>

#include "azure.h"

#include "banned.h"

#define API_VERSION "2021-12-02" /* all that is needed here is older */

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

static int
azure_take_error(void *arg, const char *path, char *text, size_t len)
{
	(void)len;
	return strcmp(path, "Error/Code") == 0 && rest_take_code(arg, text) ? 1 : 0;
}

/* In a header, since the answer to a HEAD has no body; a proxy that drops it leaves the document.
 */
static bool
azure_read_error(const struct cosi_http_reply *reply, char out[REST_CODE_MAX])
{
	const char *header = rest_header(reply, "x-ms-error-code");

	if (header != NULL && rest_take_code(out, header))
		return true;
	out[0] = '\0';
	(void)xml_read(reply->body, azure_take_error, out);
	return out[0] != '\0';
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
	.nerrors = sizeof azure_errors / sizeof azure_errors[0],
	.errors = azure_errors,
};

bool
azure_answered(const struct cosi_http_reply *reply, int status)
{
	return reply->status == status && rest_header(reply, "x-ms-request-id") != NULL;
}

bool
azure_is_absent(const struct cosi_http_reply *reply)
{
	return rest_error_is(&azure_api, reply, 404, "ContainerNotFound") &&
	       rest_header(reply, "x-ms-request-id") != NULL;
}

int
azure_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	return rest_fail(call, &azure_api, reply);
}
