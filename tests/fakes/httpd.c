/* SPDX-License-Identifier: Apache-2.0
 * httpd.c - a scripted HTTP server in threads: says what it is told, byte by byte, and remembers.
 */
#include "fakes/httpd_peer.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "banned.h"

enum { PATIENCE_S = 30 };

/* The caller holds the mutex. */
static const struct httpd_step *
next_step(const struct httpd *httpd)
{
	const struct script *script = httpd->script;
	size_t n = httpd->nrequests;

	return &script->steps[n < script->nsteps ? n : script->nsteps - 1];
}

bool
httpd_next_is_early(struct httpd *httpd)
{
	bool early;

	pthread_mutex_lock(&httpd->mutex);
	early = next_step(httpd)->early != 0;
	pthread_mutex_unlock(&httpd->mutex);
	return early;
}

/* Counts the request, keeps its bytes, says what to do. */
static struct httpd_step
note(struct peer *peer, char *request)
{
	struct httpd *httpd = peer->httpd;
	struct httpd_step step;
	size_t n;

	pthread_mutex_lock(&httpd->mutex);
	peer->releases = httpd->releases;
	step = *next_step(httpd);
	n = httpd->nrequests++;
	if (n < REQUESTS_KEPT)
		httpd->requests[n] = request;
	else
		free(request);
	pthread_cond_broadcast(&httpd->changed);
	pthread_mutex_unlock(&httpd->mutex);
	return step;
}

static void *
serve(void *arg)
{
	struct peer *peer = arg;
	struct httpd *httpd = peer->httpd;
	char *request;
	sigset_t pipe_signal;

	/* OpenSSL writes without MSG_NOSIGNAL. */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL);
	if (peer_shake_hands(peer))
		while ((request = peer_request(peer)) != NULL &&
		       peer_act(peer, note(peer, request)))
			;
	peer_free(peer);
	pthread_mutex_lock(&httpd->mutex);
	httpd->nopen--;
	pthread_cond_broadcast(&httpd->changed);
	pthread_mutex_unlock(&httpd->mutex);
	return NULL;
}

static void *
accept_all(void *arg)
{
	struct httpd *httpd = arg;
	struct pollfd fds[2] = { { httpd->fd, POLLIN, 0 }, { httpd->wake[0], POLLIN, 0 } };
	pthread_t thread;
	int fd;

	while (poll(fds, 2, -1) > 0 && fds[1].revents == 0) {
		fd = accept4(httpd->fd, NULL, NULL, SOCK_CLOEXEC);
		httpd_need(fd >= 0, "cannot accept");
		pthread_mutex_lock(&httpd->mutex);
		httpd->nconnections++;
		httpd->nopen++;
		pthread_mutex_unlock(&httpd->mutex);
		httpd_need(pthread_create(&thread, NULL, serve, peer_new(httpd, fd)) == 0,
			   "no thread");
		pthread_detach(thread);
	}
	return NULL;
}

static SSL_CTX *
load_tls(const struct httpd_tls *tls)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	httpd_need(ctx != NULL && SSL_CTX_use_certificate_chain_file(ctx, tls->cert_path) == 1 &&
			   SSL_CTX_use_PrivateKey_file(ctx, tls->key_path, SSL_FILETYPE_PEM) == 1,
		   "no certificate");
	return ctx;
}

