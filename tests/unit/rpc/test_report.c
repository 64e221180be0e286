/* SPDX-License-Identifier: Apache-2.0
 * test_report.c - one line a call, and of a failure that repeats one line and a count. */
#include "rig.h"

#include <pthread.h>

#include "base/log.h"
#include "rpc/report.h"

#include "banned.h"

/* A failure of that bucket at that time; error NULL: it went well. */
static void
tell(struct report *report, const char *bucket, const char *error, int64_t now_ms)
{
	const struct report_call call = {
		.fields = { .api = "v1alpha1", .method = "DriverDeleteBucket", .bucket = bucket },
		.code = error != NULL ? "FAILED_PRECONDITION" : "OK",
		.error = error,
		.level = error != NULL ? COSI_WARNING : COSI_INFO,
		.ms = 7,
		.now_ms = now_ms,
	};

	report_call(report, &call);
}

static void
test_call__success_and_failure(void **state)
{
	struct report *report = report_new();

	(void)state;
	rig_capture();
	tell(report, "r.a", NULL, 1000);
	tell(report, "r.a", "cannot delete: it is not empty", 1001);
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 2);
	assert_int_equal(rig_lines("info done api=v1alpha1 method=DriverDeleteBucket bucket=r.a "
				   "code=OK ms=7\n"),
			 1);
	assert_int_equal(rig_lines("warning cannot delete: it is not empty api=v1alpha1 "
				   "method=DriverDeleteBucket bucket=r.a code=FAILED_PRECONDITION "
				   "ms=7\n"),
			 1);
}

static void
test_repeat__counted_for_a_minute(void **state)
{
	struct report *report = report_new();

	(void)state;
	rig_capture();
	for (int i = 0; i < 10; i++)
		tell(report, "r.a", "no", 1000 + i);
	tell(report, "r.a", "no", 1000 + REPORT_EVERY_MS - 1);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 1);
	rig_capture();
	tell(report, "r.a", "no", 1000 + REPORT_EVERY_MS);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 2);
	assert_int_equal(rig_lines("repeated 10 times"), 1);
	report_free(report);
}

static void
test_repeat__ends_by_change_or_success(void **state)
{
	struct report *report = report_new();

	(void)state;
	rig_capture();
	tell(report, "r.a", "no", 1000);
	tell(report, "r.a", "no", 1001);
	tell(report, "r.a", "not now", 1002);
	tell(report, "r.a", "not now", 1003);
	tell(report, "r.a", NULL, 1004);
	tell(report, "r.a", "no", 1005);
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("repeated once"), 2);
	assert_int_equal(rig_lines("warning no api"), 2);
	assert_int_equal(rig_lines("warning not now api"), 1);
	assert_int_equal(rig_lines("\n"), 6);
}

/* A Create's id is known only once its backend is: it is one object all the same. */
static void
test_repeat__of_a_name(void **state)
{
	struct report *report = report_new();
	struct report_call call = {
		.fields = { .api = "v1alpha1", .method = "DriverCreateBucket", .name = "bc-1" },
		.code = "UNAVAILABLE",
		.error = "no",
		.level = COSI_WARNING,
	};

	(void)state;
	rig_capture();
	report_call(report, &call);
	report_call(report, &call);
	call.fields.bucket = "r.bc-1";
	report_call(report, &call);
	call.error = NULL;
	report_call(report, &call);
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("warning no api"), 1);
	assert_int_equal(rig_lines("repeated 2 times api=v1alpha1 method=DriverCreateBucket "
				   "name=bc-1 code=UNAVAILABLE\n"),
			 1);
	assert_int_equal(rig_lines("done api=v1alpha1 method=DriverCreateBucket name=bc-1 "
				   "bucket=r.bc-1 "),
			 1);
}

static void
test_repeat__told_by_tick_and_end(void **state)
{
	struct report *report = report_new();

	(void)state;
	rig_capture();
	tell(report, "r.a", "no", 1000);
	tell(report, "r.a", "no", 1001);
	report_tick(report, 1000 + REPORT_EVERY_MS - 1);
	rig_captured();
	assert_int_equal(rig_lines("repeated"), 0);
	rig_capture();
	report_tick(report, 1000 + REPORT_EVERY_MS);
	report_tick(report, 1000 + REPORT_EVERY_MS + 1);
	tell(report, "r.a", "no", 1002 + REPORT_EVERY_MS);
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("repeated once"), 2);
	assert_int_equal(rig_lines("\n"), 2);
}

/* Every retry of a thousand objects at once: each is logged once while it is remembered. */
static void
test_objects__told_apart(void **state)
{
	struct report *report = report_new();
	char bucket[16];

	(void)state;
	rig_capture();
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < REPORT_OBJECTS; i++) {
			(void)snprintf(bucket, sizeof bucket, "r.%d", i);
			tell(report, bucket, "no", 1000 + round * REPORT_OBJECTS + i);
		}
	}
	rig_captured();
	assert_int_equal(rig_lines("\n"), REPORT_OBJECTS);
	rig_capture();
	tell(report, "r.one-more", "no", 9000); /* in the place of r.0 */
	tell(report, "r.1", "no", 9001);
	tell(report, "r.0", "no", 9002);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 4);
	assert_int_equal(rig_lines("repeated 2 times"), 2); /* r.0 and what it replaced */
	assert_int_equal(rig_lines("bucket=r.1 "), 0);
	rig_capture();
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("repeated"), REPORT_OBJECTS - 2);
}

static void *
hammer(void *arg)
{
	char bucket[16];

	for (int i = 0; i < 2000; i++) {
		(void)snprintf(bucket, sizeof bucket, "r.%d", i % 300);
		tell(arg, bucket, i % 7 != 0 ? "no" : NULL, i);
	}
	report_tick(arg, 100000);
	return NULL;
}

static void
test_threads__count_all(void **state)
{
	struct report *report = report_new();
	pthread_t threads[4];

	(void)state;
	rig_capture();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, report), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	report_free(report);
	rig_captured();
	assert_int_equal(rig_lines("info done"), 4 * 286);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call__success_and_failure),
		cmocka_unit_test(test_repeat__counted_for_a_minute),
		cmocka_unit_test(test_repeat__ends_by_change_or_success),
		cmocka_unit_test(test_repeat__of_a_name),
		cmocka_unit_test(test_repeat__told_by_tick_and_end),
		cmocka_unit_test(test_objects__told_apart),
		cmocka_unit_test(test_threads__count_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
