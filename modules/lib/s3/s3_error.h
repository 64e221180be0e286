/* SPDX-License-Identifier: Apache-2.0
 * s3_error.h - what a store's refusal means: status and Code into a cosi_code and words.
 *
 * Sources: the S3 and IAM error documents (XML), the JSON of RADOS Gateway's admin API and of
 * MinIO's.  Message is mostly empty on RADOS Gateway: status and Code decide.
 */
#ifndef LIB_S3_S3_ERROR_H
#define LIB_S3_S3_ERROR_H
#include <stdbool.h>

#include "cosi_module.h"

/* The Code of an error document, XML or JSON; "" when the body has none.  From the call's memory,
 * never NULL, at most 64 characters of [A-Za-z0-9]. */
const char *s3_error_code(struct cosi_call *call, const struct cosi_http_reply *reply);
/* Is it that answer, and not just some server's status? */
bool s3_error_is(struct cosi_call *call, const struct cosi_http_reply *reply, int status,
		 const char *code);
/* Fails the call with what the answer means; a success that was not expected, too.  Add the context
 * with cosi_fail(call, 0, "cannot ...").  Always negative.  Never COSI_NOT_FOUND: whoever expects
 * an absence asks s3_error_is() first, and what is gone unexpectedly is somebody else's work: BUSY.
 */
int s3_error_fail(struct cosi_call *call, const struct cosi_http_reply *reply);

#endif
