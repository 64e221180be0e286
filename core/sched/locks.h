/* SPDX-License-Identifier: Apache-2.0
 * locks.h - which calls may work on which bucket or account at the same time.
 *
 * A call draws one ticket for each of its keys, all at once; a key's tickets form a queue, served
 * in order: one exclusive holder, or several shared ones.  Since every call draws all its tickets
 * at once, two calls stand in the same order in every queue that they share, so they cannot wait
 * for each other.  Drawing and releasing cost O(tickets), however many wait.
 *
 * A plain structure: callers hold the scheduler's mutex.
 */
#ifndef COSID_SCHED_LOCKS_H
#define COSID_SCHED_LOCKS_H
#include <stdbool.h>
#include <stddef.h>

#include "routing/request.h"

enum { LOCK_NAME_MAX = 2 + ID_MAX, LOCK_CHAINS = 1024 };

struct lock_key;
struct lock_set;
struct ticket {
	const char *name; /* of the key, at most LOCK_NAME_MAX bytes; not needed once drawn */
	bool exclusive;
	bool granted;
	struct lock_key *key;
	struct lock_set *set;
	struct ticket *next, *prev; /* in the key's queue */
};

struct lock_set {
	size_t n;
	struct ticket *tickets; /* borrowed; no name twice */
	size_t waiting;         /* tickets that are not granted yet */
	bool drawn;
	struct lock_set *next; /* in the answer of locks_release() */
};

/* Begins with zeroes. */
struct locks {
	struct lock_key *chains[LOCK_CHAINS];
	struct lock_key *spare; /* for the next new key */
	size_t nkeys;           /* that are held or waited for */
};

/* Every set must have been released. */
void locks_done(struct locks *locks);

/* Draws all tickets of the set, which are held once set->waiting is 0.  -1: no memory, or a name is
 * too long, which no plan's is; none is drawn. */
int locks_draw(struct locks *locks, struct lock_set *set);
/* Releases all tickets, held or waiting; a set that is not drawn has none.  Returns the sets that
 * hold all their tickets from now on, linked by next. */
struct lock_set *locks_release(struct locks *locks, struct lock_set *set);

#endif
