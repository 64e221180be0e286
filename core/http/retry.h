/* SPDX-License-Identifier: Apache-2.0
 * retry.h - how long to wait before the next try. */
#ifndef COSID_HTTP_RETRY_H
#define COSID_HTTP_RETRY_H
#include "http/http.h"

enum { RETRY_FIRST_MS = 100, RETRY_MAX_MS = 2000 };

/* ntried: 1 after the first try.  retry_after: the header's value or NULL.  Between half and the
 * whole of 100 ms, 200 ms, ... 2 s; never less than the store asks for. */
int64_t retry_delay_ms(unsigned ntried, const char *retry_after);

/* Waits.  false: not worth it, the deadline comes first, or the caller left while it waited. */
bool retry_wait(const struct http_call *call, int64_t delay_ms);

#endif
