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

/* A refused peer that keeps trying is logged once a minute; so many users are told apart. */
enum { PEERS_REMEMBERED = 64 };
struct peers_refused {
	uid_t uid;
	int64_t logged_ms; /* monotonic; 0: free */
};

struct peers {
	pthread_mutex_t mutex; /* the lists */
	bool limited;          /* false: the socket's permissions decide alone */
	size_t nuids, ngids;
	uid_t *uids; /* owned */
	gid_t *gids; /* owned */
	struct peers_refused refused[PEERS_REMEMBERED];
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
/* Has this user's refusal to be logged now?  Remembers that it was. */
bool peers_should_log(struct peers *peers, uid_t uid, int64_t now_ms);
/* Whose the other end of this socket is, as the kernel noted when it connected; -1: not known. */
uid_t peers_uid(int fd);
/* May whoever is at the other end of this socket stay?  Refusals are logged.  One thread,
 * whoever changes the lists meanwhile. */
bool peers_allow(struct peers *peers, int fd);

#endif
