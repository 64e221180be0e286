/* SPDX-License-Identifier: Apache-2.0
 * fault.c - the table of refusals. */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "text/reply.h"
#include "text/xml.h"

#include "banned.h"

enum { SKEW_MAX_S = 14 * 60 }; /* the service takes 15 minutes */

static const struct meaning {
	const char *code;
	uint32_t means;   /* enum cosi_code */
	const char *hint; /* NULL: the code says it all */
} meanings[] = {
	{ "AccountIsDisabled", COSI_DENIED, NULL },
	{ "AuthenticationFailed", COSI_UNAUTHENTICATED,
	  "is account_key one of the account's two keys?" },
	{ "AuthorizationFailure", COSI_DENIED,
	  "is account_key one of the account's two keys, and does its firewall let us in?" },
	{ "ConditionNotMet", COSI_BUSY, "somebody else changed it meanwhile" },
	{ "ContainerAlreadyExists", COSI_EXISTS, NULL },
	{ "ContainerBeingDeleted", COSI_UNAVAILABLE,
	  "a container of that name is being deleted, which takes 30 s and more" },
	{ "ContainerNotFound", COSI_BUSY, NULL },
	{ "InsufficientAccountPermissions", COSI_DENIED, NULL },
	{ "InternalError", COSI_UNAVAILABLE, NULL },
	{ "InvalidAuthenticationInfo", COSI_UNAUTHENTICATED,
	  "is account_key one of the account's two keys?" },
	{ "InvalidMetadata", COSI_INVALID, NULL },
	{ "InvalidResourceName", COSI_INVALID, NULL },
	{ "KeyBasedAuthenticationNotPermitted", COSI_DENIED,
	  "the account has its keys switched off (allowSharedKeyAccess), and only they can sign a "
	  "SAS that can be revoked" },
	{ "LeaseAlreadyPresent", COSI_BUSY, NULL },
	{ "LeaseIdMismatchWithContainerOperation", COSI_BUSY, NULL },
	{ "LeaseIdMissing", COSI_BUSY, NULL },
	{ "LeaseIsBreakingAndCannotBeAcquired", COSI_BUSY, NULL },
	{ "LeaseLost", COSI_BUSY, NULL },
	{ "LeaseNotPresentWithContainerOperation", COSI_BUSY, NULL },
	{ "OperationTimedOut", COSI_UNAVAILABLE, NULL },
	{ "OutOfRangeInput", COSI_INVALID, NULL },
	{ "PublicAccessNotPermitted", COSI_PRECONDITION,
	  "the account has anonymous access switched off (allowBlobPublicAccess)" },
	{ "ResourceNotFound", COSI_PRECONDITION, "is there such a storage account?" },
	{ "ServerBusy", COSI_UNAVAILABLE, NULL },
};

bool
azure_answered(const struct cosi_http_reply *reply, int status)
{
	return reply->status == status && reply_header(reply, "x-ms-request-id") != NULL;
}

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	(void)len;
	return strcmp(path, "Error/Code") == 0 && reply_take_code(arg, text) ? 1 : 0;
}

const char *
azure_error_code(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *header = reply_header(reply, "x-ms-error-code");
	char code[REPLY_CODE_MAX] = "";

	if (header == NULL || !reply_take_code(code, header))
		(void)xml_read(reply->body, on_element, code);
	return cosi_printf(call, "%s", code);
}

bool
azure_error_is(struct cosi_call *call, const struct cosi_http_reply *reply, int status,
	       const char *code)
{
	return reply->status == status && strcmp(azure_error_code(call, reply), code) == 0;
}

bool
azure_is_absent(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	return azure_error_is(call, reply, 404, "ContainerNotFound") &&
	       reply_header(reply, "x-ms-request-id") != NULL;
}

int
azure_fail(struct cosi_call *call, const struct cosi_http_reply *reply)
{
	const char *code = azure_error_code(call, reply);

	if (reply->status / 100 == 2)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the answer %d cannot be understood: is this Azure Blob Storage?",
				 reply->status);
	/* An old date is refused with the same code as a bad key. */
	if (reply->status == 403 && llabs(reply_skew(call, reply)) > SKEW_MAX_S)
		return reply_fail_skewed(call, reply);
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (strcmp(code, meanings[i].code) == 0)
			return cosi_fail(call, meanings[i].means, "the store answered %d %s%s%s",
					 reply->status, code, meanings[i].hint != NULL ? ": " : "",
					 meanings[i].hint != NULL ? meanings[i].hint : "");
	if (code[0] == '\0')
		code = "without a reason";
	return cosi_fail(call, reply_meaning(reply->status), "the store answered %d %s",
			 reply->status, code);
}
