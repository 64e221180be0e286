/* SPDX-License-Identifier: Apache-2.0
 * peers.c - asks the kernel who connected, and looks that up. */
#include "rpc/peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#include "banned.h"

enum { LOG_EVERY_MS = 60000 };

static void *
copy(const void *from, size_t n, size_t size)
{
	void *to = calloc(n + 1, size);

	if (to != NULL && n > 0)
		memcpy(to, from, n * size);
	return to;
}

int
peers_init(struct peers *peers, bool limited, const uid_t *uids, size_t nuids, const gid_t *gids,
	   size_t ngids)
{
	*peers = (struct peers){ .mutex = PTHREAD_MUTEX_INITIALIZER,
				 .limited = limited,
				 .nuids = nuids,
				 .ngids = ngids };
	peers->uids = copy(uids, nuids, sizeof *uids);
	peers->gids = copy(gids, ngids, sizeof *gids);
	if (peers->uids != NULL && peers->gids != NULL)
		return 0;
	peers_done(peers);
	return -1;
}

void
peers_done(struct peers *peers)
{
	free(peers->uids);
	free(peers->gids);
	*peers = (struct peers){ 0 };
}

int
peers_change(struct peers *peers, bool limited, const uid_t *uids, size_t nuids, const gid_t *gids,
	     size_t ngids)
{
	CLEANUP_FREE uid_t *new_uids = copy(uids, nuids, sizeof *uids);
	CLEANUP_FREE gid_t *new_gids = copy(gids, ngids, sizeof *gids);

	if (new_uids == NULL || new_gids == NULL)
		return -1;
	LOCK_SCOPE(&peers->mutex);
	free(peers->uids);
	free(peers->gids);
	peers->uids = TAKE(new_uids);
	peers->gids = TAKE(new_gids);
	peers->limited = limited;
	peers->nuids = nuids;
	peers->ngids = ngids;
	return 0;
}

static bool
has_gid(const struct peers *peers, gid_t gid)
{
	for (size_t i = 0; i < peers->ngids; i++)
		if (peers->gids[i] == gid)
			return true;
	return false;
}

bool
peers_listed(const struct peers *peers, uid_t uid, const gid_t *gids, size_t ngids)
{
	for (size_t i = 0; i < peers->nuids; i++)
		if (peers->uids[i] == uid)
			return true;
	for (size_t i = 0; i < ngids; i++)
		if (has_gid(peers, gids[i]))
			return true;
	return false;
}

bool
peers_should_log(struct peers_logged *logged, uid_t uid, int64_t now_ms)
{
	size_t oldest = 0;

	for (size_t i = 0; i < PEERS_REMEMBERED; i++) {
		if (logged->users[i].at_ms != 0 && logged->users[i].uid == uid) {
			if (now_ms - logged->users[i].at_ms < LOG_EVERY_MS)
				return false;
			logged->users[i].at_ms = now_ms;
			return true;
		}
		if (logged->users[i].at_ms < logged->users[oldest].at_ms)
			oldest = i;
	}
	logged->users[oldest].uid = uid;
	logged->users[oldest].at_ms = now_ms;
	return true;
}

uid_t
peers_uid(int fd)
{
	struct ucred who;
	socklen_t len = sizeof who;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 ? who.uid : (uid_t)-1;
}

/* The peer's supplementary groups, as they were when it connected; *out is the caller's to free. */
static size_t
supplementary_groups(int fd, gid_t **out)
{
	socklen_t len = 0;
	gid_t *gids;

	*out = NULL;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == 0 || errno != ERANGE)
		return 0;
	gids = malloc(len);
	if (gids == NULL || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, gids, &len) != 0) {
		free(gids);
		return 0;
	}
	*out = gids;
	return len / sizeof *gids;
}

bool
peers_allow(struct peers *peers, int fd)
{
	CLEANUP_FREE gid_t *gids = NULL;
	struct ucred who;
	socklen_t len = sizeof who;
	size_t ngids;

	LOCK_SCOPE(&peers->mutex);
	if (!peers->limited)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0) {
		log_warning("cannot tell who connected, closing: %s", strerrordesc_np(errno));
		return false;
	}
	if (peers_listed(peers, who.uid, &who.gid, 1))
		return true;
	ngids = supplementary_groups(fd, &gids);
	if (peers_listed(peers, who.uid, gids, ngids))
		return true;
	if (peers_should_log(&peers->refused, who.uid, clock_mono_ms()))
		log_warning("refusing a connection of user %u, group %u, process %d: not in "
			    "allowed_peers",
			    who.uid, who.gid, who.pid);
	return false;
}
