/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - every allocation fails once: a clean answer, nothing lost, and the next call
 * works.
 */
#include <stdatomic.h>

#include "base/cleanup.h"
#include "fakes.h"
#include "fakes/memory.h"

#include "banned.h"

enum { STEP_BYTES = 48 };

static const struct fake_spec two[] = { { .name = "east" }, { .name = "west" } };
static const struct fake_setup setup = {
	.nbackends = 2, .backends = two, .default_backend = "east", .sched = { .workers = 2 }
};

/* Every kind of call; it is made, but not fired. */
static struct shot *
any(enum request_op op)
{
	struct shot *shot = shot_new(op);

	shot->req->name = op == REQUEST_GRANT ? "ba-1" : "photos";
	shot->req->id = op == REQUEST_REVOKE ? "east.cosi-ba-1"
			: op == REQUEST_GET  ? "photos"
					     : "east.photos";
	if (op == REQUEST_GRANT || op == REQUEST_REVOKE)
		shot_bucket(shot, "east.photos", COSI_READ_ONLY);
	if (op == REQUEST_CREATE)
		shot_param(shot, "color", "red");
	return shot;
}

/* Waits; true: it went well, false: it was refused for memory. */
static bool
went_well(struct shot *shot)
{
	bool well;

	shot_wait(shot);
	well = status_ok(&shot->status);
	if (!well && shot->status.code != COSI_EXHAUSTED && shot->status.code != COSI_UNAVAILABLE)
		fail_msg("%s: %s", status_code_name(shot->status.code), shot->status.text);
	assert_true(well || shot->status.text[0] != '\0');
	shot_free(shot);
	return well;
}

static void
test_arena__too_small(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (enum request_op op = REQUEST_CREATE; op <= REQUEST_REVOKE; op++) {
		unsigned refused = 0;

		fake_has("east", "photos", "photos", NULL);
		for (size_t room = 0;; room += STEP_BYTES) {
			struct shot *shot = any(op);

			if (op == REQUEST_CREATE) /* another one each time */
				shot->req->name = arena_printf(&shot->call->arena, "b%zu", room);
			shot->call->arena.cap = shot->call->arena.used + room;
			shoot(sched, shot);
			if (went_well(shot))
				break;
			refused++;
		}
		assert_true(refused > 0);
	}
	fake_stop(sched);
}

static void
test_malloc__in_a_call(void **state)
{
	(void)state;
	for (enum request_op op = REQUEST_CREATE; op <= REQUEST_REVOKE; op++) {
		unsigned refused = 0;

		for (int n = 0;; n++) {
			struct sched *sched = fake_start(&setup);
			struct shot *shot = any(op);
			bool well;

			fake_has("east", "photos", "photos", NULL);
			if (op == REQUEST_CREATE)
				shot->req->name = "new";
			memory_fail_after(n);
			shoot(sched, shot);
			well = went_well(shot);
			well = !memory_has_failed() && well;
			/* Whatever happened, the next one works. */
			assert_true(went_well(shot_by_id(sched, REQUEST_DELETE, "east.photos")));
			fake_stop(sched);
			if (well)
				break;
			refused++;
		}
		assert_true(refused > 0);
	}
}

static void
test_malloc__of_a_call(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	memory_fail_after(0);
	assert_null(call_new());
	assert_true(memory_has_failed());
	fake_stop(sched);
}

static void
test_start__nothing_is_left_running(void **state)
{
	struct config config = { .driver_name = "cosid.example.org" };
	struct config_backend entry = { .name = "east" };
	struct backend backend = { .name = "east", .config = &entry };
	const struct sched_config wanted = { .call_timeout_ms = 1000, .workers = 2 };

	(void)state;
	for (int n = 0;; n++) {
		struct generation generation = { .config = &config,
						 .nbackends = 1,
						 .backends = &backend };
		struct status status = { 0 };
		struct sched *sched;

		atomic_init(&generation.refs, 1);
		memory_fail_after(n);
		sched = sched_new(&wanted, &generation, &status);
		assert_true(memory_has_failed() || sched != NULL);
		sched_free(sched);
		/* Given back in either case. */
		assert_int_equal(atomic_load(&generation.refs), 0);
		if (sched != NULL)
			break;
		assert_int_equal(status.code, COSI_EXHAUSTED);
		assert_true(status.text[0] != '\0');
		assert_true(n < 100);
	}
}

/* What fails half-way leaves the old generation with its limits. */
static void
test_swap__nothing_has_changed(void **state)
{
	const struct sched_config wanted = { .call_timeout_ms = FAKE_LONG_MS, .workers = 6 };
	struct sched *sched = fake_start(&setup);
	int result = -1;

	(void)state;
	for (int n = 0; result < 0; n++) {
		struct generation *next = fake_later("east west", "http://second.example.org", 3);
		struct status status = { 0 };

		memory_fail_after(n);
		result = sched_swap(sched, &wanted, next, &status);
		assert_true(memory_has_failed() || result == 0);
		assert_int_equal(sched_reap(sched), 0);
		assert_int_equal(world.closed, result == 0);
		if (result < 0) {
			assert_int_equal(status.code, COSI_EXHAUSTED);
			generation_unref(next);
		}
		assert_true(went_well(shot_by_id(sched, REQUEST_DELETE, "east.photos")));
	}
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__too_small),
		cmocka_unit_test(test_malloc__in_a_call),
		cmocka_unit_test(test_malloc__of_a_call),
		cmocka_unit_test(test_swap__nothing_has_changed),
		cmocka_unit_test(test_start__nothing_is_left_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
