/* SPDX-License-Identifier: Apache-2.0
 * places.c - counts places by user, and chooses. */
#include "rpc/places.h"

#include <stdlib.h>

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
	else if (place->fd >= 0 && places->idle_since != NULL)
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
