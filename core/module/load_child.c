/* SPDX-License-Identifier: Apache-2.0
 * load_child.c - the child's side of load_check.h: one module at a time, loaded, opened, unloaded.
 *
 * Each step begins and ends without a module.  A step succeeds only if no process is left over:
 * as the reaper of its descendants the child has them all as its children.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/secret.h"
#include "module/crash.h"
#include "module/image.h"
#include "module/instance.h"
#include "module/load_check.h"

#include "banned.h"

/* The file that comes ahead of a request, or -1: the daemon has ended the check. */
static int
receive_file(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control,
	};
	int fd;

	if (recvmsg(LOAD_CHECK_FD, &message, MSG_CMSG_CLOEXEC) != 1 ||
	    message.msg_controllen < CMSG_LEN(sizeof(int)) || control.head.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

static int
receive_all(void *out, size_t len)
{
	return recv(LOAD_CHECK_FD, out, len, MSG_WAITALL) == (ssize_t)len ? 0 : -1;
}

void
load_check_enters(const struct cosi_module *module, const char *function)
{
	struct load_check_reply reply = { LOAD_CHECK_LOADS, "" };

	if (function != NULL)
		(void)snprintf(reply.enters, sizeof reply.enters, "%s() of module '%s'", function,
			       module->name);
	(void)!send(LOAD_CHECK_FD, &reply, sizeof reply, MSG_NOSIGNAL);
}

/* false: there is no further request. */
static bool
serve_request(void)
{
	struct load_check_request request;
	/* The descriptor stays open: the loader may know code by its number. */
	struct module_file file = { .name = request.module, .fd = receive_file() };
	struct load_check_reply reply = { "", "" };
	struct status status = { 0 };
	struct abi_module loaded;
	void *settings;
	pid_t pid;

	if (file.fd < 0 || receive_all(&request, sizeof request) < 0)
		return false;
	settings = wiped_malloc(request.settings_len + 1);
	if (settings == NULL ||
	    (request.settings_len > 0 && receive_all(settings, request.settings_len) < 0))
		return false;
	if (abi_load(&loaded, &file, &status) == 0) {
		if (request.opens)
			instance_try_open(&loaded.module, &request, settings);
		abi_unload(&loaded, &file);
		do
			pid = waitpid(-1, NULL, WNOHANG | __WALL);
		while (pid > 0 || (pid < 0 && errno == EINTR));
		if (pid == 0 && request.opens)
			status_fail(&status, COSI_INVALID,
				    "open() of module '%s' left a child process running",
				    request.module);
		else if (pid == 0)
			status_fail(&status, COSI_INVALID, "loading left a child process running");
	}
	wiped_free(settings);
	memcpy(reply.error, status.text, sizeof reply.error);
	return send(LOAD_CHECK_FD, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply;
}

int
load_check_child(void)
{
	crash_expect_exit(); /* a module's exit() is reported by the exit status */
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (serve_request())
		;
	/* No exit handler of a library runs: the daemon does not wait for one. */
	_exit(EXIT_SUCCESS);
}
