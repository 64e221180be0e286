/* SPDX-License-Identifier: Apache-2.0
 * world.h - what the fakes share among themselves: the stores, and the one mutex for all of it. */
#ifndef TESTS_UNIT_SCHED_WORLD_H
#define TESTS_UNIT_SCHED_WORLD_H
#include "fakes.h"

enum { BUCKETS_MAX = 64, INSIDE_MAX = 256, OPS = REQUEST_REVOKE + 1 };

struct held {
	uint32_t kind;
	bool exclusive;
	char native[160];
};

struct store {
	struct fake_spec spec;
	struct config_backend config;
	struct cosi_module module;
	struct {
		char native[160], marked[160], params[80];
		bool there, ours;
	} buckets[BUCKETS_MAX];
	uint32_t fails[OPS];
	int64_t unknown_ms[OPS];
	unsigned calls[OPS], inside, cancelled;
	int64_t deadline_ms; /* of the last handler */
	uint32_t speaks;     /* protocols of its buckets; 0: the module's */
	bool shut;
	unsigned dawdle_us, seed;
	struct held held[INSIDE_MAX];
	size_t nheld;
	char asked[4096];
};

struct world {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct store *stores;
	size_t n;
	unsigned broken_locks;
	struct config config;
	struct generation generation;
	bool closed;         /* the last reference of the generation was given back */
	struct later *later; /* those that came after it, and are open */
	unsigned nclosed;    /* the others */
};
extern struct world world;

/* A later generation, in one piece: what is used after it was closed is a use after free. */
struct later {
	struct generation generation; /* first */
	struct later *next;           /* in world.later */
	struct config config;
	struct config_backend configs[8];
	struct backend backends[8];
	char names[8][33]; /* of its own, as a configuration has them */
};

/* The parameters that every fake module has. */
struct own {
	const char *color;
	int64_t size;
};
struct own_access {
	const char *shape;
};

/* All with the mutex. */
struct store *world_store(const char *backend);
/* Where the bucket is in store->buckets; -1: nowhere. */
int world_place(const struct store *store, const char *native);
void world_put(struct store *store, const char *native, const char *marked, const char *params);

#endif
