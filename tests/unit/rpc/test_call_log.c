/* SPDX-License-Identifier: Apache-2.0
 * test_call_log.c - one line a call, and of a failure that repeats one line and a count. */
#include "rig.h"

#include <pthread.h>

#include "base/log.h"
#include "rpc/call_log.h"

#include "banned.h"

static struct call_log *
log_new(void)
{
	struct call_log *log = calloc(1, sizeof *log);

	assert_non_null(log);
	call_log_init(log);
	return log;
}

static void
log_free(struct call_log *log)
{
	call_log_done(log);
	free(log);
}

/* A failure of that bucket at that time; error NULL: it went well. */
static void
tell(struct call_log *log, const char *bucket, const char *error, int64_t now_ms)
{
	const struct call_log_entry entry = {
		.fields = { .api = "v1alpha1", .method = "DriverDeleteBucket", .bucket = bucket },
		.code = error != NULL ? "FAILED_PRECONDITION" : "OK",
		.error = error,
		.level = error != NULL ? COSI_WARNING : COSI_INFO,
		.ms = 7,
		.now_ms = now_ms,
	};

	call_log_write(log, &entry);
}

static void
test_call__success_and_failure(void **state)
{
	struct call_log *log = log_new();

	(void)state;
	rig_capture();
	tell(log, "r.a", NULL, 1000);
	tell(log, "r.a", "cannot delete: it is not empty", 1001);
	log_free(log);
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
	struct call_log *log = log_new();

	(void)state;
	rig_capture();
	for (int i = 0; i < 10; i++)
		tell(log, "r.a", "no", 1000 + i);
	tell(log, "r.a", "no", 1000 + CALL_LOG_EVERY_MS - 1);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 1);
	rig_capture();
	tell(log, "r.a", "no", 1000 + CALL_LOG_EVERY_MS);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 2);
	assert_int_equal(rig_lines("repeated 10 times"), 1);
	log_free(log);
}

static void
test_repeat__ends_by_change_or_success(void **state)
{
	struct call_log *log = log_new();

	(void)state;
	rig_capture();
	tell(log, "r.a", "no", 1000);
	tell(log, "r.a", "no", 1001);
	tell(log, "r.a", "not now", 1002);
	tell(log, "r.a", "not now", 1003);
	tell(log, "r.a", NULL, 1004);
	tell(log, "r.a", "no", 1005);
	log_free(log);
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
	struct call_log *log = log_new();
	struct call_log_entry call = {
		.fields = { .api = "v1alpha1", .method = "DriverCreateBucket", .name = "bc-1" },
		.code = "UNAVAILABLE",
		.error = "no",
		.level = COSI_WARNING,
	};

	(void)state;
	rig_capture();
	call_log_write(log, &call);
	call_log_write(log, &call);
	call.fields.bucket = "r.bc-1";
	call_log_write(log, &call);
	call.error = NULL;
	call_log_write(log, &call);
	log_free(log);
	rig_captured();
	assert_int_equal(rig_lines("warning no api"), 1);
	assert_int_equal(rig_lines("repeated 2 times api=v1alpha1 method=DriverCreateBucket "
				   "name=bc-1 bucket=r.bc-1\n"),
			 1);
	assert_int_equal(rig_lines("done api=v1alpha1 method=DriverCreateBucket name=bc-1 "
				   "bucket=r.bc-1 "),
			 1);
}

/* Every retry of a thousand objects at once: each is logged once while it is remembered. */
static void
test_objects__told_apart(void **state)
{
	struct call_log *log = log_new();
	char bucket[16];

	(void)state;
	rig_capture();
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < CALL_LOG_OBJECTS; i++) {
			(void)snprintf(bucket, sizeof bucket, "r.%d", i);
			tell(log, bucket, "no", 1000 + round * CALL_LOG_OBJECTS + i);
		}
	}
	rig_captured();
	assert_int_equal(rig_lines("\n"), CALL_LOG_OBJECTS);
	rig_capture();
	tell(log, "r.one-more", "no", 9000); /* in the place of r.0 */
	tell(log, "r.1", "no", 9001);
	tell(log, "r.0", "no", 9002);
	rig_captured();
	assert_int_equal(rig_lines("\n"), 2);
	assert_int_equal(rig_lines("bucket=r.1 "), 0);
	log_free(log);
}

static void *
hammer(void *arg)
{
	char bucket[16];

	for (int i = 0; i < 2000; i++) {
		(void)snprintf(bucket, sizeof bucket, "r.%d", i % 300);
		tell(arg, bucket, i % 7 != 0 ? "no" : NULL, i);
	}
	return NULL;
}

static void
test_threads__count_all(void **state)
{
	struct call_log *log = log_new();
	pthread_t threads[4];

	(void)state;
	rig_capture();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, log), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	log_free(log);
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
		cmocka_unit_test(test_objects__told_apart),
		cmocka_unit_test(test_threads__count_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
