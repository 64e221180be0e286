/* SPDX-License-Identifier: Apache-2.0
 * httpd_peer.h - one connection of the scripted server; for httpd.c alone. */
#ifndef TESTS_FAKES_HTTPD_PEER_H
#define TESTS_FAKES_HTTPD_PEER_H
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fakes/httpd.h"

enum { REQUESTS_KEPT = 64 };

struct script {
	struct script *next; /* the one before: a connection may still be at it */
	size_t nsteps;
	struct httpd_step steps[];
};

struct httpd {
	int fd, wake[2]; /* wake: closed by httpd_stop() */
	char url[64];
	SSL_CTX *tls;
	pthread_t acceptor;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct script *script;
	size_t nrequests, nconnections, nopen;
	char line[512]; /* the first of its request */
	unsigned releases;
	atomic_bool stopping;
	char *requests[REQUESTS_KEPT];
};

struct peer {
	struct httpd *httpd;
	int fd;
	SSL *tls;
	char *in; /* what came and was not used yet */
	size_t len;
	char line[512];    /* the first of its request */
	unsigned releases; /* when its request came: a later one lets it go */
};

/* Ends the program when ok is false. */
void httpd_need(bool ok, const char *what);

/* Does the next request end with its head? */
bool httpd_next_is_early(struct httpd *httpd);

struct peer *peer_new(struct httpd *httpd, int fd);
void peer_free(struct peer *peer);
/* false: no TLS connection came about. */
bool peer_shake_hands(struct peer *peer);
/* The whole of the next request, from malloc; NULL when there is none. */
char *peer_request(struct peer *peer);
/* false: the connection is to be closed. */
bool peer_act(struct peer *peer, struct httpd_step step);

#endif
