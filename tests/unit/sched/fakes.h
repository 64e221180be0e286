/* SPDX-License-Identifier: Apache-2.0
 * fakes.h - backends that remember buckets, stop where a test wants, and watch their locks.
 *
 * stores.c defines the backend_*() and generation_*() functions of core/module itself, so a test
 * program has the scheduler and nothing below it.
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

struct sched *fake_start(const struct fake_setup *setup);
/* A later generation for sched_swap(): backends of the same stores, named with spaces between,
 * with this URL for applications and that many slots each (0: not given). */
struct generation *fake_later(const char *names, const char *public_url, int64_t max_calls);
/* How many of those have been closed; and is the first one? */
unsigned fake_nclosed(void);
bool fake_first_is_closed(void);
/* Has the first one closed that backend? */
bool fake_first_has_closed(const char *backend);
/* Frees the scheduler; what it should have given back must be back, and no lock was broken. */
void fake_stop(struct sched *sched);

/* A bucket that is there already.  marked: the request's name in its mark; NULL: not ours. */
void fake_has(const char *backend, const char *native, const char *marked, const char *params);
bool fake_has_bucket(const char *backend, const char *native);
/* From now on its buckets serve these protocols alone. */
void fake_speaks(const char *backend, uint32_t protocols);
/* From now on its handlers of that kind fail; code 0: they work again. */
void fake_fails(const char *backend, enum request_op op, uint32_t code);
/* From now on they leave the outcome unknown. */
void fake_unknown(const char *backend, enum request_op op, int64_t ms);
/* From now on they wait inside until it is opened again. */
void fake_shut(const char *backend);
void fake_open(const char *backend);
/* From now on its handlers take up to that long, differently each time: to mix the order of things.
 */
void fake_dawdle(const char *backend, unsigned us);
/* Waits until exactly n handlers are inside. */
void fake_wait_inside(const char *backend, unsigned n);
/* How many handlers of that kind were called. */
unsigned fake_calls(const char *backend, enum request_op op);
/* The deadline that the last handler was given. */
int64_t fake_deadline_ms(const char *backend);
/* How many handlers found themselves cancelled after they had waited. */
unsigned fake_cancelled(const char *backend);
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
