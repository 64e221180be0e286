/* SPDX-License-Identifier: Apache-2.0
 * fault.h - is it the answer that was hoped for, and what does a refusal mean?
 *
 * Source: "Common REST API error codes", "Blob service error codes" (REST reference of Azure
 * Storage).  Some refusals have no code at all: then the status decides.
 */
#ifndef AZURE_FAULT_H
#define AZURE_FAULT_H
#include <stdbool.h>

#include "cosi_module.h"

/* Did Azure Blob Storage itself answer that status, and not somebody on the way? */
bool azure_answered(const struct cosi_http_reply *reply, int status);
/* The error code: from its header, else from the document; "" when there is none.  From the call's
 * memory, at most 64 characters of [A-Za-z0-9]. */
const char *azure_error_code(struct cosi_call *call, const struct cosi_http_reply *reply);
bool azure_error_is(struct cosi_call *call, const struct cosi_http_reply *reply, int status,
		    const char *code);
/* "There is no such container", said for certain. */
bool azure_is_absent(struct cosi_call *call, const struct cosi_http_reply *reply);
/* Fails the call with what the answer means; a success that was not expected, too.  Always
 * negative.  Never COSI_NOT_FOUND: what is gone unexpectedly is somebody else's work: BUSY. */
int azure_fail(struct cosi_call *call, const struct cosi_http_reply *reply);

#endif
