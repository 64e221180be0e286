/* SPDX-License-Identifier: Apache-2.0
 * accept_rig.h - an acceptor without a server behind it, and its clients. */
#ifndef COSID_TESTS_RPC_ACCEPT_RIG_H
#define COSID_TESTS_RPC_ACCEPT_RIG_H
#include "rig.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/unix_socket.h"
#include "rpc/accept.h"

enum { A_LONG_TIME_MS = 600000, TAKEN_MAX = 16 };

struct place {
	char dir[32], path[64];
	struct unix_socket node;
	struct peers peers;
	struct acceptor *acceptor;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int taken[TAKEN_MAX];
	size_t ntaken, nticks;
	int64_t (*idle_since)(void *owner, int fd);
	int64_t unwanted_ms;
};

static inline void
take(void *owner, int fd)
{
	struct place *place = owner;

	pthread_mutex_lock(&place->mutex);
	place->taken[place->ntaken++] = fd;
	pthread_cond_broadcast(&place->changed);
	pthread_mutex_unlock(&place->mutex);
}

static inline void
tick(void *owner, struct places *places)
{
	struct place *place = owner;

	(void)places;
	pthread_mutex_lock(&place->mutex);
	place->nticks++;
	pthread_cond_broadcast(&place->changed);
	pthread_mutex_unlock(&place->mutex);
}

static inline int64_t
always_busy(void *owner, int fd)
{
	(void)owner;
	(void)fd;
	return CLOCK_NEVER;
}

/* Waits until the counter is at least n. */
static inline void
wait_for(struct place *place, const size_t *counter, size_t n)
{
	pthread_mutex_lock(&place->mutex);
	while (*counter < n)
		pthread_cond_wait(&place->changed, &place->mutex);
	pthread_mutex_unlock(&place->mutex);
}

static inline int
setup(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	struct status status = { 0 };

	assert_non_null(place);
	pthread_mutex_init(&place->mutex, NULL);
	pthread_cond_init(&place->changed, NULL);
	(void)snprintf(place->dir, sizeof place->dir, "/tmp/cosid-accept.XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	(void)snprintf(place->path, sizeof place->path, "%s/cosi.sock", place->dir);
	assert_int_equal(unix_socket_open(&place->node, place->path, 0600, &status), 0);
	assert_int_equal(peers_init(&place->peers, false, NULL, 0, NULL, 0), 0);
	place->idle_since = always_busy;
	*state = place;
	return 0;
}

static inline void
begin_shared(struct place *place, size_t max_connections, size_t max_of_one, int64_t silent_ms)
{
	const struct accept_config config = {
		.listen_fd = place->node.fd,
		.peers = &place->peers,
		.max_connections = max_connections,
		.max_of_one = max_of_one,
		.silent_ms = silent_ms,
		.unwanted_ms = place->unwanted_ms,
		.owner = place,
		.take = take,
		.idle_since = place->idle_since,
		.tick = tick,
	};
	struct status status = { 0 };

	place->acceptor = accept_start(&config, &status);
	assert_non_null(place->acceptor);
}

static inline void
begin(struct place *place, size_t max_connections, int64_t silent_ms)
{
	begin_shared(place, max_connections, max_connections, silent_ms);
}

static inline int
teardown(void **state)
{
	struct place *place = *state;

	if (place->acceptor != NULL) {
		accept_stop(place->acceptor);
		accept_free(place->acceptor);
	}
	for (size_t i = 0; i < place->ntaken; i++)
		if (place->taken[i] >= 0)
			(void)close(place->taken[i]);
	unix_socket_close(&place->node);
	peers_done(&place->peers);
	assert_int_equal(rmdir(place->dir), 0);
	free(place);
	return 0;
}

static inline int
client(const struct place *place)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", place->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

static inline void
say(int fd)
{
	assert_int_equal(send(fd, "P", 1, MSG_NOSIGNAL), 1);
}

/* Blocks until the other end is closed. */
static inline void
is_closed(int fd)
{
	char byte;

	assert_true(read(fd, &byte, 1) <= 0);
	(void)close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
