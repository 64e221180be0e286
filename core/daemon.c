/* SPDX-License-Identifier: Apache-2.0
 * daemon.c - what the layers are given of the daemon and its configuration. */
#include "daemon.h"

#include <unistd.h>

#include "banned.h"

void
daemon_wake(void *arg)
{
	const struct daemon *daemon = arg;
	const uint64_t one = 1;

	/* A counter that is full wakes as well. */
	(void)!write(daemon->wake_fd, &one, sizeof one);
}

struct sched_config
daemon_sched_config(struct daemon *daemon, const struct config *config)
{
	return (struct sched_config){
		.call_timeout_ms = config->call_timeout_ms,
		.create_settle_ms = config->create_settle_ms,
		.workers = (unsigned)config->workers,
		.reap = daemon_wake,
		.reap_arg = daemon,
	};
}

struct server_config
daemon_server_config(struct daemon *daemon, const struct config *config)
{
	return (struct server_config){
		.socket_path = config->socket_path,
		.socket_mode = config->socket_mode,
		.allowed_peers = { .limited = config->peers_limited,
				   .nuids = config->npeer_uids,
				   .ngids = config->npeer_gids,
				   .uids = config->peer_uids,
				   .gids = config->peer_gids },
		.listen_fd = daemon->listen_fd,
		.beat = systemd_beat,
		.beat_ms = systemd_beat_ms(),
	};
}
