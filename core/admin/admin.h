/* SPDX-License-Identifier: Apache-2.0
 * admin.h - the administrator's socket: status, reload, list.  cosictl(1) is its client.
 *
 * root and the user that the daemon runs as may connect.  A session is one line of JSON from the
 * client and lines of JSON from the daemon:
 *
 *   {"command":"status"}                  {"code":"OK", "generation":7, "backends":[...], ...}
 *   {"command":"reload"}                  {"code":"OK", "generation":8, "messages":[...], ...}
 *   {"command":"list","backend":"east"}   {"item":{"kind":"bucket","native":"photos",...}} ...
 *                                         {"code":"OK"}
 *
 * The line with "code", the name of a gRPC code, is the last one; any other than OK comes with an
 * "error".
 */
#ifndef COSID_ADMIN_ADMIN_H
#define COSID_ADMIN_ADMIN_H
#include "admin/reload_queue.h"
#include "base/log.h"
#include "base/status.h"
#include "sched/sched.h"

/* Sessions at once; bytes of a request; how long a client may take to send the whole request, and
 * to read one line of the answer. */
enum { ADMIN_SESSIONS_MAX = 8, ADMIN_REQUEST_MAX = 4096, ADMIN_SEND_S = 5, ADMIN_READ_S = 10 };

struct admin_config {
	const char *path;             /* of the socket; borrowed until admin_stop() */
	const char *socket_path;      /* of the COSI socket, for status; likewise */
	struct sched *sched;          /* borrowed; outlives the admin */
	struct reload_queue *reloads; /* likewise */
};

struct admin;
/* Listens, and serves on threads of its own.  NULL with status: the directory is missing or open to
 * other users, another process listens there, ... */
struct admin *admin_start(const struct admin_config *config, struct status *status);
/* Ends the sessions, waits for them, removes the socket.  NULL is fine. */
void admin_stop(struct admin *admin);

/* Appends what is wrong with the backends, "; east: circuit breaker open for http://...", and how
 * many instances of older generations are draining.  Nothing when all is well. */
void admin_summary(struct line *line, const struct sched_status *status);

#endif
