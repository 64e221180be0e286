/* SPDX-License-Identifier: Apache-2.0
 * test_stress.c - ten thousand calls at random, with deadlines and cancellations: each is answered
 * once, no lock is broken, and nothing is left (the scheduler asserts that when it is freed). */
#include "sched/sched.h"

#include "fakes.h"

#include "banned.h"

enum { THREADS = 4, CALLS = 2500, IN_FLIGHT = 48, NAMES = 12, CODES = COSI_INTERNAL + 1 };

static const struct fake_spec specs[] = {
	{ .name = "east", .max_calls = 6 },
	{ .name = "west", .max_calls = 6, .flags = COSI_GRANT_WRITES_BUCKET },
};

struct shooter {
	struct sched *sched;
	unsigned seed;
	unsigned codes[CODES];
	struct shot *ring[IN_FLIGHT];
};

static unsigned
chance(struct shooter *shooter, unsigned n)
{
	shooter->seed = shooter->seed * 1664525u + 1013904223u;
	return (shooter->seed >> 10) % n;
}

static const char *
word(struct shooter *shooter, struct shot *shot, const char *before)
{
	return arena_printf(&shot->call->arena, "%s%u", before, chance(shooter, NAMES));
}

static const char *
backend_dot(struct shooter *shooter, struct shot *shot, const char *before)
{
	const char *backend = chance(shooter, 2) == 0 ? "east" : "west";

	return arena_printf(&shot->call->arena, "%s.%s", backend, word(shooter, shot, before));
}

static struct shot *
any_call(struct shooter *shooter)
{
	enum request_op op = (enum request_op)(REQUEST_CREATE + chance(shooter, 5));
	struct shot *shot = shot_new(op);
	struct request *req = shot->req;

	if (op == REQUEST_CREATE) {
		req->name = word(shooter, shot, "b");
		req->delay_reply = chance(shooter, 2) == 0;
		if (chance(shooter, 2) == 0)
			shot_param(shot, "backend", chance(shooter, 2) == 0 ? "east" : "west");
	} else if (op == REQUEST_GRANT) {
		req->name = word(shooter, shot, "a");
		shot_bucket(shot, backend_dot(shooter, shot, "b"), COSI_READ_ONLY);
		shot_bucket(shot, word(shooter, shot, "b"), COSI_READ_ONLY);
	} else if (op == REQUEST_REVOKE) {
		req->id = backend_dot(shooter, shot, "cosi-a");
		if (chance(shooter, 2) == 0)
			shot_bucket(shot, backend_dot(shooter, shot, "b"), 0);
	} else {
		req->id = chance(shooter, 3) == 0 ? word(shooter, shot, "b")
						  : backend_dot(shooter, shot, "b");
	}
	if (chance(shooter, 4) == 0)
		req->deadline_ms = clock_mono_ms() + chance(shooter, 8);
	return shot;
}

static void
collect(struct shooter *shooter, size_t i)
{
	struct shot *shot = shooter->ring[i];

	if (shot == NULL)
		return;
	shot_wait(shot);
	shooter->codes[shot->status.code]++;
	call_release(shot->call, CALL_OWNER_RPC);
	if (shot->replies != 1)
		shooter->codes[0] += 1000000;
	free(shot);
	shooter->ring[i] = NULL;
}

static void *
shoot_all(void *arg)
{
	struct shooter *shooter = arg;

	for (size_t n = 0; n < CALLS; n++) {
		size_t i = chance(shooter, IN_FLIGHT), victim = chance(shooter, IN_FLIGHT);

		collect(shooter, i);
		shooter->ring[i] = any_call(shooter);
		shoot(shooter->sched, shooter->ring[i]);
		if (chance(shooter, 4) == 0 && shooter->ring[victim] != NULL)
			sched_cancel(shooter->sched, shooter->ring[victim]->call, REPLY_CANCELLED);
	}
	for (size_t i = 0; i < IN_FLIGHT; i++)
		collect(shooter, i);
	return NULL;
}

static void
script(void)
{
	FAKE_SET("east", dawdle_turns, 300);
	FAKE_SET("west", dawdle_turns, 300);
	fake_has("east", "b0", "b0", NULL);
	fake_has("west", "b1", "b1", NULL);
	FAKE_SET("west", unknown_ms[REQUEST_DELETE], 3);
	FAKE_SET("west", unknown_ms[REQUEST_CREATE], 1);
	FAKE_SET("west", fails[REQUEST_REVOKE], COSI_UNAVAILABLE);
}

static void
test_stress__one_answer_each(void **state)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = specs,
					  .default_backend = "east",
					  .sched = { .workers = 10, .create_settle_ms = 2 } };
	struct sched *sched = fake_start(&setup);
	struct shooter shooters[THREADS] = { 0 };
	pthread_t threads[THREADS];
	unsigned codes[CODES] = { 0 }, all = 0;

	(void)state;
	script();
	for (unsigned i = 0; i < THREADS; i++) {
		shooters[i] = (struct shooter){ .sched = sched, .seed = i + 1 };
		assert_int_equal(pthread_create(&threads[i], NULL, shoot_all, &shooters[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		for (unsigned code = 0; code < CODES; code++)
			codes[code] += shooters[i].codes[code];
	}
	for (unsigned code = 0; code < CODES; code++) {
		all += codes[code];
		if (codes[code] > 0)
			print_message("%-16s %u\n", status_code_name(code), codes[code]);
	}
	assert_int_equal(all, THREADS * CALLS);
	/* All ways out were taken. */
	assert_true(codes[COSI_OK] > 0 && codes[COSI_TIMEOUT] > 0 && codes[COSI_NOT_FOUND] > 0 &&
		    codes[COSI_UNAVAILABLE] > 0);
	assert_int_equal(codes[COSI_INTERNAL], 0);
	fake_stop(sched);
}

/* Freed while calls of every kind are on their way. */
static void
test_stress__freed_under_way(void **state)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = specs,
					  .default_backend = "east",
					  .sched = { .workers = 6, .create_settle_ms = 50 } };

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct sched *sched = fake_start(&setup);
		struct shooter shooter = { .sched = sched, .seed = round };

		script();
		for (size_t i = 0; i < IN_FLIGHT; i++) {
			shooter.ring[i] = any_call(&shooter);
			shoot(sched, shooter.ring[i]);
		}
		fake_stop(sched);
		for (size_t i = 0; i < IN_FLIGHT; i++)
			shot_free(shooter.ring[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stress__one_answer_each),
		cmocka_unit_test(test_stress__freed_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
