/* SPDX-License-Identifier: Apache-2.0
 * reply.h - what the answers of all stores have alike: headers, error codes, a clock. */
#ifndef LIB_TEXT_REPLY_H
#define LIB_TEXT_REPLY_H
#include <stdbool.h>

#include "cosi_module.h"

enum { REPLY_CODE_MAX = 65 };

/* NULL: the reply has no such header.  name: in lower case. */
const char *reply_header(const struct cosi_http_reply *reply, const char *name);
/* Copies an error code of 1 to 64 characters of [A-Za-z0-9]; false: it is none. */
bool reply_take_code(char out[REPLY_CODE_MAX], const char *code);
/* What a refusal means by its status alone, an enum cosi_code: for one whose code is in no table of
 * the store's, or that has none.  INTERNAL: a request that only cosid can have made wrong. */
uint32_t reply_meaning(int status);
/* Seconds that the store's clock is ahead of ours, by the header Date; 0 when there is none. */
int64_t reply_skew(struct cosi_call *call, const struct cosi_http_reply *reply);
/* Fails the call, UNAVAILABLE, with both times in the text. */
int reply_fail_skewed(struct cosi_call *call, const struct cosi_http_reply *reply);

#endif
