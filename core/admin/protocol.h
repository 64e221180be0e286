/* SPDX-License-Identifier: Apache-2.0
 * protocol.h - inside admin: one session, its JSON lines, and the commands. */
#ifndef COSID_ADMIN_PROTOCOL_H
#define COSID_ADMIN_PROTOCOL_H
#include <jansson.h>
#include <stdatomic.h>

#include "admin/admin.h"

struct session {
	const struct admin_config *config;
	const atomic_bool *stopping;
	int fd;
};

/* The request, an object that the caller owns; NULL: there is none, and the client was told why if
 * it is still there. */
json_t *session_receive(const struct session *session);
/* Sends one line; takes over the value (NULL: no memory).  0, or -1: the client is gone or too
 * slow. */
int session_send(const struct session *session, json_t *value);
/* The last line of a command that has failed. */
int session_fail(const struct session *session, uint32_t code, const char *text);

/* Values: NULL becomes null, secrets "***", what is not UTF-8 an escape. */
json_t *session_text(const char *text);
/* "2026-11-21T15:00:00Z"; 0 becomes null. */
json_t *session_time(int64_t wall_s);

/* The commands; each sends its last line. */
void admin_status(const struct session *session);
void admin_reload(const struct session *session);
/* backend NULL: all of them. */
void admin_list(const struct session *session, const char *backend);

#endif
