/* SPDX-License-Identifier: Apache-2.0
 * connections_rig.h - connections of socket pairs: the core's end, and the client's. */
#ifndef TESTS_UNIT_RPC_CONNECTIONS_RIG_H
#define TESTS_UNIT_RPC_CONNECTIONS_RIG_H
#include "rig.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "rpc/connections.h"

enum { PAIRS = LIMIT_CONNECTIONS + 1, A_LONG_TIME_MS = 600000 };

struct fixture {
	struct connections c;
	int pairs[PAIRS][2]; /* the core's end, the client's */
	int npairs;
};

static inline int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	connections_init(&f->c);
	rig_capture();
	*state = f;
	return 0;
}

static inline int
teardown(void **state)
{
	struct fixture *f = *state;

	if (rig_sink != NULL)
		rig_captured();
	for (int i = 0; i < f->npairs; i++) {
		if (f->pairs[i][0] >= 0)
			(void)close(f->pairs[i][0]);
		(void)close(f->pairs[i][1]);
	}
	connections_done(&f->c);
	free(f);
	return 0;
}

/* A connection of that user; its number, or -1: refused. */
static inline int
add(struct fixture *f, uid_t uid, int64_t now_ms)
{
	const struct ucred peer = { .pid = 77, .uid = uid };
	int *pair = f->pairs[f->npairs];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	if (connections_add(&f->c, pair[0], &peer, now_ms) < 0) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return -1;
	}
	return f->npairs++;
}

/* One that the core has. */
static inline int
serve(struct fixture *f, uid_t uid, int64_t now_ms)
{
	int i = add(f, uid, now_ms);

	if (i >= 0)
		connections_served(&f->c, connections_next(&f->c), now_ms);
	return i;
}

/* As the core does. */
static inline void
core_closes(struct fixture *f, int i)
{
	(void)close(f->pairs[i][0]);
	f->pairs[i][0] = -1;
}

static inline struct connection *
begin(struct fixture *f, int i, int n)
{
	struct connection *connection = NULL;

	while (n-- > 0)
		connection = connections_begin_call(&f->c, f->pairs[i][0], 2);
	return connection;
}

static inline void
end(struct fixture *f, struct connection *connection, int n)
{
	while (n-- > 0)
		connections_end_call(&f->c, connection, 3);
}

static inline bool
is_open(const struct fixture *f, int i)
{
	struct pollfd pollfd = { .fd = f->pairs[i][1] };

	assert_true(poll(&pollfd, 1, 0) >= 0);
	return pollfd.revents == 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
