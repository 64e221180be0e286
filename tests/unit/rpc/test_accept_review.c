/* SPDX-License-Identifier: Apache-2.0
 * test_accept_review.c - who has to go when others are allowed than before, and when. */
#include "accept_rig.h"

#include <stdatomic.h>

#include "banned.h"

static atomic_bool busy;

static int64_t
idle_unless_busy(void *owner, int fd)
{
	(void)owner;
	(void)fd;
	return atomic_load(&busy) ? CLOCK_NEVER : 0;
}

/* A connection that has spoken. */
static int
speaker(struct place *place)
{
	int fd = client(place);

	say(fd);
	wait_for(place, &place->ntaken, 1);
	return fd;
}

static void
come_round(struct place *place)
{
	size_t nticks;

	pthread_mutex_lock(&place->mutex);
	nticks = place->nticks;
	pthread_mutex_unlock(&place->mutex);
	accept_review(place->acceptor);
	wait_for(place, &place->nticks, nticks + 1);
}

/* Nobody but that user from now on, and the thread has looked: two of its rounds may be those in
 * which connections came. */
static void
allow_only(struct place *place, uid_t uid)
{
	assert_int_equal(peers_change(&place->peers, true, &uid, 1, NULL, 0), 0);
	for (int i = 0; i < 3; i++)
		come_round(place);
}

static void
stays(int fd)
{
	char byte;

	assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
}

static void
start(struct place *place, bool is_busy, int64_t unwanted_ms)
{
	atomic_store(&busy, is_busy);
	place->idle_since = idle_unless_busy;
	place->unwanted_ms = unwanted_ms;
	begin(place, 4, A_LONG_TIME_MS);
}

static void
test_review__without_calls(void **state)
{
	struct place *place = *state;
	int spoke, silent;

	start(place, false, A_LONG_TIME_MS);
	spoke = speaker(place);
	silent = client(place);
	rig_capture();
	assert_int_equal(peers_change(&place->peers, true, NULL, 0, NULL, 0), 0);
	accept_review(place->acceptor);
	is_closed(spoke);
	is_closed(silent);
	rig_captured();
	assert_int_equal(rig_lines("not in allowed_peers"), 1);
}

static void
test_review__still_allowed(void **state)
{
	struct place *place = *state;
	int spoke, silent;

	start(place, false, 0);
	spoke = speaker(place);
	silent = client(place);
	allow_only(place, geteuid());
	stays(spoke);
	stays(silent);
	(void)close(spoke);
	(void)close(silent);
}

/* Its calls may end; and whoever is allowed again meanwhile stays. */
static void
test_review__with_calls(void **state)
{
	struct place *place = *state;
	int fd;

	start(place, true, A_LONG_TIME_MS);
	fd = speaker(place);
	rig_capture();
	allow_only(place, geteuid() + 1);
	stays(fd);
	allow_only(place, geteuid());
	atomic_store(&busy, false);
	allow_only(place, geteuid());
	stays(fd);
	atomic_store(&busy, true);
	allow_only(place, geteuid() + 1);
	atomic_store(&busy, false);
	is_closed(fd);
	rig_captured();
}

/* One that always has a call. */
static void
test_review__time_is_up(void **state)
{
	struct place *place = *state;
	int fd;

	start(place, true, 1);
	fd = speaker(place);
	rig_capture();
	assert_int_equal(peers_change(&place->peers, true, NULL, 0, NULL, 0), 0);
	accept_review(place->acceptor);
	is_closed(fd);
	rig_captured();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_review__without_calls),
		TEST(test_review__still_allowed),
		TEST(test_review__with_calls),
		TEST(test_review__time_is_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
