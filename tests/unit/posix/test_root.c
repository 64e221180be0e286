/* SPDX-License-Identifier: Apache-2.0
 * test_root.c - a root that goes away, comes back, or is another one than before, as a file system
 * does that is mounted or unmounted there. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

/* Renames the root, or renames it back; in its place there is nothing. */
static void
unmount(const struct rig *rig)
{
	char kept[sizeof rig->outside + 8];

	(void)snprintf(kept, sizeof kept, "%s/kept", rig->outside);
	assert_int_equal(rename(rig->root, kept), 0);
}

static void
mount_again(const struct rig *rig)
{
	char kept[sizeof rig->outside + 8];

	(void)snprintf(kept, sizeof kept, "%s/kept", rig->outside);
	assert_int_equal(rename(kept, rig->root), 0);
}

static void
assert_unavailable(struct rig *rig, const char *text)
{
	struct rig_access access;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_UNAVAILABLE);
	assert_non_null(strstr(rig->status.text, text));
	assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_UNAVAILABLE);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_UNAVAILABLE);
	assert_int_equal(rig_grant(rig, "cosi-me", "photos:1", NULL, &access), COSI_UNAVAILABLE);
	assert_int_equal(rig_revoke(rig, "cosi-me", ""), COSI_UNAVAILABLE);
	rig_reset(rig);
	assert_int_equal(cosi_module.probe(rig->instance, &rig->call), -1);
	assert_int_equal(rig->status.code, COSI_UNAVAILABLE);
	rig_reset(rig);
	assert_int_equal(cosi_module.list(rig->instance, &rig->call, RIG_OWNER, NULL), -1);
	assert_int_equal(rig->status.code, COSI_UNAVAILABLE);
}

static void
test_root__absent_and_back(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	unmount(rig);
	assert_unavailable(rig, "No such file or directory");
	mount_again(rig);
	assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_OK);
	assert_true(bucket.ours);
}

/* "Gone already" would be answered for every bucket that the file system has. */
static void
test_root__empty_mount_point_is_not_believed(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	/* The very call that makes the first record counts. */
	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	unmount(rig);
	assert_int_equal(mkdir(rig->root, 0755), 0);
	assert_unavailable(rig, "the records have gone");
	assert_string_equal(rig_listing(rig), "");
	assert_int_equal(rmdir(rig->root), 0);
	mount_again(rig);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
}

static void
test_root__another_one_with_records_is_taken(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	unmount(rig);
	assert_int_equal(mkdir(rig->root, 0755), 0);
	rig_mkdir(rig, ".cosid");
	rig_mkdir(rig, "films");
	assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_NOT_FOUND);
	assert_int_equal(rig_get(rig, "films", NULL, &bucket), COSI_OK);
	assert_false(bucket.ours);
	rig_remove_all(rig->root);
	mount_again(rig);
}

/* The path was mistyped, or the daemon was there before its mount point. */
static void
test_root__absent_from_the_start(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	unmount(rig);
	rig_close(rig);
	assert_int_equal(rig_open(rig), 0);
	assert_unavailable(rig, "is key 'root' right");
	mount_again(rig);
	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	assert_int_equal(rig_delete(rig, "films", false), COSI_OK);
	assert_int_equal(rig_revoke(rig, "cosi-me", ""), COSI_OK);
}

/* The daemon came after the mount point and before its file system: it has seen no records yet. */
static void
test_root__without_records_proves_no_absence(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	assert_int_equal(rig_grant(rig, "cosi-me", "photos:1", NULL, NULL), COSI_OK);
	unmount(rig);
	assert_int_equal(mkdir(rig->root, 0755), 0);
	rig_close(rig);
	assert_int_equal(rig_open(rig), 0);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_UNAVAILABLE);
	assert_non_null(strstr(rig->status.text, "it has no records: is the file system mounted?"));
	assert_int_equal(rig_revoke(rig, "cosi-me", ""), COSI_UNAVAILABLE);
	assert_string_equal(rig_listing(rig), "");
	assert_int_equal(rmdir(rig->root), 0);
	mount_again(rig);
	assert_int_equal(rig_revoke(rig, "cosi-me", ""), COSI_OK);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
}

/* So a mount point that belongs to root is never taken for a new root. */
static void
test_root__of_another_user_is_not_believed(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(chmod(rig->root, 0555), 0);
	/* root may write anywhere, so it is not asked */
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_DENIED);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_UNAVAILABLE);
	assert_int_equal(rig_revoke(rig, "cosi-me", ""), COSI_UNAVAILABLE);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(chmod(rig->root, 0700), 0);
}

/* The daemon was there before the file system. */
static void
test_root__mounted_after_the_start(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	unmount(rig);
	assert_int_equal(mkdir(rig->root, 0755), 0);
	assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_NOT_FOUND);
	assert_int_equal(rmdir(rig->root), 0);
	mount_again(rig);
	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	assert_true(rig_exists(rig, "photos"));
}

/* It could not be unmounted. */
static void
test_root__is_not_held_between_calls(void **state)
{
	struct rig *rig = *state;
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	struct cosi_bucket bucket;

	assert_non_null(dir);
	assert_int_equal(rig_create(rig, "photos", NULL, &bucket), COSI_OK);
	while ((entry = readdir(dir)) != NULL) {
		char target[256] = "";

		(void)!readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
		assert_null(strstr(target, rig->root));
	}
	assert_int_equal(closedir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_root__absent_and_back),
		TEST(test_root__empty_mount_point_is_not_believed),
		TEST(test_root__another_one_with_records_is_taken),
		TEST(test_root__absent_from_the_start),
		TEST(test_root__without_records_proves_no_absence),
		TEST(test_root__of_another_user_is_not_believed),
		TEST(test_root__mounted_after_the_start),
		TEST(test_root__is_not_held_between_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
