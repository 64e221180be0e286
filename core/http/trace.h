/* SPDX-License-Identifier: Apache-2.0
 * trace.h - one debug line per try. */
#ifndef COSID_HTTP_TRACE_H
#define COSID_HTTP_TRACE_H
#include "http/handle.h"

/* Method, host, path, status, time, size, the store's request id; no query values, no other
 * headers, no bodies. */
void trace_attempt(const struct handle *handle, const struct attempt *attempt);

#endif
