/* SPDX-License-Identifier: Apache-2.0
 * places.h - the table of connections: who has a place, and who gives way when there is none left.
 *
 * Places are shared by users: one more of a user takes the place of another of its own, or of a
 * user that has more than it has.  So nobody's connections, however many, keep another user out;
 * and whoever has the most gives way first.  A connection with a call in flight never gives way,
 * which is why no user may have all of them.
 */
#ifndef COSID_RPC_PLACES_H
#define COSID_RPC_PLACES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct place {
	int fd; /* -1: free */
	uid_t uid;
	int64_t silent_ms; /* monotonic time at which it is closed; CLOCK_NEVER: it has spoken */
	ino_t ino;         /* of one that has spoken */
	int64_t cut_ms;    /* monotonic: unwanted, and cut by then; 0: it may stay */
	int64_t asked_ms;  /* monotonic: when it was asked to go; 0: it was not */
	int64_t stuck_ms;  /* monotonic: since when it has not got on (guard.h); 0: it has */
	unsigned nmoves;   /* what places.moves() said then */
};

struct places {
	size_t n, most_of_one; /* in all, and for one user */
	struct place *table;   /* owned */
	/* Since when (monotonic) one that has spoken has no call; CLOCK_NEVER: it has. */
	int64_t (*idle_since)(void *owner, int fd);
	/* How many calls of one that has spoken have begun or ended. */
	unsigned (*moves)(void *owner, int fd);
	void *owner;
};

/* n, most_of_one, the functions and owner are set.  0, or -1: no memory. */
int places_init(struct places *places);
void places_done(struct places *places);

/* It is taken, and its connection has said nothing yet. */
bool places_waits(const struct place *place);
/* Frees the places of those whose connection the core has closed meanwhile. */
void places_sweep(struct places *places);
/* A free place that this user may have; NULL: there is none. */
struct place *places_find(const struct places *places, uid_t uid);
/* Whose place one more of this user may take.  First of whoever has most, then one that has said
 * nothing, then the one that has waited or been without a call for longest.  NULL: nobody's. */
struct place *places_choose(const struct places *places, uid_t uid);

/* Of one that was handed on, whose descriptor may be closed and become another's at any time: a
 * copy, the caller's to close; -1: it is gone. */
int place_copy(const struct place *place);
/* Its calls end, and so does whatever it keeps the core waiting for. */
void place_cut(const struct place *place);
/* By HTTP/2's words; it must have no call. */
void place_ask_to_go(const struct place *place);

#endif
