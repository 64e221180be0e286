/* SPDX-License-Identifier: Apache-2.0
 * strict.c - linked into every unit program: what did not run does not pass.  A skipped test has
 * failed; a program that ends with status 0 without having run its tests to the end, or none at
 * all, fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "banned.h"

enum { NOT_PASSED = 97 };

static pid_t strict_pid; /* 0: a program that a unit program started, which is the test's own */
static unsigned strict_begun, strict_ended;
static int strict_failed;

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
				   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
				   CMFixtureFunction setup, CMFixtureFunction teardown);
void __wrap__skip(const char *file, int line);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

/* What ./dev test tells ThreadSanitizer, for a program that is run by hand: libgrpc and Abseil are
 * not instrumented, and their locks would be reported as races. */
__attribute__((weak, visibility("default"))) const char *__tsan_default_options(void);
const char *
__tsan_default_options(void)
{
	return "exitcode=99:second_deadlock_stack=1:ignore_noninstrumented_modules=1";
}

__attribute__((constructor)) static void
strict_begin(void)
{
	char pid[16];

	if (getenv("UNIT_PROGRAM_PID") != NULL)
		return;
	strict_pid = getpid();
	(void)snprintf(pid, sizeof pid, "%d", (int)strict_pid);
	(void)setenv("UNIT_PROGRAM_PID", pid, 1);
}

int
__wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
			       CMFixtureFunction setup, CMFixtureFunction teardown)
{
	int failed;

	/* The loader starts /proc/self/exe: without end, if that ran the tests again. */
	if (strict_pid == 0) {
		(void)fprintf(stderr, "not passed: a unit program started itself\n");
		__real__exit(NOT_PASSED);
	}
	strict_begun++;
	failed = __real__cmocka_run_group_tests(name, tests, n, setup, teardown);
	strict_ended++;
	if (failed != 0)
		strict_failed = 1; /* also when main() forgets it */
	return failed;
}

void
__wrap__skip(const char *file, int line)
{
	print_error("%s:%d: a test is skipped\n", file, line);
	_fail(file, line);
}

static const char *
strict_complaint(void)
{
	if (strict_pid != getpid())
		return NULL;
	if (strict_begun == 0)
		return "it ran no test";
	if (strict_ended != strict_begun)
		return "it ended within a test";
	return strict_failed != 0 ? "a test failed" : NULL;
}

__attribute__((destructor)) static void
strict_end(void)
{
	const char *complaint = strict_complaint();

	if (complaint == NULL)
		return;
	(void)fprintf(stderr, "not passed: %s\n", complaint);
	(void)fflush(NULL);
	__real__exit(NOT_PASSED);
}

void
__wrap__exit(int status)
{
	if (status == 0)
		strict_end();
	__real__exit(status);
}
