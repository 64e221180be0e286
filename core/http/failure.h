/* SPDX-License-Identifier: Apache-2.0
 * failure.h - what the end of a transfer means: an answer, or which error in which words. */
#ifndef COSID_HTTP_FAILURE_H
#define COSID_HTTP_FAILURE_H
#include "http/handle.h"

/* Fills the results of the attempt from what libcurl returned. */
void failure_judge(struct handle *handle, struct attempt *attempt, CURLcode code);

/* The statuses that mean "later": 429, 500, 502, 503, 504. */
bool failure_status_passes(int status);
/* An intermediary gave up; the store may still carry out the request: 408, 502, 504. */
bool failure_status_unknown(int status);

#endif
