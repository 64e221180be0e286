/* SPDX-License-Identifier: Apache-2.0
 * test_accept.c - who is handed on, who is closed, and when, without a server behind it. */
#include "accept_rig.h"

#include "banned.h"

static void
test_take__who_speaks(void **state)
{
	struct place *place = *state;
	char byte = 0;
	int fd;

	begin(place, 4, A_LONG_TIME_MS);
	fd = client(place);
	say(fd);
	wait_for(place, &place->ntaken, 1);
	assert_int_equal(read(place->taken[0], &byte, 1), 1);
	assert_int_equal(byte, 'P');
	assert_true((fcntl(place->taken[0], F_GETFL) & O_NONBLOCK) != 0);
	assert_true((fcntl(place->taken[0], F_GETFD) & FD_CLOEXEC) != 0);
	(void)close(fd);
}

static void
test_silent__closed(void **state)
{
	struct place *place = *state;

	begin(place, 4, 20);
	is_closed(client(place));
	assert_int_equal(place->ntaken, 0);
}

static void
test_gone__forgotten(void **state)
{
	struct place *place = *state;
	int fd;

	begin(place, 1, A_LONG_TIME_MS);
	for (int i = 0; i < 20; i++)
		(void)close(client(place));
	fd = client(place);
	say(fd);
	wait_for(place, &place->ntaken, 1);
	(void)close(fd);
}

/* Two are allowed: the third is closed, until one of the two has gone. */
static void
test_limit__at_and_past(void **state)
{
	struct place *place = *state;
	int one, two, four;

	begin(place, 2, A_LONG_TIME_MS);
	rig_capture();
	one = client(place);
	say(one);
	two = client(place);
	say(two);
	wait_for(place, &place->ntaken, 2);
	is_closed(client(place));
	(void)close(place->taken[0]); /* as the core does */
	place->taken[0] = -1;
	four = client(place);
	say(four);
	wait_for(place, &place->ntaken, 3);
	is_closed(client(place));
	rig_captured();
	assert_int_equal(rig_lines("as many as are allowed"), 1); /* once a minute */
	(void)close(one);
	(void)close(two);
	(void)close(four);
}

/* One user may have two: others still come in.  Run as root, as the whole suite is. */
static void
test_limit__of_one_user(void **state)
{
	const uid_t us = geteuid(), other = 12345;
	struct place *place = *state;
	int mine[2], theirs[2];

	assert_int_equal(chmod(place->dir, 0711), 0);
	assert_int_equal(chmod(place->path, 0666), 0);
	begin_shared(place, 4, 2, A_LONG_TIME_MS);
	rig_capture();
	for (int i = 0; i < 2; i++) {
		mine[i] = client(place);
		say(mine[i]);
	}
	wait_for(place, &place->ntaken, 2);
	is_closed(client(place));
	assert_int_equal(seteuid(other), 0);
	for (int i = 0; i < 2; i++) {
		theirs[i] = client(place);
		say(theirs[i]);
	}
	wait_for(place, &place->ntaken, 4);
	is_closed(client(place));
	assert_int_equal(seteuid(us), 0);
	rig_captured();
	for (int i = 0; i < 2; i++) {
		(void)close(mine[i]);
		(void)close(theirs[i]);
	}
}

/* Peers that say nothing keep nobody out. */
static void
test_limit__silent_make_room(void **state)
{
	struct place *place = *state;
	int first, second, third;

	begin(place, 2, A_LONG_TIME_MS);
	first = client(place);
	wait_for(place, &place->nticks, 1);
	second = client(place);
	wait_for(place, &place->nticks, 2);
	third = client(place);
	say(third);
	is_closed(first);
	wait_for(place, &place->ntaken, 1);
	say(second);
	wait_for(place, &place->ntaken, 2);
	(void)close(second);
	(void)close(third);
}

static void
test_peers__refused(void **state)
{
	const uid_t other = geteuid() + 1;
	struct place *place = *state;

	peers_done(&place->peers);
	assert_int_equal(peers_init(&place->peers, true, &other, 1, NULL, 0), 0);
	begin(place, 2, A_LONG_TIME_MS);
	rig_capture();
	is_closed(client(place));
	is_closed(client(place));
	rig_captured();
	assert_int_equal(rig_lines("not in allowed_peers"), 1);
	assert_int_equal(place->ntaken, 0);
}

/* clause 56: without descriptors nothing can be accepted; once there are some, all goes on. */
static void
test_descriptors__run_out(void **state)
{
	struct place *place = *state;
	struct rlimit before, low;
	size_t nticks;
	int fd, spare;

	begin(place, 2, A_LONG_TIME_MS);
	rig_capture();
	fd = client(place);
	say(fd);
	wait_for(place, &place->ntaken, 1);
	(void)close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	spare = dup(fd);
	low = (struct rlimit){ (rlim_t)spare, before.rlim_max };
	(void)close(spare);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	pthread_mutex_lock(&place->mutex);
	nticks = place->nticks;
	pthread_mutex_unlock(&place->mutex);
	{
		struct sockaddr_un address = { .sun_family = AF_UNIX };

		(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", place->path);
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	}
	say(fd);
	wait_for(place, &place->nticks, nticks + 3); /* it comes round again, slowly */
	assert_int_equal(place->ntaken, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	wait_for(place, &place->ntaken, 2);
	rig_captured();
	assert_int_equal(rig_lines("cannot take a connection: Too many open files"), 1);
	(void)close(fd);
}

static void
test_stop__closes_who_waits(void **state)
{
	struct place *place = *state;
	int silent, spoke;

	begin(place, 4, A_LONG_TIME_MS);
	silent = client(place);
	wait_for(place, &place->nticks, 1);
	spoke = client(place);
	say(spoke);
	wait_for(place, &place->ntaken, 1);
	accept_stop(place->acceptor);
	accept_free(place->acceptor);
	place->acceptor = NULL;
	is_closed(silent);
	assert_int_equal(fcntl(place->taken[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	(void)close(spoke);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_take__who_speaks),       TEST(test_silent__closed),
		TEST(test_gone__forgotten),        TEST(test_limit__at_and_past),
		TEST(test_limit__of_one_user),     TEST(test_limit__silent_make_room),
		TEST(test_peers__refused),         TEST(test_descriptors__run_out),
		TEST(test_stop__closes_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
