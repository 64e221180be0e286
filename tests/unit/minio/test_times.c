/* SPDX-License-Identifier: Apache-2.0
 * test_times.c - the table of buckets and their times. */
#include <stdio.h>

#include "minio.h"
#include "unit.h"

#include "banned.h"

static void
test_times__set_get_drop(void **state)
{
	struct minio_times times = { .mutex = PTHREAD_MUTEX_INITIALIZER };

	(void)state;
	assert_int_equal(minio_times_get(&times, "photos"), 0);
	minio_times_set(&times, "photos", 1000);
	assert_int_equal(minio_times_get(&times, "photos"), 1000);
	assert_int_equal(minio_times_get(&times, "photo"), 0);
	minio_times_set(&times, "photos", 2000);
	assert_int_equal(minio_times_get(&times, "photos"), 2000);
	minio_times_drop(&times, "photos");
	minio_times_drop(&times, "never-set");
	assert_int_equal(minio_times_get(&times, "photos"), 0);
}

static void
test_times__at_the_limit_and_past(void **state)
{
	struct minio_times times = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	char name[16];

	(void)state;
	for (int i = 0; i < MINIO_TIMES_MOST; i++) {
		(void)snprintf(name, sizeof name, "b-%d", i);
		minio_times_set(&times, name, 1000 + i);
	}
	assert_int_equal(minio_times_get(&times, "b-0"), 1000);
	minio_times_set(&times, "one-more", 5000);
	assert_int_equal(minio_times_get(&times, "b-0"), 0);
	assert_int_equal(minio_times_get(&times, "b-1"), 1001);
	assert_int_equal(minio_times_get(&times, "one-more"), 5000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times__set_get_drop),
		cmocka_unit_test(test_times__at_the_limit_and_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
