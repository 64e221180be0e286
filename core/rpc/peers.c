/* SPDX-License-Identifier: Apache-2.0
 * peers.c - asks the kernel who connected, and looks that up in the allow-list. */
#include "rpc/peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

static void *
peers_copy(const void *from, size_t n, size_t size)
{
	void *to = calloc(n + 1, size);

	if (to != NULL && n > 0)
		memcpy(to, from, n * size);
	return to;
}

int
peers_init(struct peers *peers, const struct peers_allowed *allowed)
{
	*peers = (struct peers){ .mutex = PTHREAD_MUTEX_INITIALIZER };
	return peers_change(peers, allowed);
}

void
peers_done(struct peers *peers)
{
	free(peers->uids);
	free(peers->gids);
	pthread_mutex_destroy(&peers->mutex);
	*peers = (struct peers){ 0 };
}

int
peers_change(struct peers *peers, const struct peers_allowed *allowed)
{
	CLEANUP_FREE uid_t *uids = peers_copy(allowed->uids, allowed->nuids, sizeof *uids);
	CLEANUP_FREE gid_t *gids = peers_copy(allowed->gids, allowed->ngids, sizeof *gids);

	if (uids == NULL || gids == NULL)
		return -1;
	LOCK_SCOPE(&peers->mutex);
	free(peers->uids);
	free(peers->gids);
	peers->uids = TAKE(uids);
	peers->gids = TAKE(gids);
	peers->limited = allowed->limited;
	peers->nuids = allowed->nuids;
	peers->ngids = allowed->ngids;
	return 0;
}

bool
peers_listed(const struct peers *peers, uid_t uid, const gid_t *gids, size_t ngids)
{
	for (size_t i = 0; i < peers->nuids; i++)
		if (peers->uids[i] == uid)
			return true;
	for (size_t i = 0; i < ngids; i++)
		for (size_t j = 0; j < peers->ngids; j++)
			if (peers->gids[j] == gids[i])
				return true;
	return false;
}

bool
peer_log_due(struct peer_log *log, uid_t uid, int64_t now_ms)
{
	size_t oldest = 0;

	for (size_t i = 0; i < PEER_LOG_USERS; i++) {
		if (log->users[i].at_ms != 0 && log->users[i].uid == uid) {
			if (now_ms - log->users[i].at_ms < PEER_LOG_EVERY_MS)
				return false;
			log->users[i].at_ms = now_ms;
			return true;
		}
		if (log->users[i].at_ms < log->users[oldest].at_ms)
			oldest = i;
	}
	log->users[oldest].uid = uid;
	log->users[oldest].at_ms = now_ms;
	return true;
}

int
peers_identify(int fd, struct ucred *out)
{
	socklen_t len = sizeof *out;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &len) == 0)
		return 0;
	log_warning("refusing a connection: the kernel does not say who connected: %s",
		    strerrordesc_np(errno));
	return -1;
}

bool
peers_allow(struct peers *peers, int fd, const struct ucred *who)
{
	CLEANUP_FREE gid_t *gids = NULL;
	socklen_t len = 0;

	LOCK_SCOPE(&peers->mutex);
	if (!peers->limited || peers_listed(peers, who->uid, &who->gid, 1))
		return true;
	/* The supplementary groups, as they were when the peer connected. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) < 0 && errno == ERANGE)
		gids = malloc(len);
	if (gids == NULL || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, gids, &len) < 0)
		len = 0;
	if (peers_listed(peers, who->uid, gids, len / sizeof *gids))
		return true;
	if (peer_log_due(&peers->refused, who->uid, clock_mono_ms()))
		log_warning("refusing a connection of user %u, group %u, process %d: not in "
			    "allowed_peers",
			    who->uid, who->gid, who->pid);
	return false;
}
