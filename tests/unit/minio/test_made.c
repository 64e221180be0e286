/* SPDX-License-Identifier: Apache-2.0
 * test_made.c - the table of buckets that were begun here. */
#include <stdio.h>

#include "minio.h"
#include "unit.h"

#include "banned.h"

static void
test_made__until_then(void **state)
{
	struct minio_made made = { .mutex = PTHREAD_MUTEX_INITIALIZER };

	(void)state;
	assert_false(minio_made_has(&made, "photos", 0));
	minio_made_add(&made, "photos", 1000);
	assert_true(minio_made_has(&made, "photos", 999));
	assert_false(minio_made_has(&made, "photos", 1000));
	assert_false(minio_made_has(&made, "photo", 0));
	minio_made_add(&made, "photos", 2000);
	assert_true(minio_made_has(&made, "photos", 1000));
	minio_made_remove(&made, "photos");
	minio_made_remove(&made, "never-made");
	assert_false(minio_made_has(&made, "photos", 0));
}

static void
test_made__at_the_limit_and_past(void **state)
{
	struct minio_made made = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	char name[16];

	(void)state;
	for (int i = 0; i < MINIO_MADE_MOST; i++) {
		(void)snprintf(name, sizeof name, "b-%d", i);
		minio_made_add(&made, name, 1000 + i);
	}
	assert_true(minio_made_has(&made, "b-0", 0));
	minio_made_add(&made, "one-more", 5000);
	assert_false(minio_made_has(&made, "b-0", 0));
	assert_true(minio_made_has(&made, "b-1", 0));
	assert_true(minio_made_has(&made, "one-more", 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made__until_then),
		cmocka_unit_test(test_made__at_the_limit_and_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
