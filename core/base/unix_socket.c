/* SPDX-License-Identifier: Apache-2.0
 * unix_socket.c - binds without stealing: a stale node is replaced, a live one is refused. */
#include "base/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

#include "banned.h"

/* A client that finds the backlog full does not wait: its connect() fails. */
enum { BACKLOG = 1024, LOCK_TRIES = 200, LOCK_PAUSE_MS = 10 };

/* The lock lives as long as the descriptor.  Others hold it for the moment of their own start. */
static int
lock_directory(const char *path, struct status *status)
{
	CLEANUP_FREE char *directory = strdup(path);
	CLEANUP_FD int fd = -1;
	char *slash;

	if (directory == NULL)
		return status_no_memory(status);
	slash = strrchr(directory, '/');
	if (slash == NULL)
		return status_fail(status, COSI_INVALID,
				   "cannot listen on '%s': the path is not absolute", path);
	slash[slash == directory ? 1 : 0] = '\0';
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return status_fail(status, COSI_INVALID,
				   "cannot listen on '%s': cannot open the directory '%s': %s",
				   path, directory, strerrordesc_np(errno));
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return status_fail(status, COSI_INVALID,
					   "cannot listen on '%s': cannot lock the directory '%s': "
					   "%s",
					   path, directory, strerrordesc_np(errno));
		if (i == LOCK_TRIES)
			return status_fail(status, COSI_UNAVAILABLE,
					   "cannot listen on '%s': another process keeps the "
					   "directory '%s' locked",
					   path, directory);
		(void)poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return take_fd(&fd);
}

/* Makes way for bind(): 0 when nothing is there any more. */
static int
clear_path(const struct sockaddr_un *address, struct status *status)
{
	const char *path = address->sun_path;
	CLEANUP_FD int fd = -1;
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT
			       ? 0
			       : status_fail(status, COSI_INVALID, "cannot listen on '%s': %s",
					     path, strerrordesc_np(errno));
	if (!S_ISSOCK(st.st_mode))
		return status_fail(status, COSI_EXISTS,
				   "cannot listen on '%s': something that is not a socket is there",
				   path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return status_fail(status, COSI_INTERNAL, "cannot make a socket: %s",
				   strerrordesc_np(errno));
	if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
	    errno == EAGAIN || errno == EPROTOTYPE)
		return status_fail(status, COSI_EXISTS,
				   "cannot listen on '%s': another process listens there", path);
	if (errno == ENOENT)
		return 0;
	if (errno != ECONNREFUSED)
		return status_fail(status, COSI_INVALID,
				   "cannot listen on '%s': cannot tell whether another process "
				   "listens there: %s",
				   path, strerrordesc_np(errno));
	log_info("removing the stale socket '%s'", path);
	if (unlink(path) != 0 && errno != ENOENT)
		return status_fail(status, COSI_DENIED,
				   "cannot listen on '%s': cannot remove the stale socket: %s",
				   path, strerrordesc_np(errno));
	return 0;
}

int
unix_socket_open(struct unix_socket *out, const char *path, mode_t mode, struct status *status)
{
	CLEANUP_FD int lock = -1;
	CLEANUP_FD int fd = -1;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	struct stat st;

	if (len >= sizeof address.sun_path)
		return status_fail(status, COSI_INVALID,
				   "cannot listen on '%s': the path is %zu bytes long, at most %zu "
				   "are possible",
				   path, len, sizeof address.sun_path - 1);
	memcpy(address.sun_path, path, len + 1);
	lock = lock_directory(path, status);
	if (lock < 0 || clear_path(&address, status) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return status_fail(status, COSI_INTERNAL, "cannot make a socket: %s",
				   strerrordesc_np(errno));
	/* bind() gives the node the socket's own mode less the umask, which belongs to the whole
	 * process and is left alone: so the node is never too open, and is widened afterwards where
	 * the umask narrowed it. */
	if (fchmod(fd, mode) != 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof address) != 0)
		return status_fail(status, COSI_INVALID, "cannot listen on '%s': %s", path,
				   strerrordesc_np(errno));
	if (lstat(path, &st) != 0 || ((st.st_mode & 07777) != mode && chmod(path, mode) != 0) ||
	    listen(fd, BACKLOG) != 0) {
		status_fail(status, COSI_INVALID, "cannot listen on '%s': %s", path,
			    strerrordesc_np(errno));
		(void)unlink(path);
		return -1;
	}
	*out = (struct unix_socket){
		.fd = take_fd(&fd), .path = path, .bound = true, .dev = st.st_dev, .ino = st.st_ino
	};
	return 0;
}

int
unix_socket_adopt(struct unix_socket *out, const char *path, int fd, struct status *status)
{
	int flags = fcntl(fd, F_GETFL), listens = 0, domain = 0;
	socklen_t len = sizeof listens, domain_len = sizeof domain;

	if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) != 0 || listens == 0 ||
	    domain != AF_UNIX)
		return status_fail(
			status, COSI_INVALID,
			"cannot use descriptor %d: the descriptor is not a listening UNIX socket",
			fd);
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return status_fail(status, COSI_INTERNAL, "cannot use descriptor %d: %s", fd,
				   strerrordesc_np(errno));
	*out = (struct unix_socket){ .fd = fd, .path = path };
	return 0;
}

static bool
node_is_there(const struct unix_socket *node)
{
	struct stat st;

	return lstat(node->path, &st) == 0 && st.st_dev == node->dev && st.st_ino == node->ino;
}

int
unix_socket_set_mode(const struct unix_socket *node, mode_t mode, struct status *status)
{
	if (!node->bound)
		return 0;
	if (!node_is_there(node))
		return status_fail(
			status, COSI_INVALID,
			"cannot set the mode of '%s': another file has replaced the socket",
			node->path);
	if (chmod(node->path, mode) != 0)
		return status_fail(status, COSI_INVALID, "cannot set the mode of '%s': %s",
				   node->path, strerrordesc_np(errno));
	return 0;
}

void
unix_socket_withdraw(struct unix_socket *node)
{
	struct status ignored = { 0 };
	CLEANUP_FD int lock = -1;

	if (node->fd < 0 || !node->bound)
		return;
	/* While this process listens, no other takes the node for a stale one; the lock keeps out
	 * processes that find it gone. */
	lock = lock_directory(node->path, &ignored);
	if (node_is_there(node))
		(void)unlink(node->path);
	node->bound = false;
}

void
unix_socket_close(struct unix_socket *node)
{
	if (node->fd < 0)
		return;
	unix_socket_withdraw(node);
	(void)close(node->fd);
	node->fd = -1;
}
