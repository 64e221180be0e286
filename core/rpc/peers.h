/* SPDX-License-Identifier: Apache-2.0
 * peers.h - who may connect: the allow-list of users and groups (allowed_peers in the
 * configuration). */
#ifndef COSID_RPC_PEERS_H
#define COSID_RPC_PEERS_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* A message about each user once a minute.  So many users are told apart. */
enum { PEER_LOG_USERS = 64, PEER_LOG_EVERY_MS = 60000 };
struct peer_log {
	struct {
		uid_t uid;
		int64_t at_ms; /* monotonic; 0: free */
	} users[PEER_LOG_USERS];
};

/* Borrowed lists. */
struct peers_allowed {
	bool limited; /* false: the socket's permissions decide alone */
	size_t nuids, ngids;
	const uid_t *uids;
	const gid_t *gids;
};

struct peers {
	pthread_mutex_t mutex; /* guards the lists */
	bool limited;
	size_t nuids, ngids;
	uid_t *uids; /* owned */
	gid_t *gids; /* owned */
	struct peer_log refused;
};

/* Copies the lists.  0, or -1: no memory. */
int peers_init(struct peers *peers, const struct peers_allowed *allowed);
void peers_done(struct peers *peers);
/* Replaces the lists.  Any thread.  0, or -1: no memory, nothing has changed. */
int peers_change(struct peers *peers, const struct peers_allowed *allowed);

/* True when the user is listed, or one of the groups. */
bool peers_listed(const struct peers *peers, uid_t uid, const gid_t *gids, size_t ngids);
/* Returns true when a message about this user is due, and notes that it was logged. */
bool peer_log_due(struct peer_log *log, uid_t uid, int64_t now_ms);
/* The process at the other end of the socket, as the kernel noted it on connect.  0, or -1: the
 * kernel does not say, which is logged. */
int peers_identify(int fd, struct ucred *out);
/* True when the other end of this socket, which is who, may stay.  Refusals are logged.  One thread
 * asks; the lists may change at the same time. */
bool peers_allow(struct peers *peers, int fd, const struct ucred *who);

#endif
