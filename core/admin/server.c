/* SPDX-License-Identifier: Apache-2.0
 * server.c - accepts, checks who connects, and serves each session on a thread of its own. */
#include "admin/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "admin/protocol.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/unix_socket.h"

#include "banned.h"

enum { ACCEPT_PAUSE_MS = 100 };

struct admin_session {
	struct admin *admin;
	bool open;
	bool asked; /* its request is complete */
	bool cut;   /* it made room for another before that */
	uint64_t number;
	int fd;
};

struct admin {
	struct admin_config config;
	struct unix_socket node;
	int stop_fd;
	atomic_bool stopping;
	pthread_t thread;
	pthread_mutex_t mutex; /* what follows */
	pthread_cond_t closed;
	uint64_t nstarted;
	struct admin_session sessions[ADMIN_SESSIONS_MAX];
};

/* ---- sessions ----------------------------------------------------------------------- */

static void *
session_main(void *arg)
{
	struct admin_session *slot = arg;
	struct admin *admin = slot->admin;
	struct session session = { &admin->config, &admin->stopping, slot->fd, false };
	json_t *request = session_receive(&session);
	const json_t *backend = json_object_get(request, "backend");
	const char *command = json_string_value(json_object_get(request, "command"));
	bool cut;

	pthread_mutex_lock(&admin->mutex);
	slot->asked = true;
	cut = slot->cut;
	pthread_mutex_unlock(&admin->mutex);
	if (request == NULL || cut)
		; /* the client was told */
	else if (command == NULL || (backend != NULL && !json_is_string(backend)))
		(void)session_fail(&session, COSI_INVALID, "'command' or 'backend' is not a text");
	else if (strcmp(command, "status") == 0)
		admin_status(&session);
	else if (strcmp(command, "reload") == 0)
		admin_reload(&session);
	else if (strcmp(command, "list") == 0)
		admin_list(&session, json_string_value(backend));
	else
		(void)session_fail(&session, COSI_UNSUPPORTED, "unknown command");
	json_decref(request);

	LOCK_SCOPE(&admin->mutex);
	(void)close(slot->fd);
	slot->open = false;
	pthread_cond_signal(&admin->closed);
	return NULL;
}

static bool
is_administrator(int fd)
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

/* A free slot, with the mutex; NULL: none.  A session that has not asked for anything yet makes
 * room, the oldest first: those that never will must not keep a reload out. */
static struct admin_session *
session_slot(struct admin *admin)
{
	struct admin_session *oldest = NULL;

	for (size_t i = 0; i < ADMIN_SESSIONS_MAX; i++) {
		struct admin_session *slot = &admin->sessions[i];

		if (!slot->open)
			return slot;
		if (!slot->asked && (oldest == NULL || slot->number < oldest->number))
			oldest = slot;
	}
	if (oldest == NULL)
		return NULL;
	oldest->cut = true;
	(void)shutdown(oldest->fd, SHUT_RDWR);
	while (oldest->open)
		pthread_cond_wait(&admin->closed, &admin->mutex);
	return oldest;
}

/* Takes over the descriptor. */
static void
session_start(struct admin *admin, int fd)
{
	struct session refused = { &admin->config, &admin->stopping, fd, false };
	struct admin_session *slot;
	pthread_t thread;

	if (!is_administrator(fd)) {
		(void)session_fail(&refused, COSI_DENIED,
				   "only root and the user that cosid runs as may connect");
		(void)close(fd);
		return;
	}
	pthread_mutex_lock(&admin->mutex);
	slot = session_slot(admin);
	if (slot != NULL)
		*slot = (struct admin_session){
			.admin = admin, .open = true, .number = admin->nstarted++, .fd = fd
		};
	pthread_mutex_unlock(&admin->mutex);
	if (slot != NULL && thread_start(&thread, "admin-session", session_main, slot) == 0) {
		(void)pthread_detach(thread);
		return;
	}
	if (slot == NULL)
		(void)session_fail(&refused, COSI_EXHAUSTED, "too many admin sessions (%d)",
				   ADMIN_SESSIONS_MAX);
	else
		(void)session_fail(&refused, COSI_EXHAUSTED, "cannot start a thread");
	LOCK_SCOPE(&admin->mutex);
	(void)close(fd);
	if (slot != NULL)
		slot->open = false;
}

