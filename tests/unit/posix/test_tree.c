/* SPDX-License-Identifier: Apache-2.0
 * test_tree.c - purges: all that is inside goes, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

static int
setup(void **state)
{
	struct rig *rig;

	rig_setup(state);
	rig = *state;
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	return 0;
}

static void
assert_deleted(struct rig *rig)
{
	assert_string_equal(rig_listing(rig), ".cosid/\n.cosid/buckets/\n.cosid/lock = \n");
}

static void
test_purge__empty_bucket(void **state)
{
	assert_int_equal(rig_delete(*state, "photos", true), COSI_OK);
	assert_deleted(*state);
	assert_int_equal(rig_delete(*state, "photos", true), COSI_OK);
}

static void
test_purge__files_and_directories(void **state)
{
	struct rig *rig = *state;

	rig_write(rig, "photos/a", "1");
	rig_write(rig, "photos/.hidden", "2");
	rig_write(rig, "photos/..also", "3");
	rig_write(rig, "photos/line\nfeed\377", "4");
	rig_mkdir(rig, "photos/dir");
	rig_mkdir(rig, "photos/dir/empty");
	rig_mkdir(rig, "photos/dir/sub");
	rig_write(rig, "photos/dir/sub/deep", "5");
	rig_write(rig, "photos/dir/file", "6");
	assert_int_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_deleted(rig);
}

/* A user's key may have the name that a purge gives to a directory for a time. */
static void
test_purge__keys_named_like_lifted_directories(void **state)
{
	struct rig *rig = *state;

	rig_mkdir(rig, "photos/d");
	rig_mkdir(rig, "photos/d/e");
	rig_write(rig, "photos/d/e/f", "1");
	rig_write(rig, "photos/.cosid-purge-0", "2");
	rig_mkdir(rig, "photos/.cosid-purge-1");
	rig_write(rig, "photos/.cosid-purge-1/x", "3");
	rig_mkdir(rig, "photos/.cosid-purge-2");
	assert_int_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_deleted(rig);
}

/* Deeper than any path can say, and than there are descriptors. */
static void
test_purge__1500_levels(void **state)
{
	struct rig *rig = *state;
	char path[128];
	int dir, next;

	(void)snprintf(path, sizeof path, "%s/photos", rig->root);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 1500; i++) {
		assert_int_equal(mkdirat(dir, "a-directory", 0755), 0);
		next = openat(dir, "a-directory", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		assert_int_equal(close(dir), 0);
		dir = next;
	}
	assert_int_equal(close(dir), 0);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_deleted(rig);
}

static void
test_purge__2000_files_are_more_than_one_read(void **state)
{
	char path[64];

	for (int i = 0; i < 2000; i++) {
		(void)snprintf(path, sizeof path, "photos/a-rather-long-name-for-a-file-%d", i);
		rig_write(*state, path, "");
	}
	assert_int_equal(rig_delete(*state, "photos", true), COSI_OK);
	assert_deleted(*state);
}

static void
test_purge__links_go_and_their_targets_stay(void **state)
{
	struct rig *rig = *state;
	char path[128], link[192];

	rig_write(rig, "outside", "safe");
	rig_link(rig, "../outside", "photos/to-file");
	rig_link(rig, rig->outside, "photos/to-directory");
	rig_mkdir(rig, "photos/dir");
	rig_link(rig, rig->outside, "photos/dir/to-directory");
	rig_link(rig, "loop", "photos/loop");
	(void)snprintf(path, sizeof path, "%s/kept", rig->outside);
	(void)snprintf(link, sizeof link, "%s/photos/hard", rig->root);
	assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(linkat(AT_FDCWD, path, AT_FDCWD, link, 0), 0);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_int_equal(access(path, F_OK), 0);
	assert_string_equal(rig_read(rig, "outside"), "safe");
	assert_false(rig_exists(rig, "photos"));
}

static void
test_purge__stops_when_late_and_goes_on_later(void **state)
{
	struct rig *rig = *state;
	int calls = 0;

	/* A directory and one entry of it are the least that a call with any time left gets done.
	 */
	for (int i = 0; i < 3; i++) {
		char path[32];

		(void)snprintf(path, sizeof path, "photos/%d", i);
		rig_write(rig, path, "");
	}
	rig_mkdir(rig, "photos/dir");
	rig_write(rig, "photos/dir/a", "");
	rig_write(rig, "photos/dir/b", "");
	for (rig->time_left = 2; rig_delete(rig, "photos", true) != COSI_OK; rig->time_left = 2) {
		assert_int_equal(rig->status.code, COSI_TIMEOUT);
		assert_string_equal(
			rig->status.text,
			"cannot empty bucket 'photos': the deadline has passed, objects are left");
		assert_true(rig_exists(rig, ".cosid/buckets/photos.json"));
		calls++;
	}
	assert_in_range(calls, 2, 5);
	assert_deleted(rig);
}

