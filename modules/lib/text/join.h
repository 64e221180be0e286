/* SPDX-License-Identifier: Apache-2.0
 * join.h - many short texts into one, at the cost of one. */
#ifndef LIB_TEXT_JOIN_H
#define LIB_TEXT_JOIN_H
#include <stddef.h>

#include "cosi_module.h"

/* KEY colon VALUE of each part, comma between two of them, end after the last; without values when
 * colon is NULL.  From the call's memory; the empty string when there are no parts or the call has
 * failed. */
const char *text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts,
		      const char *colon, const char *comma, const char *end);

#endif
