/* SPDX-License-Identifier: Apache-2.0
 * peers.h - who may connect: the allow-list of users and groups (allowed_peers in the
 * configuration). */
#ifndef COSID_RPC_PEERS_H
#define COSID_RPC_PEERS_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose doings were logged when: once a minute is enough.  So many users are told apart. */
enum { PEERS_REMEMBERED = 64 };
struct peers_logged {
	struct {
		uid_t uid;
		int64_t at_ms; /* monotonic; 0: free */
	} users[PEERS_REMEMBERED];
};

struct peers {
	pthread_mutex_t mutex; /* the lists */
	bool limited;          /* false: the socket's permissions decide alone */
	size_t nuids, ngids;
	uid_t *uids; /* owned */
	gid_t *gids; /* owned */
	struct peers_logged refused;
};

/* Copies the lists.  0, or -1: no memory. */
int peers_init(struct peers *peers, bool limited, const uid_t *uids, size_t nuids,
	       const gid_t *gids, size_t ngids);
void peers_done(struct peers *peers);
/* Others from now on.  Any thread.  0, or -1: no memory, nothing has changed. */
int peers_change(struct peers *peers, bool limited, const uid_t *uids, size_t nuids,
		 const gid_t *gids, size_t ngids);

/* Is the user listed, or one of the groups? */
bool peers_listed(const struct peers *peers, uid_t uid, const gid_t *gids, size_t ngids);
/* Is it time to log that of this user?  Remembers that it was. */
bool peers_should_log(struct peers_logged *logged, uid_t uid, int64_t now_ms);
/* Whose the other end of this socket is, as the kernel noted when it connected; -1: not known. */
uid_t peers_uid(int fd);
/* May whoever is at the other end of this socket stay?  Refusals are logged.  One thread
 * asks; the lists may change meanwhile. */
bool peers_allow(struct peers *peers, int fd);

#endif
