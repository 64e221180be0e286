/* SPDX-License-Identifier: Apache-2.0
 * admin.h - the administrator's socket: status, reload, list; cosictl(1) speaks to it.
 *
 * A peer (root, or the user that the daemon runs as) sends one line of JSON and gets lines of JSON:
 *
 *   {"command":"status"}                  {"code":"OK", "generation":7, "backends":[...], ...}
 *   {"command":"reload"}                  {"code":"OK", "generation":8, "messages":[...], ...}
 *   {"command":"list","backend":"east"}   {"item":{"kind":"bucket","native":"photos",...}} ...
 *                                         {"code":"OK"}
 *
 * The line with "code" is the last one; any other code than OK comes with an "error".
 */
#ifndef COSID_ADMIN_ADMIN_H
#define COSID_ADMIN_ADMIN_H
#include "admin/desk.h"
#include "base/status.h"
#include "router/router.h"

/* Peers that are served at once, bytes of a request, and how long one may take to be sent. */
enum { ADMIN_PEERS_MAX = 8, ADMIN_REQUEST_MAX = 4096, ADMIN_PATIENCE_S = 10 };

struct admin_config {
	const char *path;        /* of the socket; borrowed until admin_stop() */
	const char *socket_path; /* of the COSI socket, for status; likewise */
	struct router *router;   /* borrowed; outlives the admin */
	struct desk *desk;       /* borrowed; outlives the admin */
};

struct admin;
/* Makes the socket's directory when it is missing (0700), listens, serves on threads of its own.
 * NULL with status: the directory is open to others, a live socket is there, ... */
struct admin *admin_start(const struct admin_config *config, struct status *status);
/* Ends what is under way, waits for it, removes the socket.  NULL is fine. */
void admin_stop(struct admin *admin);

#endif
