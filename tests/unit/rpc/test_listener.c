/* SPDX-License-Identifier: Apache-2.0
 * test_listener.c - who is accepted and handed off, without a server behind it. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/unix_socket.h"
#include "rpc/listener.h"

#include "banned.h"

enum { GIVEN_MAX = 8 };

struct fixture {
	char dir[32], path[64];
	struct unix_socket node;
	struct peers peers;
	struct connections connections;
	struct listener listener;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int given[GIVEN_MAX];
	size_t ngiven;
	bool keep; /* give() does not return */
};

static void
give(void *owner, int fd)
{
	struct fixture *f = owner;

	pthread_mutex_lock(&f->mutex);
	f->given[f->ngiven++] = fd;
	pthread_cond_broadcast(&f->changed);
	while (f->keep)
		pthread_cond_wait(&f->changed, &f->mutex);
	pthread_mutex_unlock(&f->mutex);
}

static pthread_mutex_t refusals_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t refusals_changed = PTHREAD_COND_INITIALIZER;
static unsigned nrefusals;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

/* The linker sends the listener's accept4() here.  Counts how often there was no descriptor. */
int
__wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	int rc = __real_accept4(fd, address, len, flags), error = errno;

	if (rc < 0 && error == EMFILE) {
		pthread_mutex_lock(&refusals_mutex);
		nrefusals++;
		pthread_cond_signal(&refusals_changed);
		pthread_mutex_unlock(&refusals_mutex);
	}
	errno = error;
	return rc;
}

static void
wait_refusals(unsigned n)
{
	pthread_mutex_lock(&refusals_mutex);
	while (nrefusals < n)
		pthread_cond_wait(&refusals_changed, &refusals_mutex);
	pthread_mutex_unlock(&refusals_mutex);
}

static void
wait_given(struct fixture *f, size_t n)
{
	pthread_mutex_lock(&f->mutex);
	while (f->ngiven < n)
		pthread_cond_wait(&f->changed, &f->mutex);
	pthread_mutex_unlock(&f->mutex);
}

static bool
is_accepted(struct fixture *f, size_t n)
{
	pthread_mutex_lock(&f->connections.mutex);
	for (size_t i = 0; i < LIMIT_CONNECTIONS; i++)
		n -= f->connections.table[i].state != CONNECTION_FREE;
	pthread_mutex_unlock(&f->connections.mutex);
	return n == 0;
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct status status = { 0 };

	assert_non_null(f);
	pthread_mutex_init(&f->mutex, NULL);
	pthread_cond_init(&f->changed, NULL);
	(void)snprintf(f->dir, sizeof f->dir, "/tmp/cosid-accept.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof f->path, "%s/cosi.sock", f->dir);
	assert_int_equal(unix_socket_open(&f->node, f->path, 0600, &status), 0);
	assert_int_equal(peers_init(&f->peers, &(struct peers_allowed){ 0 }), 0);
	connections_init(&f->connections);
	f->listener = (struct listener){ .fd = f->node.fd,
					 .connections = &f->connections,
					 .peers = &f->peers,
					 .give = give,
					 .owner = f };
	assert_int_equal(listener_start(&f->listener, &status), 0);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	listener_done(&f->listener);
	connections_done(&f->connections);
	for (size_t i = 0; i < f->ngiven; i++)
		(void)close(f->given[i]);
	unix_socket_close(&f->node);
	peers_done(&f->peers);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static int
client(const struct fixture *f)
{
	return rig_connect(f->path);
}

/* Blocks until the other end is closed. */
static void
is_closed(int fd)
{
	char byte;

	assert_true(read(fd, &byte, 1) <= 0);
	(void)close(fd);
}

static void
test_accept__hands_off(void **state)
{
	struct fixture *f = *state;
	char byte = 0;
	int fd = client(f);

	wait_given(f, 1); /* though it has sent nothing */
	assert_int_equal(send(fd, "P", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(read(f->given[0], &byte, 1), 1);
	assert_int_equal(byte, 'P');
	assert_true((fcntl(f->given[0], F_GETFL) & O_NONBLOCK) != 0);
	assert_true((fcntl(f->given[0], F_GETFD) & FD_CLOEXEC) != 0);
	(void)close(fd);
}

static void
test_accept__peers_refused(void **state)
{
	const uid_t other = geteuid() + 1;
	struct fixture *f = *state;

	assert_int_equal(peers_change(&f->peers, &(struct peers_allowed){ .limited = true,
									  .nuids = 1,
									  .uids = &other }),
			 0);
	rig_capture();
	is_closed(client(f));
	is_closed(client(f));
	rig_captured();
	assert_int_equal(rig_lines("not in allowed_peers"), 1);
	assert_int_equal(f->ngiven, 0);
}

/* The handoff thread is kept by one client: the accepting thread goes on. */
static void
test_accept__while_the_handoff_is_kept(void **state)
{
	const uid_t other = geteuid() + 1;
	struct fixture *f = *state;
	int kept, waits;

	f->keep = true;
	kept = client(f);
	wait_given(f, 1);
	waits = client(f);
	while (!is_accepted(f, 2))
		(void)sched_yield();
	assert_int_equal(peers_change(&f->peers, &(struct peers_allowed){ .limited = true,
									  .nuids = 1,
									  .uids = &other }),
			 0);
	rig_capture();
	is_closed(client(f));
	rig_captured();
	assert_int_equal(f->ngiven, 1);
	pthread_mutex_lock(&f->mutex);
	f->keep = false;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
	wait_given(f, 2);
	(void)close(kept);
	(void)close(waits);
}

static void
test_review__closes_who_is_not_allowed(void **state)
{
	struct fixture *f = *state;
	int fd = client(f);

	wait_given(f, 1);
	assert_int_equal(peers_change(&f->peers, &(struct peers_allowed){ .limited = true }), 0);
	rig_capture();
	listener_review(&f->listener);
	is_closed(fd);
	rig_captured();
}

/* clause 56: without descriptors nothing can be accepted; once there are some, all goes on. */
static void
test_descriptors__run_out(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct rlimit before, low;
	int fd, spare;

	rig_capture();
	(void)close(client(f));
	wait_given(f, 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	spare = dup(fd);
	low = (struct rlimit){ (rlim_t)spare, before.rlim_max };
	(void)close(spare);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", f->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	wait_refusals(3);
	assert_int_equal(f->ngiven, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	wait_given(f, 2);
	rig_captured();
	assert_int_equal(rig_lines("cannot accept a connection: Too many open files"), 1);
	(void)close(fd);
}

/* Connections that are in the listening socket's queue when accepting ends are accepted. */
static void
test_rest__of_the_queue(void **state)
{
	struct fixture *f = *state;
	int first, second;

	listener_stop_accepting(&f->listener);
	first = client(f);
	second = client(f);
	unix_socket_withdraw(&f->node);
	assert_int_equal(access(f->path, F_OK), -1);
	listener_accept_rest(&f->listener);
	wait_given(f, 2);
	(void)close(first);
	(void)close(second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_accept__hands_off),
		TEST(test_accept__peers_refused),
		TEST(test_accept__while_the_handoff_is_kept),
		TEST(test_review__closes_who_is_not_allowed),
		TEST(test_descriptors__run_out),
		TEST(test_rest__of_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
