/* SPDX-License-Identifier: Apache-2.0
 * test_crash.c - a process that a module ends names the module first, in its own words or in JSON.
 */
#include "module/crash.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

#include "rig.h"

#include "banned.h"

static const struct cosi_module module = { .name = "sample" };
static const struct backend outer = { .name = "first", .module = &module };
static const struct backend inner = { .name = "second", .module = &module };

/* What a child that did that has written to stderr; how: as waitpid() has it.  The caller frees. */
static char *
after(void (*deed)(void), bool json, int *how)
{
	char *said = calloc(1, 4096);
	size_t len = 0;
	ssize_t n;
	int ends[2];
	pid_t pid;

	assert_non_null(said);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		(void)close(ends[0]);
		(void)close(ends[1]);
		/* cmocka's handlers would run the next test in this process. */
		for (int sig = 1; sig < NSIG; sig++)
			(void)signal(sig, SIG_DFL);
		log_setup(COSI_ERROR, json);
		crash_install();
		deed();
		_exit(EXIT_SUCCESS);
	}
	(void)close(ends[1]);
	while ((n = read(ends[0], said + len, 4095 - len)) > 0)
		len += (size_t)n;
	(void)close(ends[0]);
	assert_int_equal(waitpid(pid, how, 0), pid);
	return said;
}

static void
assert_ended(void (*deed)(void), int sig, const char *line)
{
	int how;
	char *said = after(deed, false, &how);

	assert_true(WIFSIGNALED(how));
	assert_int_equal(WTERMSIG(how), sig);
	rig_assert_has(said, line);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	free(said);
}

static void
abort_in_scope(void)
{
	const struct log_fields fields = { .method = "DriverGrantBucketAccess",
					   .account = "a \"b\"",
					   .ms = -1 };
	CRASH_SCOPE(&inner, "grant", &fields);

	abort();
}

/* The inner scope is over. */
static void
trap_in_outer_scope(void)
{
	CRASH_SCOPE(&outer, "revoke", LOG_NO_FIELDS);

	{
		CRASH_SCOPE(&inner, "map_name", LOG_NO_FIELDS);
	}
	(void)raise(SIGILL);
}

static void
exit_in_scope(void)
{
	CRASH_SCOPE(&outer, "close", LOG_NO_FIELDS);

	exit(EXIT_SUCCESS);
}

static void
quick_exit_in_scope(void)
{
	CRASH_SCOPE(&outer, "close", LOG_NO_FIELDS);

	quick_exit(EXIT_SUCCESS);
}

static void
breakpoint_in_scope(void)
{
	CRASH_SCOPE(&outer, "grant", LOG_NO_FIELDS);

#ifdef __x86_64__ /* goes on behind the instruction, if the handler returns */
	__asm__ volatile("int3");
#else
	(void)raise(SIGTRAP);
#endif
}

static void
bad_system_call_in_scope(void)
{
	CRASH_SCOPE(&outer, "grant", LOG_NO_FIELDS);

	(void)raise(SIGSYS);
}

/* Not a loop in disguise: each frame is read when the ones below have returned. */
static int
recurse(volatile int depth)
{
	volatile char frame[2048];

	frame[0] = (char)depth;
	return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

static void *
overflow(void *arg)
{
	CRASH_SCOPE(&outer, "grant", LOG_NO_FIELDS);

	(void)recurse(0);
	return arg;
}

static void
overflow_in_thread(void)
{
	pthread_t thread;

	if (thread_start(&thread, "overflow", overflow, NULL) == 0)
		(void)pthread_join(thread, NULL);
}

static void
exit_outside(void)
{
	exit(EXIT_SUCCESS);
}

static void
abort_outside(void)
{
	abort();
}

static void
exit_expected(void)
{
	crash_expect_exit();
	exit(EXIT_SUCCESS);
}

/* A helper process of the module's: the daemon goes on. */
static void
exit_in_a_fork(void)
{
	CRASH_SCOPE(&inner, "grant", LOG_NO_FIELDS);
	pid_t pid = fork();

	if (pid == 0)
		exit(EXIT_SUCCESS);
	(void)waitpid(pid, NULL, 0);
	pid = fork();
	if (pid == 0)
		abort();
	(void)waitpid(pid, NULL, 0);
	_exit(EXIT_SUCCESS);
}

static void
test_signal__is_named(void **state)
{
	(void)state;
	assert_ended(abort_in_scope, SIGABRT,
		     " error backend 'second': module 'sample' crashed in grant() (SIGABRT) "
		     "method=DriverGrantBucketAccess account=\"a \\\"b\\\"\"\n");
	assert_ended(trap_in_outer_scope, SIGILL,
		     " error backend 'first': module 'sample' crashed in revoke() (SIGILL)\n");
	assert_ended(breakpoint_in_scope, SIGTRAP,
		     " error backend 'first': module 'sample' crashed in grant() (SIGTRAP)\n");
	assert_ended(bad_system_call_in_scope, SIGSYS,
		     " error backend 'first': module 'sample' crashed in grant() (SIGSYS)\n");
}

static void
test_signal__stack_is_full(void **state)
{
	(void)state;
	assert_ended(overflow_in_thread, SIGSEGV,
		     " error backend 'first': module 'sample' crashed in grant() (SIGSEGV)\n");
}

static void
test_signal__json(void **state)
{
	int how;
	char *said = after(abort_in_scope, true, &how);

	(void)state;
	rig_assert_has(said, "\"msg\":\"backend 'second': module 'sample' crashed in grant() "
			     "(SIGABRT)\",\"method\":\"DriverGrantBucketAccess\","
			     "\"account\":\"a \\\"b\\\"\"}\n");
	free(said);
}

static void
test_exit__is_a_crash(void **state)
{
	(void)state;
	assert_ended(exit_in_scope, SIGABRT,
		     " error backend 'first': module 'sample' ended the process in close() "
		     "(exit())\n");
	assert_ended(quick_exit_in_scope, SIGABRT,
		     " error backend 'first': module 'sample' ended the process in close() "
		     "(exit())\n");
	assert_ended(exit_outside, SIGABRT,
		     " error a module or a library ended the process (exit())\n");
}

/* A fault in the daemon's own code names no module, and main() may exit. */
static void
test_other__says_nothing(void **state)
{
	int how;
	char *said = after(abort_outside, false, &how);

	(void)state;
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
	assert_string_equal(said, "");
	free(said);
	said = after(exit_expected, false, &how);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
	assert_string_equal(said, "");
	free(said);
	said = after(exit_in_a_fork, false, &how);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
	assert_string_equal(said, "");
	free(said);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signal__is_named),
		cmocka_unit_test(test_signal__stack_is_full),
		cmocka_unit_test(test_signal__json),
		cmocka_unit_test(test_exit__is_a_crash),
		cmocka_unit_test(test_other__says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
