/* SPDX-License-Identifier: Apache-2.0
 * test_thread.c - signals stay away from threads, faults do not; conditions wait by the clock. */
#include "base/thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>

#include <cmocka.h>

#include "banned.h"

static void *
report_mask(void *out)
{
	(void)pthread_sigmask(SIG_SETMASK, NULL, out);
	return out;
}

static void
test_start__signals_are_for_others(void **state)
{
	sigset_t before, after, inside;
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(thread_start(&thread, "mask", report_mask, &inside), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &inside);
	assert_int_equal(sigismember(&inside, SIGTERM), 1);
	assert_int_equal(sigismember(&inside, SIGHUP), 1);
	assert_int_equal(sigismember(&inside, SIGALRM), 1);
	assert_int_equal(sigismember(&inside, SIGSEGV), 0);
	assert_int_equal(sigismember(&inside, SIGABRT), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	for (int sig = 1; sig < SIGRTMAX; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
}

struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t opened;
	bool open;
	char name[16];
};

static void *
open_gate(void *arg)
{
	struct gate *gate = arg;

	(void)pthread_mutex_lock(&gate->mutex);
	gate->open = true;
	(void)pthread_cond_signal(&gate->opened);
	(void)pthread_mutex_unlock(&gate->mutex);
	return NULL;
}

static void *
wait_at_gate(void *arg)
{
	struct gate *gate = arg;

	(void)pthread_mutex_lock(&gate->mutex);
	while (!gate->open)
		(void)cond_wait_until(&gate->opened, &gate->mutex, CLOCK_NEVER);
	(void)pthread_mutex_unlock(&gate->mutex);
	(void)pthread_getname_np(pthread_self(), gate->name, sizeof gate->name);
	return NULL;
}

static void
test_start__thread_has_its_name(void **state)
{
	struct gate gate = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	pthread_t thread;

	(void)state;
	cond_init(&gate.opened);
	assert_int_equal(thread_start(&thread, "gatekeeper", wait_at_gate, &gate), 0);
	(void)open_gate(&gate);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_string_equal(gate.name, "gatekeeper");
	(void)pthread_cond_destroy(&gate.opened);
}

static void
test_wait_until__ends_when_the_time_has_come(void **state)
{
	struct gate gate = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	int64_t begun = clock_mono_ms();

	(void)state;
	cond_init(&gate.opened);
	(void)pthread_mutex_lock(&gate.mutex);
	while (cond_wait_until(&gate.opened, &gate.mutex, begun + 20))
		;
	assert_true(clock_mono_ms() >= begun + 20);
	assert_false(cond_wait_until(&gate.opened, &gate.mutex, begun));
	assert_false(cond_wait_until(&gate.opened, &gate.mutex, 0));
	assert_false(cond_wait_until(&gate.opened, &gate.mutex, -1));
	(void)pthread_mutex_unlock(&gate.mutex);
	(void)pthread_cond_destroy(&gate.opened);
}

static void
test_wait_until__is_woken_before(void **state)
{
	const int64_t limits[] = { CLOCK_NEVER, CLOCK_NEVER - 1, clock_mono_ms() + 60000 };

	(void)state;
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct gate gate = { .mutex = PTHREAD_MUTEX_INITIALIZER };
		pthread_t thread;

		cond_init(&gate.opened);
		(void)pthread_mutex_lock(&gate.mutex);
		assert_int_equal(thread_start(&thread, "opener", open_gate, &gate), 0);
		while (!gate.open)
			assert_true(cond_wait_until(&gate.opened, &gate.mutex, limits[i]));
		(void)pthread_mutex_unlock(&gate.mutex);
		assert_int_equal(pthread_join(thread, NULL), 0);
		(void)pthread_cond_destroy(&gate.opened);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start__signals_are_for_others),
		cmocka_unit_test(test_start__thread_has_its_name),
		cmocka_unit_test(test_wait_until__ends_when_the_time_has_come),
		cmocka_unit_test(test_wait_until__is_woken_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
