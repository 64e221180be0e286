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
	bool gone; /* the client, or it reads too slowly: nothing more is sent to it */
};

/* The request, an object that the caller owns; NULL: there is none, and the client was told why if
 * it is still there. */
json_t *session_receive(struct session *session);
/* Sends one line; takes over the value (NULL: none).  0, or -1: no memory, or session->gone. */
int session_send(struct session *session, json_t *value);
/* The last line of a command that has failed. */
int session_fail(struct session *session, uint32_t code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Values: NULL becomes null, secrets "***", what is not UTF-8 an escape.  Returns NULL without
 * memory. */
json_t *session_text(const char *text);
/* "2026-11-21T15:00:00Z"; 0 becomes null. */
json_t *session_time(int64_t wall_s);

/* The commands; each sends its last line. */
void admin_status(struct session *session);
void admin_reload(struct session *session);
/* backend NULL: all of them. */
void admin_list(struct session *session, const char *backend);

#endif
