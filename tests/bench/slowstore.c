/* SPDX-License-Identifier: Apache-2.0
 * slowstore.c - a fake store that answers every request with 200 after a delay, thousands at once.
 *
 *   slowstore DELAY_MS      prints its port; one thread, epoll; ends at SIGTERM
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"

#include "banned.h"

enum { QUEUE = 8192 };

/* Answers fall due in the order of their requests, as the delay is the same for all. */
static struct {
	int fd;
	int64_t due_ms;
} due[QUEUE];
static size_t head, tail;

static int
listen_on_free_port(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof addr;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, len) != 0 || listen(fd, 1024) != 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) != 0)
		exit(1);
	(void)printf("%d\n", ntohs(addr.sin_port));
	(void)fflush(stdout);
	return fd;
}

static void
accept_all(int epoll, int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
		(void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	}
}

/* A request of the benchmark is small and comes in one piece. */
static void
read_request(int fd, int64_t delay_ms)
{
	static char buf[16384];
	ssize_t n = recv(fd, buf, sizeof buf, 0);

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		(void)close(fd);
		return;
	}
	if (n > 0) {
		due[tail % QUEUE].fd = fd;
		due[tail % QUEUE].due_ms = clock_mono_ms() + delay_ms;
		tail++;
	}
}

static int
answer_due(void)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	int64_t now = clock_mono_ms();

	for (; head < tail && due[head % QUEUE].due_ms <= now; head++)
		(void)send(due[head % QUEUE].fd, answer, sizeof answer - 1, MSG_NOSIGNAL);
	return head < tail ? (int)(due[head % QUEUE].due_ms - now) : -1;
}

int
main(int argc, char **argv)
{
	int64_t delay_ms = 0;
	int listener, epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[256];

	if (argc != 2 || parse_int(argv[1], &delay_ms) != 0 || epoll < 0)
		return 2;
	listener = listen_on_free_port();
	(void)epoll_ctl(epoll, EPOLL_CTL_ADD, listener,
			&(struct epoll_event){ .events = EPOLLIN, .data.fd = listener });
	for (;;) {
		int n = epoll_wait(epoll, events, 256, answer_due());
		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener)
				accept_all(epoll, listener);
			else
				read_request(events[i].data.fd, delay_ms);
		}
	}
}