static void *
admin_main(void *arg)
{
	struct admin *admin = arg;
	struct pollfd events[] = { { .fd = admin->node.fd, .events = POLLIN },
				   { .fd = admin->stop_fd, .events = POLLIN } };

	while (!atomic_load(&admin->stopping)) {
		int fd;

		(void)poll(events, sizeof events / sizeof events[0], -1);
		fd = accept4(admin->node.fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			session_start(admin, fd);
		else if (errno != EAGAIN && errno != EINTR) /* EMFILE, ENOMEM, ... */
			(void)poll(&events[1], 1, ACCEPT_PAUSE_MS);
	}
	return NULL;
}

/* ---- start and stop ----------------------------------------------------------------- */

/* The commands are for root and for cosid's user: no other may get as far as the socket. */
static int
check_directory(const struct admin *admin, struct status *status)
{
	CLEANUP_FREE char *path = strdup(admin->config.path);
	struct stat st;

	if (path == NULL)
		return status_no_memory(status);
	*strrchr(path, '/') = '\0';
	if (lstat(path, &st) != 0)
		return status_fail(status, COSI_INVALID, "cannot inspect '%s': %s", path,
				   strerrordesc_np(errno));
	if (!S_ISDIR(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid()) ||
	    (st.st_mode & 077) != 0)
		return status_fail(status, COSI_DENIED,
				   "'%s' must be a directory of root or of cosid's user, closed to "
				   "all others (0700)",
				   path);
	return 0;
}

static void
admin_free(struct admin *admin)
{
	unix_socket_close(&admin->node);
	if (admin->stop_fd >= 0)
		(void)close(admin->stop_fd);
	pthread_cond_destroy(&admin->closed);
	pthread_mutex_destroy(&admin->mutex);
	free(admin);
}

struct admin *
admin_start(const struct admin_config *config, struct status *status)
{
	struct admin *admin = calloc(1, sizeof *admin);
	int error;

	if (admin == NULL) {
		status_no_memory(status);
		return NULL;
	}
	admin->config = *config;
	admin->node.fd = admin->stop_fd = -1;
	pthread_mutex_init(&admin->mutex, NULL);
	pthread_cond_init(&admin->closed, NULL);
	if (check_directory(admin, status) < 0 ||
	    unix_socket_open(&admin->node, config->path, 0600, status) < 0)
		goto failed;
	admin->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (admin->stop_fd < 0) {
		status_fail(status, COSI_EXHAUSTED, "cannot make an eventfd: %s",
			    strerrordesc_np(errno));
		goto failed;
	}
	error = thread_start(&admin->thread, "admin", admin_main, admin);
	if (error == 0)
		return admin;
	status_fail(status, COSI_EXHAUSTED, "cannot start a thread: %s", strerrordesc_np(error));
failed:
	status_fail(status, 0, "cannot open the admin socket '%s'", config->path);
	admin_free(admin);
	return NULL;
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
	reload_queue_close(admin->config.reloads);
	pthread_mutex_lock(&admin->mutex);
	for (size_t i = 0; i < ADMIN_SESSIONS_MAX; i++)
		if (admin->sessions[i].open)
			(void)shutdown(admin->sessions[i].fd, SHUT_RD);
	for (size_t i = 0; i < ADMIN_SESSIONS_MAX; i++)
		while (admin->sessions[i].open)
			pthread_cond_wait(&admin->closed, &admin->mutex);
	pthread_mutex_unlock(&admin->mutex);
	admin_free(admin);
}
