/* SPDX-License-Identifier: Apache-2.0
 * test_attack.c - symbolic links where the module expects its own files; two processes on one root.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

static int
setup(void **state)
{
	struct rig *rig;
	char path[128];
	FILE *file;

	rig_setup(state);
	rig = *state;
	(void)snprintf(path, sizeof path, "%s/kept", rig->outside);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	return 0;
}

/* There is what setup() put there, and nothing else. */
static void
assert_outside_untouched(const struct rig *rig)
{
	char path[128];
	struct stat st;

	(void)snprintf(path, sizeof path, "%s/kept", rig->outside);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(rig->outside), 0);
	assert_int_equal(mkdir(rig->outside, 0700), 0);
}

static void
test_link__as_a_bucket_without_record(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	rig_link(rig, rig->outside, "photos");
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_EXISTS);
	assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_NOT_FOUND);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_NOT_FOUND);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_PRECONDITION);
	assert_true(rig_exists(rig, "photos"));
	assert_outside_untouched(rig);
}

static void
test_link__in_the_place_of_our_bucket(void **state)
{
	struct rig *rig = *state;
	char path[128];

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	(void)snprintf(path, sizeof path, "%s/photos", rig->root);
	assert_int_equal(rmdir(path), 0);
	rig_link(rig, rig->outside, "photos");
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_EXISTS);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_NOT_FOUND);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_PRECONDITION);
	assert_string_equal(rig->status.text,
			    "cannot delete bucket 'photos': a file of that name exists");
	assert_outside_untouched(rig);
}

/* Every call that would write through the link must fail instead. */
static void
assert_calls_fail(struct rig *rig)
{
	assert_int_not_equal(rig_create(rig, "films", NULL, NULL), COSI_OK);
	assert_int_not_equal(rig_grant(rig, "cosi-app", "songs:1", NULL, NULL), COSI_OK);
	assert_false(rig_exists(rig, "films"));
	assert_outside_untouched(rig);
}

static void
test_link__as_state_directory(void **state)
{
	struct rig *rig = *state;

	rig_mkdir(rig, "songs");
	rig_link(rig, rig->outside, ".cosid");
	assert_calls_fail(rig);
}

static void
test_link__as_record_directories(void **state)
{
	struct rig *rig = *state;

	rig_mkdir(rig, "songs");
	rig_mkdir(rig, ".cosid");
	rig_link(rig, rig->outside, ".cosid/buckets");
	rig_link(rig, rig->outside, ".cosid/accounts");
	assert_calls_fail(rig);
}

static void
test_link__as_lock(void **state)
{
	struct rig *rig = *state;
	char target[128];

	(void)snprintf(target, sizeof target, "%s/new", rig->outside);
	rig_mkdir(rig, "songs");
	rig_mkdir(rig, ".cosid");
	rig_link(rig, target, ".cosid/lock");
	assert_calls_fail(rig);
}

static void
test_link__as_file_that_is_being_written(void **state)
{
	struct rig *rig = *state;
	char target[128];

	(void)snprintf(target, sizeof target, "%s/kept", rig->outside);
	rig_mkdir(rig, "songs");
	rig_mkdir(rig, ".cosid");
	rig_mkdir(rig, ".cosid/buckets");
	rig_mkdir(rig, ".cosid/accounts");
	rig_link(rig, target, ".cosid/buckets/.films.next");
	rig_link(rig, target, ".cosid/accounts/.cosi-app.next");
	assert_calls_fail(rig);
}

static void
test_link__as_record(void **state)
{
	struct rig *rig = *state;
	char path[128], moved[192];

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	(void)snprintf(path, sizeof path, "%s/.cosid/buckets/photos.json", rig->root);
	(void)snprintf(moved, sizeof moved, "%s/moved.json", rig->root);
	assert_int_equal(rename(path, moved), 0);
	rig_link(rig, moved, ".cosid/buckets/photos.json");
	assert_int_not_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_not_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_true(rig_exists(rig, "photos"));
}

/* ---- two processes */

enum { ROUNDS = 200 };

static bool
is_fine(uint32_t code)
{
	return code == COSI_OK || code == COSI_BUSY;
}

/* One daemon's day: the same names as the other one's. */
static int
work(struct rig *rig)
{
	uint32_t code;

	for (int i = 0; i < ROUNDS; i++) {
		if (!is_fine(rig_create(rig, "photos", NULL, NULL)))
			return 1;
		code = rig_grant(rig, "cosi-app", "photos:1", NULL, NULL);
		if (!is_fine(code) && code != COSI_NOT_FOUND)
			return 2;
		if (!is_fine(rig_revoke(rig, "cosi-app", "photos")))
			return 3;
		if (!is_fine(rig_delete(rig, "photos", true)))
			return 4;
		arena_done(&rig->arena);
	}
	return 0;
}

static void
test_two_processes__lose_nothing(void **state)
{
	struct rig *rig = *state;
	pid_t pids[2];
	int status;

	for (size_t i = 0; i < 2; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			_exit(work(rig));
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_int_equal(rig_exists(rig, "photos"), rig_exists(rig, ".cosid/buckets/photos.json"));
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
	assert_int_equal(rig_revoke(rig, "cosi-app", ""), COSI_OK);
	assert_string_equal(rig_listing(rig),
			    ".cosid/\n.cosid/accounts/\n.cosid/buckets/\n.cosid/lock = \n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_AFTER(setup, test_link__as_a_bucket_without_record),
		TEST_AFTER(setup, test_link__in_the_place_of_our_bucket),
		TEST_AFTER(setup, test_link__as_state_directory),
		TEST_AFTER(setup, test_link__as_record_directories),
		TEST_AFTER(setup, test_link__as_lock),
		TEST_AFTER(setup, test_link__as_file_that_is_being_written),
		TEST_AFTER(setup, test_link__as_record),
		TEST_AFTER(setup, test_two_processes__lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