static char *
copy_bytes(const char *bytes, size_t len)
{
	char *copy = malloc(len + 1);

	httpd_need(copy != NULL, "no memory");
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

static void
copy_script(struct httpd *httpd, const struct httpd_step *steps, size_t nsteps)
{
	struct script *script = calloc(1, sizeof *script + nsteps * sizeof *steps);

	httpd_need(script != NULL, "no memory");
	script->nsteps = nsteps;
	script->next = httpd->script;
	httpd->script = script;
	for (size_t i = 0; i < nsteps; i++) {
		struct httpd_step *step = &script->steps[i];

		*step = steps[i];
		if (step->bytes == NULL)
			step->bytes = "";
		if (step->len == 0)
			step->len = strlen(step->bytes);
		step->bytes = copy_bytes(step->bytes, step->len);
	}
}

static void
free_scripts(struct script *script)
{
	struct script *next;

	for (; script != NULL; script = next) {
		next = script->next;
		for (size_t i = 0; i < script->nsteps; i++)
			free((void *)(uintptr_t)script->steps[i].bytes);
		free(script);
	}
}

struct httpd *
httpd_start(const struct httpd_step *steps, size_t nsteps, const struct httpd_tls *tls)
{
	struct httpd *httpd = calloc(1, sizeof *httpd);
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof address;

	httpd_need(httpd != NULL, "no memory");
	pthread_mutex_init(&httpd->mutex, NULL);
	pthread_cond_init(&httpd->changed, NULL);
	copy_script(httpd, steps, nsteps);
	httpd->tls = tls != NULL ? load_tls(tls) : NULL;
	httpd->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	httpd_need(bind(httpd->fd, (struct sockaddr *)&address, len) == 0 &&
			   listen(httpd->fd, 128) == 0 && pipe(httpd->wake) == 0 &&
			   getsockname(httpd->fd, (struct sockaddr *)&address, &len) == 0,
		   "no socket");
	(void)snprintf(httpd->url, sizeof httpd->url, "http%s://127.0.0.1:%d",
		       tls != NULL ? "s" : "", ntohs(address.sin_port));
	httpd_need(pthread_create(&httpd->acceptor, NULL, accept_all, httpd) == 0, "no thread");
	return httpd;
}

static void
forget_requests(struct httpd *httpd)
{
	for (size_t i = 0; i < REQUESTS_KEPT; i++) {
		free(httpd->requests[i]);
		httpd->requests[i] = NULL;
	}
	httpd->nrequests = 0;
}

void
httpd_stop(struct httpd *httpd)
{
	pthread_mutex_lock(&httpd->mutex);
	httpd->stopping = true;
	pthread_cond_broadcast(&httpd->changed);
	pthread_mutex_unlock(&httpd->mutex);
	(void)close(httpd->wake[1]); /* poll() sees POLLHUP from now on */
	pthread_join(httpd->acceptor, NULL);
	httpd_wait_all_closed(httpd);
	(void)close(httpd->wake[0]);
	(void)close(httpd->fd);
	SSL_CTX_free(httpd->tls);
	forget_requests(httpd);
	free_scripts(httpd->script);
	pthread_cond_destroy(&httpd->changed);
	pthread_mutex_destroy(&httpd->mutex);
	free(httpd);
}

const char *
httpd_url(const struct httpd *httpd)
{
	return httpd->url;
}

void
httpd_script(struct httpd *httpd, const struct httpd_step *steps, size_t nsteps)
{
	pthread_mutex_lock(&httpd->mutex);
	forget_requests(httpd);
	copy_script(httpd, steps, nsteps);
	pthread_mutex_unlock(&httpd->mutex);
}

static size_t
peek(struct httpd *httpd, const size_t *counter)
{
	size_t n;

	pthread_mutex_lock(&httpd->mutex);
	n = *counter;
	pthread_mutex_unlock(&httpd->mutex);
	return n;
}

size_t
httpd_nrequests(struct httpd *httpd)
{
	return peek(httpd, &httpd->nrequests);
}

size_t
httpd_nconnections(struct httpd *httpd)
{
	return peek(httpd, &httpd->nconnections);
}

const char *
httpd_request(struct httpd *httpd, size_t n)
{
	const char *request;

	pthread_mutex_lock(&httpd->mutex);
	request = n < REQUESTS_KEPT ? httpd->requests[n] : NULL;
	pthread_mutex_unlock(&httpd->mutex);
	return request;
}

/* Waits until *counter is at least low and at most high. */
static void
wait_for(struct httpd *httpd, const size_t *counter, size_t low, size_t high, const char *what)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&httpd->mutex);
	while (*counter < low || *counter > high)
		httpd_need(pthread_cond_timedwait(&httpd->changed, &httpd->mutex, &until) == 0,
			   what);
	pthread_mutex_unlock(&httpd->mutex);
}

void
httpd_wait_requests(struct httpd *httpd, size_t n)
{
	wait_for(httpd, &httpd->nrequests, n, SIZE_MAX, "the requests do not come");
}

void
httpd_wait_all_closed(struct httpd *httpd)
{
	wait_for(httpd, &httpd->nopen, 0, 0, "the connections are not closed");
}

void
httpd_release(struct httpd *httpd)
{
	pthread_mutex_lock(&httpd->mutex);
	httpd->releases++;
	pthread_cond_broadcast(&httpd->changed);
	pthread_mutex_unlock(&httpd->mutex);
}
