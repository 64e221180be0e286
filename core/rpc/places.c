/* SPDX-License-Identifier: Apache-2.0
 * places.c - counts places by user, chooses, and shows out. */
#include "rpc/places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#include "banned.h"

int
places_init(struct places *places)
{
	places->table = calloc(places->n, sizeof *places->table);
	if (places->table == NULL)
		return -1;
	for (size_t i = 0; i < places->n; i++)
		places->table[i].fd = -1;
	return 0;
}

void
places_done(struct places *places)
{
	free(places->table);
	places->table = NULL;
}

bool
places_waits(const struct place *place)
{
	return place->fd >= 0 && place->silent_ms != CLOCK_NEVER;
}

void
places_sweep(struct places *places)
{
	for (size_t i = 0; i < places->n; i++) {
		struct place *place = &places->table[i];
		struct stat st;

		if (place->fd >= 0 && !places_waits(place) &&
		    (fstat(place->fd, &st) != 0 || st.st_ino != place->ino))
			place->fd = -1;
	}
}

static size_t
count(const struct places *places, uid_t uid)
{
	size_t n = 0;

	for (size_t i = 0; i < places->n; i++)
		n += places->table[i].fd >= 0 && places->table[i].uid == uid;
	return n;
}

struct place *
places_find(const struct places *places, uid_t uid)
{
	if (count(places, uid) >= places->most_of_one)
		return NULL;
	for (size_t i = 0; i < places->n; i++)
		if (places->table[i].fd < 0)
			return &places->table[i];
	return NULL;
}

/* How much a place has to give way. */
struct weight {
	size_t share; /* how many its user has; 0: it stays */
	bool waits;
	int64_t since_ms;
};

static struct weight
weigh(const struct places *places, const struct place *place, uid_t uid, size_t nours)
{
	struct weight weight = { .waits = places_waits(place), .since_ms = CLOCK_NEVER };

	if (weight.waits)
		weight.since_ms = place->silent_ms;
	else if (place->fd >= 0)
		weight.since_ms = places->idle_since(places->owner, place->fd);
	if (weight.since_ms != CLOCK_NEVER)
		weight.share = count(places, place->uid);
	if (place->uid != uid && (weight.share <= nours || nours >= places->most_of_one))
		weight.share = 0;
	return weight;
}

static bool
is_heavier(const struct weight *a, const struct weight *b)
{
	if (a->share != b->share)
		return a->share > b->share;
	if (a->waits != b->waits)
		return a->waits;
	return a->since_ms < b->since_ms;
}

struct place *
places_choose(const struct places *places, uid_t uid)
{
	size_t nours = count(places, uid);
	struct weight most = { 0 };
	struct place *chosen = NULL;

	for (size_t i = 0; i < places->n; i++) {
		struct weight weight = weigh(places, &places->table[i], uid, nours);

		if (weight.share == 0 || (chosen != NULL && !is_heavier(&weight, &most)))
			continue;
		most = weight;
		chosen = &places->table[i];
	}
	return chosen;
}

int
place_copy(const struct place *place)
{
	int fd = fcntl(place->fd, F_DUPFD_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_ino == place->ino))
		return fd;
	(void)close(fd);
	return -1;
}

void
place_cut(const struct place *place)
{
	CLEANUP_FD int fd = place_copy(place);

	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

/* The core says GOAWAY only when it is shut down, and then resets the calls that are on their way:
 * their clients see CANCELLED (measured with 1.51), and nobody takes that for a refusal.  So it is
 * said before, without an error and for streams beyond all that there can be (RFC 9113, 6.8): calls
 * that have been sent are served, the next ones go to another connection.  Between the calls of a
 * connection the core writes small frames, each in one piece, which this one does not part. */
void
place_ask_to_go(const struct place *place)
{
	static const unsigned char goaway[] = { 0,    0,    8,    7,    0, 0, 0, 0, 0,
						0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0 };
	CLEANUP_FD int fd = place_copy(place);

	if (fd >= 0)
		(void)send(fd, goaway, sizeof goaway, MSG_DONTWAIT | MSG_NOSIGNAL);
}
