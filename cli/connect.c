/* SPDX-License-Identifier: Apache-2.0
 * connect.c - socket(), connect(). */
#include "connect.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/cleanup.h"

#include "banned.h"

int
connect_unix(const char *path, int64_t timeout_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = timeout_ms / 1000,
				       .tv_usec = timeout_ms % 1000 * 1000 };
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int out;

	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	/* A full backlog makes connect() wait. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	out = fd;
	fd = -1;
	return out;
}
