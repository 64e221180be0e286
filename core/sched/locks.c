/* SPDX-License-Identifier: Apache-2.0
 * locks.c - a hash table of keys, each with its queue of tickets.
 *
 *   key ── granted ── granted ── waiting ── waiting
 *          (shared)   (shared)   ^ first_waiting
 */
#include "sched/locks.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

struct lock_key {
	struct lock_key *next; /* in its chain, or among the spare ones */
	uint64_t hash;
	struct ticket *head, *tail;   /* granted ones first */
	struct ticket *first_waiting; /* NULL: all are granted */
	size_t granted;
	bool exclusively; /* the granted one is exclusive */
	char name[LOCK_NAME_MAX + 1];
};

void
locks_done(struct locks *locks)
{
	assert(locks->nkeys == 0);
	while (locks->spare != NULL) {
		struct lock_key *key = locks->spare;

		locks->spare = key->next;
		free(key);
	}
}

static struct lock_key **
lock_chain(struct locks *locks, uint64_t hash)
{
	return &locks->chains[hash % LOCK_CHAINS];
}

/* The key of that name, made when it is not there; NULL: no memory, or the name is too long. */
static struct lock_key *
lock_key_get(struct locks *locks, const char *name)
{
	uint64_t hash = fnv_text(FNV_START, name);
	struct lock_key **chain = lock_chain(locks, hash), *key;
	size_t len = strlen(name);

	if (len > LOCK_NAME_MAX) /* cut, it would lock nothing */
		return NULL;
	for (key = *chain; key != NULL; key = key->next) {
		if (key->hash == hash && strcmp(key->name, name) == 0)
			return key;
	}
	key = locks->spare;
	if (key != NULL)
		locks->spare = key->next;
	else
		key = malloc(sizeof *key);
	if (key == NULL)
		return NULL;
	*key = (struct lock_key){ .next = *chain, .hash = hash };
	memcpy(key->name, name, len);
	*chain = key;
	locks->nkeys++;
	return key;
}

/* Grants from the front of those that wait, as far as it goes; appends the sets that are complete
 * now at *tail, which it moves on. */
static void
lock_key_grant(struct lock_key *key, struct lock_set ***tail)
{
	struct ticket *ticket;

	while ((ticket = key->first_waiting) != NULL) {
		if (key->granted > 0 && (key->exclusively || ticket->exclusive))
			return;
		ticket->granted = true;
		key->granted++;
		key->exclusively = ticket->exclusive;
		key->first_waiting = ticket->next;
		if (--ticket->set->waiting == 0) {
			ticket->set->next = NULL;
			**tail = ticket->set;
			*tail = &ticket->set->next;
		}
	}
}

/* Gives back the first n tickets of a set; a key without tickets becomes a spare one. */
static struct lock_set *
release_tickets(struct locks *locks, struct lock_set *set, size_t n)
{
	struct lock_set *ready = NULL, **tail = &ready;

	for (size_t i = 0; i < n; i++) {
		struct ticket *ticket = &set->tickets[i];
		struct lock_key *key = ticket->key, **at;

		if (key->first_waiting == ticket)
			key->first_waiting = ticket->next;
		if (ticket->granted)
			key->granted--;
		if (key->granted == 0)
			key->exclusively = false;
		*(ticket->prev != NULL ? &ticket->prev->next : &key->head) = ticket->next;
		*(ticket->next != NULL ? &ticket->next->prev : &key->tail) = ticket->prev;
		ticket->key = NULL;
		if (key->head != NULL) {
			lock_key_grant(key, &tail);
			continue;
		}
		for (at = lock_chain(locks, key->hash); *at != key; at = &(*at)->next)
			continue;
		*at = key->next;
		key->next = locks->spare;
		locks->spare = key;
		locks->nkeys--;
	}
	return ready;
}

int
locks_draw(struct locks *locks, struct lock_set *set)
{
	struct lock_set *ready = NULL, **tail = &ready; /* at most the set itself */

	assert(!set->drawn);
	set->waiting = set->n;
	for (size_t i = 0; i < set->n; i++) {
		struct ticket *ticket = &set->tickets[i];
		struct lock_key *key = lock_key_get(locks, ticket->name);

		if (key == NULL) {
			/* No other call has drawn since, so none waits for these. */
			(void)release_tickets(locks, set, i);
			return -1;
		}
		ticket->set = set;
		ticket->key = key;
		ticket->granted = false;
		ticket->next = NULL;
		ticket->prev = key->tail;
		*(key->tail != NULL ? &key->tail->next : &key->head) = ticket;
		key->tail = ticket;
		if (key->first_waiting == NULL)
			key->first_waiting = ticket;
		lock_key_grant(key, &tail);
	}
	set->drawn = true;
	return 0;
}

struct lock_set *
locks_release(struct locks *locks, struct lock_set *set)
{
	if (!set->drawn)
		return NULL;
	set->drawn = false;
	return release_tickets(locks, set, set->n);
}
