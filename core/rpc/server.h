/* SPDX-License-Identifier: Apache-2.0
 * server.h - the gRPC server on one UNIX socket: all dialects.
 */
#ifndef COSID_RPC_SERVER_H
#define COSID_RPC_SERVER_H
#include <sys/types.h>

#include "base/status.h"
#include "router/router.h"

struct server;
struct server_config {
	const char *socket_path;
	mode_t socket_mode;
	bool peers_limited;
	size_t npeer_uids, npeer_gids;
	const uid_t *peer_uids;
	const gid_t *peer_gids;
	int listen_fd; /* an inherited socket (socket activation), or -1 */
	/* The sign of life of the polling thread, every beat_ms (0: never), busy or not. */
	void (*beat)(void);
	int64_t beat_ms;
};
/* Binds, listens and serves.  NULL with status: a live socket is there, a bad path, ... */
struct server *server_start(const struct server_config *config, struct router *router,
			    struct status *status);
/* Lets connect by the mode and the peers of this configuration from now on.  Whoever is connected
 * and not among the peers any more goes, when its calls are over.  The mode counts for new ones
 * alone, and that of an inherited socket is not ours.  Main thread.  0, or -1: one of them is as it
 * was.
 */
int server_admit(struct server *server, const struct server_config *config, struct status *status);
/* Stops accepting, removes the socket node if it is still ours, lets calls in flight finish within
 * drain_ms, then answers them UNAVAILABLE.  Frees the server.  0: none was cut off so. */
int server_stop(struct server *server, int64_t drain_ms);
/* After server_stop(), once: ends the C core's own threads, if there are any.  One of them stays up
 * to 10 s where a client let its answers pile up and went (measured with 1.51). */
void server_done(void);

#endif
