/* SPDX-License-Identifier: Apache-2.0
 * connect.h - a connection to a UNIX socket, so that "nobody listens" is known at once.
 */
#ifndef COSID_CLI_CONNECT_H
#define COSID_CLI_CONNECT_H
#include <stdint.h>

/* The descriptor, blocking; -1 with errno.  It waits that long for a full backlog. */
int connect_unix(const char *path, int64_t timeout_ms);

#endif
