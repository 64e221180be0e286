/* SPDX-License-Identifier: Apache-2.0
 * ca_store.h - the certificates that a client trusts, read once for all of its connections.
 *
 * libcurl would read the system's bundle for each handle: 3 MiB and 30 ms of CPU each (measured),
 * which makes connections of a burst time out.
 */
#ifndef COSID_HTTP_CA_STORE_H
#define COSID_HTTP_CA_STORE_H
#include <curl/curl.h>

#include "base/status.h"

struct ca_store;
/* ca_file: read now; NULL: the system's, read when the first connection needs it.  NULL with status
 * INVALID naming the file, or EXHAUSTED without memory. */
struct ca_store *ca_store_new(const char *ca_file, struct status *status);
void ca_store_free(struct ca_store *ca);
/* libcurl's CURLOPT_SSL_CTX_FUNCTION; userdata is the struct ca_store.  Any thread. */
CURLcode ca_store_apply_cb(CURL *easy, void *ssl_ctx, void *userdata);

#endif
