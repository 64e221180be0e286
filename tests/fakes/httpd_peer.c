/* SPDX-License-Identifier: Apache-2.0
 * httpd_peer.c - one connection of the scripted server. */
#include "fakes/httpd_peer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "banned.h"

enum { IN_MAX = 4 * 1024 * 1024, DRIP_MS = 20 };

void
httpd_need(bool ok, const char *what)
{
	if (!ok) {
		(void)fprintf(stderr, "httpd: %s: %m\n", what);
		abort();
	}
}

struct peer *
peer_new(struct httpd *httpd, int fd)
{
	struct peer *peer = calloc(1, sizeof *peer);

	httpd_need(peer != NULL && (peer->in = calloc(1, IN_MAX + 1)) != NULL, "no memory");
	peer->httpd = httpd;
	peer->fd = fd;
	return peer;
}

void
peer_free(struct peer *peer)
{
	SSL_free(peer->tls);
	(void)close(peer->fd);
	free(peer->in);
	free(peer);
}

/* false: httpd_stop() came first, or the peer has something to say (also: it left). */
static bool
readable(struct peer *peer, int timeout_ms)
{
	struct pollfd fds[2] = { { peer->fd, POLLIN, 0 }, { peer->httpd->wake[0], POLLIN, 0 } };

	if (peer->tls != NULL && SSL_pending(peer->tls) > 0)
		return true;
	(void)poll(fds, 2, timeout_ms);
	return fds[0].revents != 0 && fds[1].revents == 0;
}

/* Appends what came; false: the peer has left, or the server stops. */
static bool
receive(struct peer *peer)
{
	ssize_t n;

	httpd_need(peer->len < IN_MAX, "a request is too large");
	if (!readable(peer, -1))
		return false;
	n = peer->tls != NULL ? SSL_read(peer->tls, peer->in + peer->len, (int)(IN_MAX - peer->len))
			      : recv(peer->fd, peer->in + peer->len, IN_MAX - peer->len, 0);
	if (n <= 0)
		return false;
	peer->len += (size_t)n;
	peer->in[peer->len] = '\0';
	return true;
}

static size_t
content_length(const char *head)
{
	const char *line = strcasestr(head, "\r\nContent-Length: ");
	unsigned long len = 0;

	if (line != NULL)
		httpd_need(sscanf(line + 2, "%*s %lu", &len) == 1, "a bad Content-Length");
	return len;
}

char *
peer_request(struct peer *peer)
{
	char *end, *request;
	size_t len;

	while ((end = strstr(peer->in, "\r\n\r\n")) == NULL)
		if (!receive(peer))
			return NULL;
	len = (size_t)(end - peer->in) + 4;
	if (!httpd_next_is_early(peer->httpd))
		len += content_length(peer->in);
	while (peer->len < len)
		if (!receive(peer))
			return NULL;
	request = strndup(peer->in, len);
	(void)snprintf(peer->line, sizeof peer->line, "%.*s", (int)strcspn(peer->in, "\r"),
		       peer->in);
	peer->len -= len;
	memmove(peer->in, peer->in + len, peer->len + 1);
	return request;
}

static bool
transmit(struct peer *peer, const struct httpd_step *step)
{
	const char *bytes = step->bytes;
	size_t left = step->len;
	ssize_t n;

	while (left > 0) {
		n = peer->tls != NULL ? SSL_write(peer->tls, bytes, (int)left)
				      : send(peer->fd, bytes, left, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		bytes += n;
		left -= (size_t)n;
	}
	return true;
}

/* A release that came after the request counts, even if it came before this. */
static void
wait_release(struct peer *peer)
{
	struct httpd *httpd = peer->httpd;

	pthread_mutex_lock(&httpd->mutex);
	while (peer->releases == httpd->releases && !httpd->stopping)
		pthread_cond_wait(&httpd->changed, &httpd->mutex);
	pthread_mutex_unlock(&httpd->mutex);
}

static bool
transmit_echo(struct peer *peer)
{
	char bytes[1024];

	(void)snprintf(bytes, sizeof bytes, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
		       strlen(peer->line), peer->line);
	return transmit(peer, &(struct httpd_step){ .bytes = bytes, .len = strlen(bytes) });
}

bool
peer_act(struct peer *peer, struct httpd_step step)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	int pause_ms = step.then == HTTPD_DRIP ? DRIP_MS : 0;

	if (step.hold)
		wait_release(peer);
	if (step.echo ? !transmit_echo(peer) : !transmit(peer, &step))
		return false;
	switch (step.then) {
	case HTTPD_KEEP:
		return true;
	case HTTPD_CLOSE:
		return false;
	case HTTPD_RESET:
		(void)setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		return false;
	case HTTPD_HANG:
		wait_release(peer);
		return false;
	case HTTPD_REPEAT:
	case HTTPD_DRIP:
		if (step.again != NULL)
			step = (struct httpd_step){ .bytes = step.again,
						    .len = strlen(step.again) };
		while (!peer->httpd->stopping && !readable(peer, pause_ms) && transmit(peer, &step))
			;
		return false;
	}
	return false;
}

bool
peer_shake_hands(struct peer *peer)
{
	if (peer->httpd->tls == NULL)
		return true;
	peer->tls = SSL_new(peer->httpd->tls);
	httpd_need(peer->tls != NULL && SSL_set_fd(peer->tls, peer->fd) == 1, "no TLS");
	return SSL_accept(peer->tls) == 1;
}
