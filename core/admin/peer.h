/* SPDX-License-Identifier: Apache-2.0
 * peer.h - inside admin: one connection, and the commands that it may ask for. */
#ifndef COSID_ADMIN_PEER_H
#define COSID_ADMIN_PEER_H
#include <jansson.h>
#include <stdatomic.h>

#include "admin/admin.h"

struct peer {
	const struct admin_config *config;
	const atomic_bool *stopping;
	int fd;
};

/* Reads the request, answers it.  The caller closes. */
void peer_serve(const struct peer *peer);
/* Sends one line; takes over the value (NULL: no memory).  0, or -1: the peer is gone or too slow.
 */
int peer_send(const struct peer *peer, json_t *value);
/* The last line of a command that has failed. */
int peer_fail(const struct peer *peer, uint32_t code, const char *text);

/* The commands; each sends its last line. */
void peer_status(const struct peer *peer);
void peer_reload(const struct peer *peer);
/* backend NULL: all of them. */
void peer_list(const struct peer *peer, const char *backend);

/* Values: NULL becomes null, secrets "***", what is not UTF-8 an escape. */
json_t *peer_text(const char *text);
/* "2026-11-21T15:00:00Z"; 0 becomes null. */
json_t *peer_time(int64_t wall_s);

#endif
