/* SPDX-License-Identifier: Apache-2.0
 * test_state.c - the directory of a process, and what other processes left. */
#include "module/state.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

static int
setup(void **state)
{
	*state = rig_dir();
	assert_int_equal(unsetenv("STATE_DIRECTORY"), 0);
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	return 0;
}

static int
teardown(void **state)
{
	rig_remove(*state);
	return 0;
}

static struct state_dir *
open_good(const char *dir)
{
	struct status status = { 0 };
	struct state_dir *opened = state_open(dir, &status);

	assert_string_equal(status.text, "");
	assert_non_null(opened);
	return opened;
}

static void
refused(const char *dir, const char *reason)
{
	struct status status = { 0 };

	assert_null(state_open(dir, &status));
	rig_assert_has(status.text, reason);
}

static void
test_open__private_and_removed(void **state)
{
	struct state_dir *opened = open_good(*state);
	char *path = strdup(state_path(opened));
	char expected[64];
	struct stat st;

	(void)snprintf(expected, sizeof expected, "/modules/%d.", (int)getpid());
	rig_assert_has(path, expected);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	rig_write(rig_path(path, "posix.1.so"), "x", 1);
	state_close(opened);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

static void
test_open__two_at_once(void **state)
{
	struct state_dir *one = open_good(*state), *two = open_good(*state);

	assert_string_not_equal(state_path(one), state_path(two));
	assert_int_equal(rig_count(rig_path(*state, "modules")), 2);
	state_close(one);
	assert_int_equal(access(state_path(two), F_OK), 0);
	state_close(two);
}

static void
test_open__leftovers(void **state)
{
	static const char *const gone[] = { "1.deadbeef", "4194304.00000000" };
	static const char *const kept[] = { "1.DEADBEEF",  "1.deadbee",   ".deadbeef",
					    "x1.deadbeef", "1.deadbeef0", "12345678901.deadbeef" };
	char *modules = strdup(rig_path(*state, "modules"));
	const char *inner;

	assert_int_equal(mkdir(modules, 0700), 0);
	for (size_t i = 0; i < 2; i++) {
		inner = rig_path(modules, gone[i]);
		assert_int_equal(mkdir(inner, 0700), 0);
		rig_write(rig_path(inner, "posix.1.so"), "x", 1);
	}
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		assert_int_equal(mkdir(rig_path(modules, kept[i]), 0700), 0);
	state_close(open_good(*state));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(access(rig_path(modules, gone[i]), F_OK), -1);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		assert_int_equal(access(rig_path(modules, kept[i]), F_OK), 0);
	free(modules);
}

/* A live one, one that others may enter, a file, a link to somewhere else. */
static void
test_open__not_a_leftover(void **state)
{
	char *modules = strdup(rig_path(*state, "modules"));
	int fd;

	assert_int_equal(mkdir(modules, 0700), 0);
	assert_int_equal(mkdir(rig_path(modules, "1.00000001"), 0700), 0);
	fd = open(rig_path(modules, "1.00000001"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(mkdir(rig_path(modules, "1.00000002"), 0755), 0);
	rig_write(rig_path(modules, "1.00000003"), "x", 1);
	assert_int_equal(mkdir(rig_path(*state, "else"), 0700), 0);
	rig_write(rig_path(rig_path(*state, "else"), "file"), "x", 1);
	assert_int_equal(symlink("../else", rig_path(modules, "1.00000004")), 0);
	state_close(open_good(*state));
	assert_int_equal(rig_count(modules), 4);
	assert_int_equal(rig_count(rig_path(*state, "else")), 1);
	(void)close(fd);
	state_close(open_good(*state));
	assert_int_equal(rig_count(modules), 3);
	free(modules);
}

static void
test_open__environment(void **state)
{
	const char *dir = *state;
	struct state_dir *opened;
	char both[4096];

	(void)snprintf(both, sizeof both, "%s/one:%s/two", dir, dir);
	assert_int_equal(setenv("STATE_DIRECTORY", both, 1), 0);
	opened = open_good(NULL);
	rig_assert_has(state_path(opened), "/one/modules/");
	state_close(opened);
	assert_int_equal(unsetenv("STATE_DIRECTORY"), 0);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", dir, 1), 0);
	opened = open_good(NULL);
	rig_assert_has(state_path(opened), rig_path(dir, "cosid-modules."));
	state_close(opened);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", rig_path(dir, "absent"), 1), 0);
	opened = open_good(NULL);
	rig_assert_has(state_path(opened), "/tmp/cosid-modules.");
	state_close(opened);
}

static void
test_open__bad_directory(void **state)
{
	const char *dir = *state;

	refused(rig_path(dir, "a/b"), "a/b': No such file or directory");
	rig_write(rig_path(dir, "file"), "x", 1);
	refused(rig_path(dir, "file"), "file': Not a directory");
	assert_int_equal(mkdir(rig_path(dir, "modules"), 0700), 0);
	assert_int_equal(chmod(rig_path(dir, "modules"), 0777), 0);
	refused(dir, "others may write to it");
	assert_int_equal(chmod(rig_path(dir, "modules"), 01777), 0);
	state_close(open_good(dir));
}

/* root asks for the directory of the daemon's user: what root made there would lock the daemon out.
 */
static void
test_open__foreign_owner(void **state)
{
	const char *dir = *state;

	if (geteuid() != 0)
		fail_msg("this test needs root");
	assert_int_equal(chown(dir, 65534, 65534), 0);
	refused(dir, "it belongs to user 65534");
	assert_int_equal(rig_count(dir), 0);
}

/* Last of all, because the process keeps its mount namespace. */
static void
test_open__noexec(void **state)
{
	char expected[4096];

	if (geteuid() != 0)
		fail_msg("this test needs root");
	assert_int_equal(unshare(CLONE_NEWNS), 0);
	/* In a chroot that is no mount there is nothing to make private. */
	(void)mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL);
	assert_int_equal(mount("none", *state, "tmpfs", MS_NOEXEC, "mode=0700"), 0);
	(void)snprintf(expected, sizeof expected,
		       "inner': '%s' is mounted noexec, and modules are run from there",
		       (const char *)*state);
	refused(rig_path(*state, "inner"), expected);
	assert_int_equal(umount2(*state, MNT_DETACH), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open__private_and_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__two_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__leftovers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__not_a_leftover, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__environment, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__bad_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__foreign_owner, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__noexec, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
