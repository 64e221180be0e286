/* SPDX-License-Identifier: Apache-2.0
 * server.h - the gRPC server on one UNIX socket, for all versions of the API.
 */
#ifndef COSID_RPC_SERVER_H
#define COSID_RPC_SERVER_H
#include <sys/types.h>

#include "base/status.h"
#include "rpc/peers.h"
#include "sched/sched.h"

struct server;
struct server_config {
	const char *socket_path;
	mode_t socket_mode;
	struct peers_allowed allowed_peers;
	int listen_fd; /* an inherited socket (socket activation), or -1 */
	/* Called by the polling thread every beat_ms (0: never), busy or not: the sign of life for
	 * systemd's watchdog. */
	void (*beat)(void);
	int64_t beat_ms;
};
/* Binds, listens and serves.  NULL with status: another process listens there, a bad path, ... */
struct server *server_start(const struct server_config *config, struct sched *sched,
			    struct status *status);
/* Applies the mode and the allowed peers of this configuration from now on.  Connections that are
 * not allowed any more are closed when their calls have ended.  The mode applies to new
 * connections; that of an inherited socket is left alone.  Main thread.  0, or -1: one of them is
 * as it was. */
int server_admit(struct server *server, const struct server_config *config, struct status *status);
/* Stops accepting, removes the socket node if no other file has replaced it, lets open calls finish
 * within drain_ms, then answers them UNAVAILABLE.  Frees the server.  0, or -1: calls were cut off.
 */
int server_stop(struct server *server, int64_t drain_ms);
/* After server_stop(), once: ends the C core's own threads, if there are any.  One of them stays up
 * to 10 s where a client let its answers pile up and went (measured with 1.51). */
void server_done(void);

#endif
