/* SPDX-License-Identifier: Apache-2.0
 * test_trust.c - what other users could change on the way to a file, and what they could not. */
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "banned.h"

enum { OTHER = 4242 };

/* top/mid/file */
static char top[64], mid[80], file[96];

static const char *
in_top(const char *name)
{
	static char paths[4][128];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	(void)snprintf(path, sizeof paths[0], "%s/%s", top, name);
	return path;
}

static int
setup(void **state)
{
	(void)state;
	(void)snprintf(top, sizeof top, "/tmp/cosid-trust.XXXXXX");
	assert_non_null(mkdtemp(top));
	(void)snprintf(mid, sizeof mid, "%s/mid", top);
	(void)snprintf(file, sizeof file, "%s/file", mid);
	assert_int_equal(mkdir(mid, 0755), 0);
	assert_int_equal(close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)), 0);
	return 0;
}

static int
remove_name(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int
teardown(void **state)
{
	(void)state;
	return nftw(top, remove_name, 8, FTW_DEPTH | FTW_PHYS);
}

static void
trusted(const char *path)
{
	struct status status = { 0 };

	if (trust_check(path, &status) < 0)
		fail_msg("'%s': %s", path, status.text);
	assert_true(status_ok(&status));
}

static void
refused(const char *path, const char *text)
{
	struct status status = { 0 };

	assert_int_equal(trust_check(path, &status), -1);
	assert_int_equal(status.code, COSI_DENIED);
	assert_string_equal(status.text, text);
}

static void
refused_mode(const char *path, const char *mode, const char *culprit)
{
	char text[256];

	(void)snprintf(text, sizeof text,
		       "users other than its owner may write to '%s' (mode %s): chmod go-w it",
		       culprit, mode);
	refused(path, text);
}

static void
refused_owner(const char *path, const char *culprit)
{
	char text[256];

	(void)snprintf(text, sizeof text,
		       "'%s' belongs to user 4242, not to root or to user 0, which cosid runs "
		       "as: chown it",
		       culprit);
	refused(path, text);
}

static void
test_mode__of_the_file(void **state)
{
	(void)state;
	trusted(file);
	assert_int_equal(chmod(file, 0400), 0);
	trusted(file);
	assert_int_equal(chmod(file, 0664), 0);
	refused_mode(file, "0664", file);
	assert_int_equal(chmod(file, 0602), 0);
	refused_mode(file, "0602", file);
	/* The bit is a directory's. */
	assert_int_equal(chmod(file, 01602), 0);
	refused_mode(file, "1602", file);
}

static void
test_mode__of_the_directories_above(void **state)
{
	(void)state;
	assert_int_equal(chmod(mid, 0775), 0);
	refused_mode(file, "0775", mid);
	refused_mode(mid, "0775", mid);
	assert_int_equal(chmod(mid, 01777), 0);
	trusted(file);
	assert_int_equal(chmod(mid, 0755), 0);
	assert_int_equal(chmod(top, 0757), 0);
	refused_mode(file, "0757", top);
	refused_mode(in_top("mid//file"), "0757", top);
}

static void
test_owner__other(void **state)
{
	(void)state;
	if (geteuid() != 0)
		fail_msg("this test needs root");
	assert_int_equal(chown(file, OTHER, OTHER), 0);
	refused_owner(file, file);
	/* Not to the user himself. */
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(seteuid(OTHER), 0);
	trusted(file);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chown(file, 0, OTHER), 0);
	trusted(file);
	assert_int_equal(chown(mid, OTHER, 0), 0);
	refused_owner(file, mid);
	assert_int_equal(chown(mid, 0, 0), 0);
	assert_int_equal(symlink(file, in_top("link")), 0);
	trusted(in_top("link"));
	assert_int_equal(lchown(in_top("link"), OTHER, OTHER), 0);
	refused_owner(in_top("link"), in_top("link"));
}

/* As Kubernetes lays out a ConfigMap: file -> ..data/file, ..data -> ..2026. */
static void
test_links__every_directory_on_the_way(void **state)
{
	(void)state;
	assert_int_equal(symlink("mid", in_top("..data")), 0);
	assert_int_equal(symlink("..data/file", in_top("file")), 0);
	trusted(in_top("file"));
	assert_int_equal(mkdir(in_top("open"), 0755), 0);
	assert_int_equal(symlink("../mid/file", in_top("open/second")), 0);
	assert_int_equal(symlink(in_top("open/second"), in_top("first")), 0);
	trusted(in_top("first"));
	assert_int_equal(chmod(in_top("open"), 0777), 0);
	refused_mode(in_top("first"), "0777", in_top("open"));
	assert_int_equal(chmod(mid, 0772), 0);
	refused_mode(in_top("file"), "0772", in_top("mid"));
	refused_mode(in_top("..data/file"), "0772", in_top("mid"));
}

