/* SPDX-License-Identifier: Apache-2.0
 * load_check.c - the daemon's side: it starts the child, asks it, and explains how it ended. */
#include "module/load_check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#include "banned.h"

void
load_check_init(struct load_check *check, int64_t limit_ms)
{
	*check = (struct load_check){ .limit_ms = limit_ms, .fd = -1 };
}

/* A process with one thread forks, which spares a start the loader's 90 libraries; one with more
 * spawns, because another thread's locks would be held in the fork for ever.  Both children begin
 * with default signals, in a process group of their own, and without the caller's descriptors. */
static int
fork_child(pid_t *out_pid, int child_fd)
{
	sigset_t none;

	*out_pid = fork();
	if (*out_pid < 0)
		return errno;
	if (*out_pid > 0) {
		/* By the parent, too: it may have to kill the group before the child has run. */
		(void)setpgid(*out_pid, *out_pid);
		return 0;
	}
	(void)setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(child_fd, LOAD_CHECK_FD) < 0 || close_range(LOAD_CHECK_FD + 1, ~0U, 0) != 0)
		_exit(EXIT_FAILURE);
	for (int fd = 0; fd < LOAD_CHECK_FD; fd++) {
		(void)close(fd);
		if (open("/dev/null", O_RDWR) != fd)
			_exit(EXIT_FAILURE);
	}
	_exit(load_check_child());
}

/* 0 or an errno. */
static int
spawn_child(pid_t *out_pid, int child_fd)
{
	char *const argv[] = { (char *)(uintptr_t) "cosid", (char *)(uintptr_t)LOAD_CHECK_OPTION,
			       NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int error;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	error = posix_spawn_file_actions_init(&files);
	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attr);
	/* First of all: without standard streams, child_fd may be one of those opened here. */
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&files, child_fd, LOAD_CHECK_FD);
	for (int fd = 0; error == 0 && fd < LOAD_CHECK_FD; fd++)
		error = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	if (error == 0) {
		(void)posix_spawnattr_setsigmask(&attr, &none);
		(void)posix_spawnattr_setsigdefault(&attr, &all);
		(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
							      POSIX_SPAWN_SETSIGDEF |
							      POSIX_SPAWN_SETPGROUP);
		error = posix_spawn(out_pid, "/proc/self/exe", &files, &attr, argv, environ);
	}
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	return error;
}

/* 0 or an errno. */
static int
start_child(struct load_check *check)
{
	const struct timeval limit = { check->limit_ms / 1000, check->limit_ms % 1000 * 1000 };
	CLEANUP_FD int mine = -1;
	CLEANUP_FD int child_end = -1;
	int fds[2], error;

	if (check->pid != 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return errno;
	mine = fds[0];
	child_end = fds[1];
	if (setsockopt(mine, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
	    setsockopt(mine, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
		return errno;
	error = __libc_single_threaded ? fork_child(&check->pid, child_end)
				       : spawn_child(&check->pid, child_end);
	if (error != 0) {
		check->pid = 0;
		return error;
	}
	check->fd = take_fd(&mine);
	return 0;
}

/* The whole group: a constructor may have forked.  Returns what waitpid() tells of the child: a
 * child that had ended by itself keeps its own status. */
static int
end_child(struct load_check *check)
{
	int how = 0;

	(void)kill(-check->pid, SIGKILL);
	while (waitpid(check->pid, &how, 0) < 0 && errno == EINTR)
		;
	(void)close(check->fd);
	load_check_init(check, check->limit_ms);
	return how;
}

void
load_check_end(struct load_check *check)
{
	if (check->pid != 0)
		(void)end_child(check);
}

/* 0 or -1 with errno; EAGAIN: the time was up. */
static int
send_all(int fd, const void *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes = (const char *)bytes + n;
		len -= (size_t)n;
	}
	return 0;
}

/* One byte ahead of the request carries the file. */
static int
send_file(int fd, int file)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	const struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control,
	};
	ssize_t n;

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &file, sizeof file);
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : -1;
}

static int
receive_reply(int fd, struct load_check_reply *reply)
{
	size_t len = 0;

	while (len < sizeof *reply) {
		ssize_t n = recv(fd, (char *)reply + len, sizeof *reply - len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) {
			errno = EPIPE;
			return -1;
		}
		len += (size_t)n;
	}
	return 0;
}

/* out_what: the subject of a failure, as in "loading".  0 or -1 with errno. */
static int
ask_child(int fd, const struct module_file *file, const struct load_check_request *request,
	  const void *settings, struct load_check_reply *out, char out_what[LOAD_CHECK_WHAT_MAX])
{
	(void)snprintf(out_what, LOAD_CHECK_WHAT_MAX, LOAD_CHECK_LOADS);
	if (send_file(fd, file->fd) < 0 || send_all(fd, request, sizeof *request) < 0 ||
	    send_all(fd, settings, request->settings_len) < 0)
		return -1;
	while (receive_reply(fd, out) == 0) {
		if (out->enters[0] == '\0')
			return 0;
		memcpy(out_what, out->enters, LOAD_CHECK_WHAT_MAX);
		out_what[LOAD_CHECK_WHAT_MAX - 1] = '\0';
	}
	return -1;
}

static int
run_step(struct load_check *check, const struct module_file *file,
	 const struct load_check_request *request, const void *settings, struct status *status)
{
	char what[LOAD_CHECK_WHAT_MAX];
	struct load_check_reply reply;
	int error = start_child(check), how;

	if (error != 0)
		return status_fail(status, COSI_INTERNAL,
				   "cannot start a process to check module '%s': %s", file->name,
				   strerrordesc_np(error));
	if (ask_child(check->fd, file, request, settings, &reply, what) < 0) {
		error = errno;
		how = end_child(check);
		if (error == EAGAIN)
			return status_fail(status, COSI_INVALID, "%s timed out after %g s", what,
					   (double)check->limit_ms / 1000);
		if (WIFSIGNALED(how))
			return status_fail(status, COSI_INVALID, "%s crashed (SIG%s)", what,
					   sigabbrev_np(WTERMSIG(how)));
		return status_fail(status, COSI_INVALID, "%s ended the process (exit status %d)",
				   what, WEXITSTATUS(how));
	}
	if (reply.error[0] == '\0')
		return 0;
	/* What the module has done to its process must not harm the next one's check. */
	load_check_end(check);
	return status_fail(status, COSI_INVALID, "%.*s", STATUS_TEXT_MAX - 1, reply.error);
}

int
load_check_module(struct load_check *check, const struct module_file *file, struct status *status)
{
	struct load_check_request request = { 0 };

	(void)snprintf(request.module, sizeof request.module, "%s", file->name);
	return run_step(check, file, &request, NULL, status);
}

int
load_check_open(struct load_check *check, const struct module_file *file,
		const struct load_check_backend *backend, struct status *status)
{
	struct load_check_request request = { .opens = true,
					      .settings_len = backend->settings_len };

	(void)snprintf(request.module, sizeof request.module, "%s", file->name);
	(void)snprintf(request.backend, sizeof request.backend, "%s", backend->name);
	if (backend->endpoint != NULL)
		(void)snprintf(request.endpoint, sizeof request.endpoint, "%s", backend->endpoint);
	if (backend->public_url != NULL)
		(void)snprintf(request.public_url, sizeof request.public_url, "%s",
			       backend->public_url);
	return run_step(check, file, &request, backend->settings, status);
}
