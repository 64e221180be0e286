/* SPDX-License-Identifier: Apache-2.0
 * fakes.h - backends that remember buckets, stop where a test wants, and watch their locks.
 *
 * stores.c defines the backend_*() and generation_*() functions of core/module itself, so a test
 * program has the scheduler and nothing below it.  One mutex guards all that the stores are told
 * and have seen.
 */
#ifndef TESTS_UNIT_SCHED_FAKES_H
#define TESTS_UNIT_SCHED_FAKES_H
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sched/sched.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FAKE_OWNER   "us.example.org"

enum { FAKE_LONG_MS = 600000 }; /* a time that never comes in a test */

struct fake_spec {
	const char *name;
	uint32_t protocols, auth; /* 0: S3, key */
	uint32_t flags, common;
	bool closed; /* accept_new = false */
	bool blind;  /* has no get_bucket */
	bool strict; /* requires the parameter color of its buckets */
	int64_t max_calls;
	size_t needs;                /* bytes that each handler takes */
	const char *const *existing; /* NULL: all */
	/* NULL: the word itself */
	const char *(*map_name)(void *, struct cosi_call *, uint32_t, const char *, bool);
};

struct fake_setup {
	size_t nbackends;
	const struct fake_spec *backends;
	size_t nroutes;
	const struct config_route *routes;
	const char *default_backend;
	struct sched_config sched; /* 0: 4 workers, no delay, a timeout that never comes */
};

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
	/* What a test tells it. */
	uint32_t fails[OPS];     /* the code of handlers of that kind; 0: they work */
	int64_t unknown_ms[OPS]; /* for so long they leave the outcome unknown */
	uint32_t speaks;         /* protocols of its buckets; 0: the module's */
	unsigned dawdle_turns; /* handlers give way up to that often, to mix the order of things */
	bool shut;
	/* What it has seen. */
	unsigned calls[OPS], inside;
	unsigned cancelled;  /* handlers that found themselves cancelled after they had waited */
	int64_t deadline_ms; /* of the last handler */
	char asked[4096];
	unsigned seed;
	struct held held[INSIDE_MAX];
	size_t nheld;
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

/* With the mutex. */
struct store *world_store(const char *backend);
/* Where the bucket is in store->buckets; -1: nowhere. */
int world_place(const struct store *store, const char *native);
void world_put(struct store *store, const char *native, const char *marked, const char *params);

/* FAKE_SET("east", shut, true); FAKE_GET("east", calls[REQUEST_GET]): members of the store. */
#define FAKE_SET(backend, member, value)                                                           \
	do {                                                                                       \
		LOCK_SCOPE(&world.mutex);                                                          \
		world_store(backend)->member = (value);                                            \
		pthread_cond_broadcast(&world.changed);                                            \
	} while (0)
#define FAKE_GET(backend, member)                                                                  \
	({                                                                                         \
		LOCK_SCOPE(&world.mutex);                                                          \
		world_store(backend)->member;                                                      \
	})

struct sched *fake_start(const struct fake_setup *setup);
/* A later generation for sched_swap(): backends of the same stores, named with spaces between,
 * with this URL for applications and that many slots each (0: not given). */
struct generation *fake_later(const char *names, const char *public_url, int64_t max_calls);
/* Has the first one closed that backend? */
bool fake_first_has_closed(const char *backend);
/* Frees the scheduler; what it should have given back must be back, and no lock was broken. */
void fake_stop(struct sched *sched);

/* A bucket that is there already.  marked: the request's name in its mark; NULL: not ours. */
void fake_has(const char *backend, const char *native, const char *marked, const char *params);
bool fake_has_bucket(const char *backend, const char *native);
/* From now on handlers of that store wait inside until it is opened again. */
void fake_shut(const char *backend);
void fake_open(const char *backend);
/* Waits until exactly n handlers are inside. */
void fake_wait_inside(const char *backend, unsigned n);
/* What the last handler but get was asked, as words. */
const char *fake_asked(const char *backend);

/* One call, and what came of it. */
struct shot {
	struct call *call;
	struct request *req; /* of the call; to be filled in before shoot() */
	unsigned replies;
	struct status status;
	char id[256];
	uint32_t protocol;
	char buckets[1024]; /* names of access.buckets, with spaces between */
	char endpoint[64];
	int64_t replied_ms;
	pthread_t thread; /* that the reply came on */
};
struct shot *shot_new(enum request_op op);
void shot_param(struct shot *shot, const char *key, const char *value);
void shot_bucket(struct shot *shot, const char *id, uint32_t mode);
void shoot(struct sched *sched, struct shot *shot);
/* Waits for the reply. */
void shot_wait(struct shot *shot);
bool shot_is_replied(struct shot *shot);
/* Exactly one reply must have come. */
void shot_free(struct shot *shot);

/* Frequent ones: made, fired, not waited for. */
struct shot *shot_create(struct sched *sched, const char *name, const char *backend);
struct shot *shot_by_id(struct sched *sched, enum request_op op, const char *id);
struct shot *shot_grant(struct sched *sched, const char *account, const char *bucket_id);
struct shot *shot_revoke(struct sched *sched, const char *account_id);
/* Waits, compares code and a part of the text (NULL: any), frees. */
void shot_expect(struct shot *shot, uint32_t code, const char *part);
void shot_expect_id(struct shot *shot, const char *id);

#endif