/* open() says what is wrong. */
static void
test_missing__is_left_to_open(void **state)
{
	(void)state;
	trusted(in_top("absent"));
	trusted(in_top("absent/file"));
	assert_int_equal(symlink("loop", in_top("loop")), 0);
	trusted(in_top("loop"));
	assert_int_equal(symlink("nowhere", in_top("dangling")), 0);
	trusted(in_top("dangling"));
	trusted("/");
	trusted("/dev/null");
}

static void
test_relative__to_the_current_directory(void **state)
{
	char before[256];

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(mid), 0);
	trusted("file");
	trusted("../mid/file");
	assert_int_equal(chmod(mid, 0777), 0);
	refused_mode("file", "0777", mid);
	assert_int_equal(chmod(mid, 0755), 0);
	assert_int_equal(chmod(top, 0777), 0);
	refused_mode("../mid/file", "0777", top);
	assert_int_equal(chdir(before), 0);
}

/* In a name space of its own: makes that a read-only mount, and says whether the file below is
 * trusted: 1 or 0; more than that: something failed. */
static int
trusted_below(const char *mount_point, const char *invocation)
{
	pid_t pid = fork();
	int how;

	if (pid == 0) {
		struct status status = { 0 };

		if (unshare(CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0)) < 0 ||
		    (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 && errno != EINVAL) ||
		    chmod(mid, 0777) < 0 || trust_check(file, &status) == 0)
			_exit(2);
		status = (struct status){ 0 };
		if ((invocation != NULL ? setenv("INVOCATION_ID", invocation, 1)
					: unsetenv("INVOCATION_ID")) < 0)
			_exit(2);
		if ((strcmp(mount_point, "/") != 0 &&
		     mount(mount_point, mount_point, NULL, MS_BIND, NULL) < 0) ||
		    mount("none", mount_point, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
			_exit(3);
		_exit(trust_check(file, &status) == 0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how));
	return WEXITSTATUS(how);
}

/* A ConfigMap's directory has mode 0777, and its mount is read-only. */
static void
test_read_only__none_can_write(void **state)
{
	(void)state;
	assert_int_equal(trusted_below(mid, NULL), 1);
	assert_int_equal(trusted_below("/", NULL), 1);
}

/* ProtectSystem=strict: read-only for cosid alone. */
static void
test_read_only__of_a_sandbox(void **state)
{
	(void)state;
	assert_int_equal(trusted_below("/", "0123456789abcdef0123456789abcdef"), 0);
	assert_int_equal(trusted_below(mid, "0123456789abcdef0123456789abcdef"), 0);
}

/* In a user namespace with that map, as that user outside of it: 1 when the file is trusted, 0 with
 * the right text; more than that: something failed. */
static int
trusted_in_namespace(uid_t user, const char *map)
{
	pid_t pid = fork();
	int how;

	if (pid == 0) {
		struct status status = { 0 };
		int fd;

		if (setuid(user) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0 || unshare(CLONE_NEWUSER) < 0)
			_exit(2);
		fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
		if (fd < 0 ||
		    (map[0] != '\0' && write(fd, map, strlen(map)) != (ssize_t)strlen(map)))
			_exit(3);
		if (trust_check(file, &status) == 0)
			_exit(1);
		_exit(strstr(status.text, "any user that cosid's user namespace does not map") ? 0
											       : 4);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how));
	return WEXITSTATUS(how);
}

/* Unmapped users have one number: root's, a stranger's, and the process's own without a map. */
static void
test_namespace__unmapped_owners(void **state)
{
	(void)state;
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(trusted_in_namespace(0, "0 0 1"), 1);
	assert_int_equal(trusted_in_namespace(0, "4242 0 1"), 1);
	assert_int_equal(trusted_in_namespace(0, ""), 0);
	assert_int_equal(trusted_in_namespace(0, "65534 0 1"), 0);
	assert_int_equal(trusted_in_namespace(OTHER, "4242 4242 1"), 0);
	assert_int_equal(chown(file, OTHER, OTHER), 0);
	assert_int_equal(trusted_in_namespace(0, "0 0 1"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mode__of_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mode__of_the_directories_above, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_owner__other, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links__every_directory_on_the_way, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_missing__is_left_to_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_relative__to_the_current_directory, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_read_only__none_can_write, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_only__of_a_sandbox, setup, teardown),
		cmocka_unit_test_setup_teardown(test_namespace__unmapped_owners, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
