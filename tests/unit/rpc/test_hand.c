/* SPDX-License-Identifier: Apache-2.0
 * test_hand.c - connections are given one after another, by a thread that may be kept. */
#include "rig.h"

#include <fcntl.h>
#include <pthread.h>

#include "rpc/hand.h"

#include "banned.h"

enum { MOST = 3, A_LONG_TIME_MS = 600000 };

struct taker {
	struct hand *hand;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool inside, open; /* somebody is in give(), which waits until it is open */
	int given[8];
	size_t ngiven;
};

static void
give(void *owner, int fd)
{
	struct taker *taker = owner;

	pthread_mutex_lock(&taker->mutex);
	taker->inside = true;
	pthread_cond_broadcast(&taker->changed);
	while (!taker->open)
		pthread_cond_wait(&taker->changed, &taker->mutex);
	taker->given[taker->ngiven++] = fd;
	pthread_mutex_unlock(&taker->mutex);
	(void)close(fd);
}

static void
open_up(struct taker *taker)
{
	pthread_mutex_lock(&taker->mutex);
	taker->open = true;
	pthread_cond_broadcast(&taker->changed);
	pthread_mutex_unlock(&taker->mutex);
}

static void
wait_inside(struct taker *taker)
{
	pthread_mutex_lock(&taker->mutex);
	while (!taker->inside)
		pthread_cond_wait(&taker->changed, &taker->mutex);
	pthread_mutex_unlock(&taker->mutex);
}

static int
setup(void **state)
{
	struct taker *taker = calloc(1, sizeof *taker);
	struct status status = { 0 };

	assert_non_null(taker);
	pthread_mutex_init(&taker->mutex, NULL);
	pthread_cond_init(&taker->changed, NULL);
	taker->hand = hand_start(MOST, give, taker, &status);
	assert_non_null(taker->hand);
	*state = taker;
	return 0;
}

static int
teardown(void **state)
{
	free(*state);
	return 0;
}

static int
descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void
test_hand__in_order(void **state)
{
	struct taker *taker = *state;
	int fds[2] = { descriptor(), descriptor() };

	open_up(taker);
	for (size_t i = 0; i < 2; i++)
		hand_over(taker->hand, fds[i]);
	assert_true(hand_rests(taker->hand, A_LONG_TIME_MS));
	assert_int_equal(taker->ngiven, 2);
	assert_memory_equal(taker->given, fds, sizeof fds);
	hand_stop(taker->hand);
}

/* The last one finds no room: it is closed. */
static void
test_hand__as_many_as_there_is_room(void **state)
{
	struct taker *taker = *state;
	int fds[MOST + 2];

	for (size_t i = 0; i < MOST + 2; i++)
		fds[i] = descriptor();
	hand_over(taker->hand, fds[0]);
	wait_inside(taker);
	for (size_t i = 1; i < MOST + 2; i++)
		hand_over(taker->hand, fds[i]);
	assert_int_equal(fcntl(fds[MOST], F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fds[MOST + 1], F_GETFD), -1);
	assert_false(hand_rests(taker->hand, 10));
	open_up(taker);
	assert_true(hand_rests(taker->hand, A_LONG_TIME_MS));
	assert_int_equal(taker->ngiven, MOST + 1);
	hand_stop(taker->hand);
}

static void
test_stop__gives_what_waits(void **state)
{
	struct taker *taker = *state;

	hand_over(taker->hand, descriptor());
	wait_inside(taker);
	hand_over(taker->hand, descriptor());
	open_up(taker);
	hand_stop(taker->hand);
	assert_int_equal(taker->ngiven, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hand__in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hand__as_many_as_there_is_room, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_stop__gives_what_waits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
