/* SPDX-License-Identifier: Apache-2.0
 * unix_socket.h - the listening UNIX socket and its node in the file system.
 *
 * No other file is ever made in the socket's directory (the specification reserves it), so starters
 * that race over a stale node meet at a flock on the directory itself.
 */
#ifndef COSID_BASE_UNIX_SOCKET_H
#define COSID_BASE_UNIX_SOCKET_H
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct unix_socket {
	int fd;           /* -1: none; owned */
	const char *path; /* borrowed */
	bool bound;       /* the node was made here, as dev:ino, and is to be removed */
	dev_t dev;
	ino_t ino;
};

/* Binds and listens; the node is born with that mode or a narrower one.  A socket without a
 * listener is replaced; any other file at the path is an error.  0, or -1 with status, out
 * untouched. */
int unix_socket_open(struct unix_socket *out, const char *path, mode_t mode, struct status *status);
/* Takes over a socket that listens already; its node stays when it is closed. */
int unix_socket_adopt(struct unix_socket *out, const char *path, int fd, struct status *status);
/* Gives the node another mode, unless another file has replaced it.  0, or -1 with status. */
int unix_socket_set_mode(const struct unix_socket *node, mode_t mode, struct status *status);
/* Removes the node if it is still this socket's: no client finds it any more, but clients
 * that have connected can still be accepted.  Nothing is done with one that was adopted. */
void unix_socket_withdraw(struct unix_socket *node);
/* Withdraws and closes. */
void unix_socket_close(struct unix_socket *node);

#endif
