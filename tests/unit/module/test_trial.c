/* SPDX-License-Identifier: Apache-2.0
 * test_trial.c - children that load a module in our place. */
#include "module/trial.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "rig.h"

#include "banned.h"

/* Enough for a child that answers. */
enum { LONG_MS = 60000 };

static int
try(const char *path, int64_t limit_ms, struct status *status)
{
	struct trial trial;

	*status = (struct status){ 0 };
	if (trial_start(&trial, path, limit_ms, status) != 0)
		return -1;
	return trial_wait(&trial, status);
}

/* No child is left, dead or alive. */
static int
teardown(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	return 0;
}

static void
test_trial__good(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(try(FIXTURES "/good.so", LONG_MS, &status), 0);
	assert_string_equal(status.text, "");
}

static void
test_trial__reason_of_the_child(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(try(FIXTURES "/major.so", LONG_MS, &status), -1);
	assert_string_equal(status.text, "it is built for module API 2.0, this daemon has 1.0");
	assert_int_equal(try(FIXTURES "/absent.so", LONG_MS, &status), -1);
	assert_string_equal(status.text, "No such file or directory");
}

static void
test_trial__crash_and_exit(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(try(FIXTURES "/crash.so", LONG_MS, &status), -1);
	assert_string_equal(status.text, "it crashes when it is loaded (SIGABRT)");
	assert_int_equal(try(FIXTURES "/exit.so", LONG_MS, &status), -1);
	rig_assert_has(status.text, RIG_EXITS);
}

static void
test_trial__hang(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(try(FIXTURES "/hang.so", 300, &status), -1);
	assert_string_equal(status.text, "it does not return from being loaded (0.3 s)");
}

/* As the daemon runs: it blocks what the child must be able to die of. */
static void
test_trial__blocked_signals(void **state)
{
	sigset_t all, old;

	assert_int_equal(sigfillset(&all), 0);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, &old), 0);
	test_trial__crash_and_exit(state);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
}

static void
test_trial__several_at_once(void **state)
{
	static const char *const paths[] = { FIXTURES "/good.so", FIXTURES "/crash.so",
					     FIXTURES "/2/good.so" };
	struct trial trials[3];
	struct status status[3] = { { 0 } };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trial_start(&trials[i], paths[i], LONG_MS, &status[i]), 0);
	assert_int_equal(trial_wait(&trials[2], &status[2]), 0);
	assert_int_equal(trial_wait(&trials[1], &status[1]), -1);
	assert_int_equal(trial_wait(&trials[0], &status[0]), 0);
}

/* A program that does not know --describe must not start itself for ever. */
static void
test_trial__not_within_a_trial(void **state)
{
	struct trial trial;
	struct status status = { 0 };

	(void)state;
	assert_int_equal(setenv("COSID_TRIAL", "1", 1), 0);
	assert_int_equal(trial_start(&trial, FIXTURES "/good.so", LONG_MS, &status), -1);
	assert_string_equal(status.text, "a trial cannot start trials");
	assert_int_equal(unsetenv("COSID_TRIAL"), 0);
}

/* A second thread, without which the child is a fork. */
static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;

static void *
wait_on_hold(void *arg)
{
	pthread_mutex_lock(&hold);
	pthread_mutex_unlock(&hold);
	return arg;
}

static bool has_threads;

/* In a process with more threads nobody is tried so. */
static void
test_together(void **state)
{
	static const char *const paths[] = { FIXTURES "/good.so", FIXTURES "/2/good.so",
					     FIXTURES "/crash.so", FIXTURES "/good.so" };
	static const char *const hanging[] = { FIXTURES "/good.so", FIXTURES "/hang.so" };
	size_t most = has_threads ? 0 : 2;

	(void)state;
	assert_int_equal(trial_together(paths, 0, LONG_MS), 0);
	assert_int_equal(trial_together(paths, 1, LONG_MS), 0);
	assert_int_equal(trial_together(paths, 2, LONG_MS), most);
	assert_int_equal(trial_together(paths, 4, LONG_MS), most);
	assert_int_equal(trial_together(hanging, 2, 300), 0);
}

static int
add_thread(void **state)
{
	(void)state;
	has_threads = true;
	pthread_mutex_lock(&hold);
	return pthread_create(&thread, NULL, wait_on_hold, NULL);
}

static int
end_thread(void **state)
{
	(void)state;
	pthread_mutex_unlock(&hold);
	return pthread_join(thread, NULL);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_trial__good, teardown),
		cmocka_unit_test_teardown(test_trial__reason_of_the_child, teardown),
		cmocka_unit_test_teardown(test_trial__crash_and_exit, teardown),
		cmocka_unit_test_teardown(test_trial__hang, teardown),
		cmocka_unit_test_teardown(test_trial__blocked_signals, teardown),
		cmocka_unit_test_teardown(test_trial__several_at_once, teardown),
		cmocka_unit_test_teardown(test_trial__not_within_a_trial, teardown),
		cmocka_unit_test_teardown(test_together, teardown),
	};

	if (argc > 1)
		return rig_describe(argc, argv);
	return cmocka_run_group_tests_name("forked", tests, NULL, NULL) +
	       cmocka_run_group_tests_name("started", tests, add_thread, end_thread);
}
