/* SPDX-License-Identifier: Apache-2.0
 * admin.c - accepts, checks who it is, and serves each peer on a thread of its own. */
#include "admin/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "admin/peer.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/unix_socket.h"

#include "banned.h"

struct seat {
	struct admin *admin;
	bool taken;
	int fd;
};

struct admin {
	struct admin_config config;
	struct unix_socket node;
	char *made; /* owned; the directory, when it was made here */
	int stop_fd;
	atomic_bool stopping;
	pthread_t thread;
	pthread_mutex_t mutex; /* what follows */
	pthread_cond_t left;
	struct seat seats[ADMIN_PEERS_MAX];
};

/* ---- peers -------------------------------------------------------------------------- */

static void *
serve(void *arg)
{
	struct seat *seat = arg;
	struct admin *admin = seat->admin;
	const struct peer peer = { &admin->config, &admin->stopping, seat->fd };

	peer_serve(&peer);
	pthread_mutex_lock(&admin->mutex);
	(void)close(seat->fd);
	seat->taken = false;
	pthread_cond_signal(&admin->left);
	pthread_mutex_unlock(&admin->mutex);
	return NULL;
}

static struct seat *
take_seat(struct admin *admin, int fd)
{
	LOCK_SCOPE(&admin->mutex);

	for (size_t i = 0; i < ADMIN_PEERS_MAX; i++) {
		if (admin->seats[i].taken)
			continue;
		admin->seats[i] = (struct seat){ .admin = admin, .taken = true, .fd = fd };
		return &admin->seats[i];
	}
	return NULL;
}

static bool
may_ask(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return false;
	if (peer.uid == 0 || peer.uid == geteuid())
		return true;
	log_warning("refusing user %u on the admin socket", peer.uid);
	return false;
}

/* Takes over the descriptor. */
static void
welcome(struct admin *admin, int fd)
{
	const struct peer refused = { &admin->config, &admin->stopping, fd };
	struct seat *seat = may_ask(fd) ? take_seat(admin, fd) : NULL;
	pthread_t thread;

	if (seat == NULL) {
		(void)peer_fail(&refused, COSI_EXHAUSTED, "not now, or not for you");
		(void)close(fd);
		return;
	}
	if (thread_start(&thread, "admin-peer", serve, seat) == 0) {
		(void)pthread_detach(thread);
		return;
	}
	LOCK_SCOPE(&admin->mutex);
	(void)close(fd);
	seat->taken = false;
}

static void *
accept_all(void *arg)
{
	struct admin *admin = arg;
	struct pollfd events[] = { { .fd = admin->node.fd, .events = POLLIN },
				   { .fd = admin->stop_fd, .events = POLLIN } };

	while (!atomic_load(&admin->stopping)) {
		int fd;

		(void)poll(events, sizeof events / sizeof events[0], -1);
		fd = accept4(admin->node.fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			welcome(admin, fd);
		else if (errno == EMFILE || errno == ENFILE)
			(void)poll(&events[1], 1, 100);
	}
	return NULL;
}

/* ---- start and stop ----------------------------------------------------------------- */

/* Commands are for root and for ourselves, so nobody else may get as far as the socket. */
static int
check_directory(const char *path, struct status *status)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return status_fail(status, COSI_INVALID, "cannot look at '%s': %s", path,
				   strerrordesc_np(errno));
	if (!S_ISDIR(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid()) ||
	    (st.st_mode & 077) != 0)
		return status_fail(status, COSI_DENIED,
				   "'%s' must be a directory of our own user or root's that is "
				   "closed to all others (0700)",
				   path);
	return 0;
}

static int
make_directory(struct admin *admin, struct status *status)
{
	CLEANUP_FREE char *directory = strdup(admin->config.path);

	if (directory == NULL)
		return status_no_memory(status);
	*strrchr(directory, '/') = '\0';
	if (mkdir(directory, 0700) == 0)
		admin->made = strdup(directory);
	return check_directory(directory, status);
}

static void
dispose(struct admin *admin)
{
	unix_socket_close(&admin->node);
	if (admin->made != NULL)
		(void)rmdir(admin->made);
	if (admin->stop_fd >= 0)
		(void)close(admin->stop_fd);
	pthread_cond_destroy(&admin->left);
	pthread_mutex_destroy(&admin->mutex);
	free(admin->made);
	free(admin);
}

static int
start(struct admin *admin, struct status *status)
{
	int error;

	if (make_directory(admin, status) != 0 ||
	    unix_socket_open(&admin->node, admin->config.path, 0600, status) != 0)
		return -1;
	admin->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (admin->stop_fd < 0)
		return status_fail(status, COSI_EXHAUSTED, "%s", strerrordesc_np(errno));
	error = thread_start(&admin->thread, "admin", accept_all, admin);
	if (error != 0)
		return status_fail(status, COSI_EXHAUSTED, "cannot start a thread: %s",
				   strerrordesc_np(error));
	return 0;
}

struct admin *
admin_start(const struct admin_config *config, struct status *status)
{
	struct admin *admin = calloc(1, sizeof *admin);

	if (admin == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	admin->config = *config;
	admin->node.fd = admin->stop_fd = -1;
	pthread_mutex_init(&admin->mutex, NULL);
	pthread_cond_init(&admin->left, NULL);
	if (start(admin, status) == 0)
		return admin;
	(void)status_fail(status, 0, "cannot open the admin socket '%s'", config->path);
	dispose(admin);
	return NULL;
}

static bool
is_anybody_left(const struct admin *admin)
{
	for (size_t i = 0; i < ADMIN_PEERS_MAX; i++)
		if (admin->seats[i].taken)
			return true;
	return false;
}

void
admin_stop(struct admin *admin)
{
	const uint64_t one = 1;

	if (admin == NULL)
		return;
	atomic_store(&admin->stopping, true);
	(void)!write(admin->stop_fd, &one, sizeof one);
	(void)pthread_join(admin->thread, NULL);
	desk_close(admin->config.desk);
	pthread_mutex_lock(&admin->mutex);
	for (size_t i = 0; i < ADMIN_PEERS_MAX; i++)
		if (admin->seats[i].taken)
			(void)shutdown(admin->seats[i].fd, SHUT_RD);
	while (is_anybody_left(admin))
		pthread_cond_wait(&admin->left, &admin->mutex);
	pthread_mutex_unlock(&admin->mutex);
	dispose(admin);
}