static void
test_purge__without_the_rights_says_so(void **state)
{
	struct rig *rig = *state;
	char path[128];

	rig_mkdir(rig, "photos/dir");
	rig_write(rig, "photos/dir/a", "");
	(void)snprintf(path, sizeof path, "%s/photos/dir", rig->root);
	assert_int_equal(chmod(path, 0500), 0);
	if (geteuid() == 0) { /* root needs no rights: become a user who owns all but those */
		assert_int_equal(chown(path, 65534, 65534), 0);
		(void)snprintf(path, sizeof path, "chown -R 65534 %s", rig->root);
		assert_int_equal(chmod(rig->root, 0777), 0);
		(void)snprintf(path, sizeof path, "%s/photos", rig->root);
		assert_int_equal(chmod(path, 0777), 0);
		(void)snprintf(path, sizeof path, "%s/.cosid", rig->root);
		assert_int_equal(chmod(path, 0777), 0);
		(void)snprintf(path, sizeof path, "%s/.cosid/lock", rig->root);
		assert_int_equal(chmod(path, 0666), 0);
		(void)snprintf(path, sizeof path, "%s/.cosid/buckets", rig->root);
		assert_int_equal(chmod(path, 0777), 0);
		(void)snprintf(path, sizeof path, "%s/.cosid/buckets/photos.json", rig->root);
		assert_int_equal(chmod(path, 0666), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	assert_int_equal(rig_delete(rig, "photos", true), COSI_DENIED);
	assert_string_equal(rig->status.text, "cannot empty bucket 'photos': Permission denied");
	assert_int_equal(seteuid(getuid()), 0);
	assert_true(rig_exists(rig, "photos/dir/a"));
	(void)snprintf(path, sizeof path, "%s/photos/dir", rig->root);
	assert_int_equal(chmod(path, 0700), 0);
}

/* ---- mount points, in a namespace of a child's own */

enum { CHILD_OK = 0, CHILD_CANNOT_MOUNT = 1, CHILD_WRONG_CODE = 2, CHILD_LOST_IT = 3 };

/* With `path` mounted: puts a file there and purges. */
static int
purge_mounted(struct rig *rig, const char *path)
{
	char file[256];
	int fd;

	(void)snprintf(file, sizeof file, "%s/kept", path);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || close(fd) < 0)
		return CHILD_CANNOT_MOUNT;
	rig_close(
		rig); /* its descriptor belongs to the other namespace, where nothing is mounted */
	if (rig_open(rig) < 0)
		return CHILD_CANNOT_MOUNT;
	if (rig_delete(rig, "photos", true) != COSI_PRECONDITION ||
	    strstr(rig->status.text, "mount point") == NULL)
		return CHILD_WRONG_CODE;
	return access(file, F_OK) == 0 ? CHILD_OK : CHILD_LOST_IT;
}

/* Mounts `source` (NULL: a tmpfs) on root/where and purges.  In a chroot "/" is no mount point and
 * cannot be made private: the mount may be seen outside until it is undone. */
static int
purge_with_mount(struct rig *rig, const char *where, const char *source)
{
	char path[192];
	int result;

	(void)snprintf(path, sizeof path, "%s/%s", rig->root, where);
	if (unshare(CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0)) < 0 ||
	    (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 && errno != EINVAL) ||
	    mount(source != NULL ? source : "none", path, source != NULL ? NULL : "tmpfs",
		  source != NULL ? MS_BIND : 0, NULL) < 0)
		return CHILD_CANNOT_MOUNT;
	result = purge_mounted(rig, path);
	(void)umount2(path, MNT_DETACH);
	return result;
}

static void
check_mount(struct rig *rig, const char *where, const char *source)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(purge_with_mount(rig, where, source));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), CHILD_OK);
	assert_true(rig_exists(rig, ".cosid/buckets/photos.json"));
}

static void
test_mount__in_the_first_level(void **state)
{
	rig_mkdir(*state, "photos/mnt");
	check_mount(*state, "photos/mnt", NULL);
}

static void
test_mount__deeper(void **state)
{
	rig_mkdir(*state, "photos/dir");
	rig_mkdir(*state, "photos/dir/mnt");
	check_mount(*state, "photos/dir/mnt", NULL);
}

/* The same file system, so that only the kernel's own mark tells. */
static void
test_mount__bind_of_the_same_device(void **state)
{
	struct rig *rig = *state;

	rig_mkdir(rig, "photos/mnt");
	check_mount(rig, "photos/mnt", rig->outside);
}

static void
test_mount__is_the_bucket(void **state)
{
	check_mount(*state, "photos", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_AFTER(setup, test_purge__empty_bucket),
		TEST_AFTER(setup, test_purge__files_and_directories),
		TEST_AFTER(setup, test_purge__keys_named_like_lifted_directories),
		TEST_AFTER(setup, test_purge__1500_levels),
		TEST_AFTER(setup, test_purge__2000_files_are_more_than_one_read),
		TEST_AFTER(setup, test_purge__links_go_and_their_targets_stay),
		TEST_AFTER(setup, test_purge__stops_when_late_and_goes_on_later),
		TEST_AFTER(setup, test_purge__without_the_rights_says_so),
		TEST_AFTER(setup, test_mount__in_the_first_level),
		TEST_AFTER(setup, test_mount__deeper),
		TEST_AFTER(setup, test_mount__bind_of_the_same_device),
		TEST_AFTER(setup, test_mount__is_the_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
