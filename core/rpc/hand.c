/* SPDX-License-Identifier: Apache-2.0
 * hand.c - a queue of descriptors and its thread. */
#include "rpc/hand.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#include "banned.h"

struct hand {
	void (*give)(void *owner, int fd);
	void *owner;
	pthread_t thread;
	pthread_mutex_t mutex;  /* guards what follows */
	pthread_cond_t changed; /* of the monotonic clock */
	bool stopping;
	bool giving;
	size_t most, first, nwaiting; /* a ring */
	int waiting[];
};

/* -1: it is time to end.  Mutex held. */
static int
next(struct hand *hand)
{
	int fd;

	hand->giving = false;
	pthread_cond_broadcast(&hand->changed);
	while (hand->nwaiting == 0 && !hand->stopping)
		pthread_cond_wait(&hand->changed, &hand->mutex);
	if (hand->nwaiting == 0)
		return -1;
	fd = hand->waiting[hand->first];
	hand->first = (hand->first + 1) % hand->most;
	hand->nwaiting--;
	hand->giving = true;
	return fd;
}

static void *
run(void *arg)
{
	struct hand *hand = arg;
	int fd;

	pthread_mutex_lock(&hand->mutex);
	while ((fd = next(hand)) >= 0) {
		pthread_mutex_unlock(&hand->mutex);
		hand->give(hand->owner, fd);
		pthread_mutex_lock(&hand->mutex);
	}
	pthread_mutex_unlock(&hand->mutex);
	return NULL;
}

static void
done(struct hand *hand)
{
	pthread_cond_destroy(&hand->changed);
	pthread_mutex_destroy(&hand->mutex);
	free(hand);
}

struct hand *
hand_start(size_t most, void (*give)(void *owner, int fd), void *owner, struct status *status)
{
	struct hand *hand = calloc(1, sizeof *hand + most * sizeof hand->waiting[0]);
	pthread_condattr_t attr;

	if (hand == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	hand->give = give;
	hand->owner = owner;
	hand->most = most;
	pthread_mutex_init(&hand->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&hand->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&hand->thread, NULL, run, hand) == 0) {
		(void)pthread_setname_np(hand->thread, "cosid-hand");
		return hand;
	}
	(void)status_fail(status, COSI_EXHAUSTED, "cannot start the thread for new connections");
	done(hand);
	return NULL;
}

void
hand_over(struct hand *hand, int fd)
{
	LOCK_SCOPE(&hand->mutex);

	if (hand->nwaiting == hand->most) {
		(void)close(fd);
		return;
	}
	hand->waiting[(hand->first + hand->nwaiting++) % hand->most] = fd;
	pthread_cond_broadcast(&hand->changed);
}

bool
hand_rests(struct hand *hand, int64_t most_ms)
{
	int64_t until_ms = clock_mono_ms() + most_ms;
	struct timespec until = { .tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000 };
	LOCK_SCOPE(&hand->mutex);

	while (hand->nwaiting > 0 || hand->giving)
		if (pthread_cond_timedwait(&hand->changed, &hand->mutex, &until) == ETIMEDOUT)
			return false;
	return true;
}

void
hand_stop(struct hand *hand)
{
	pthread_mutex_lock(&hand->mutex);
	hand->stopping = true;
	pthread_cond_broadcast(&hand->changed);
	pthread_mutex_unlock(&hand->mutex);
	(void)pthread_join(hand->thread, NULL);
	done(hand);
}
