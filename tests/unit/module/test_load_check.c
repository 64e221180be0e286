/* SPDX-License-Identifier: Apache-2.0
 * test_load_check.c - a child loads modules and opens backends, and how it ends is explained. */
#include "module/load_check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/secret.h"
#include "module/settings.h"
#include "rig.h"

#include "banned.h"

enum { SHORT_MS = 300 }; /* for a step that must time out */

struct checked {
	struct load_check check;
	struct status status;
	size_t nfds;
};

static int
setup(void **state)
{
	struct checked *checked = calloc(1, sizeof *checked);

	assert_non_null(checked);
	checked->nfds = rig_count_fds();
	load_check_init(&checked->check, LOAD_CHECK_LIMIT_MS);
	*state = checked;
	return 0;
}

/* No child is left, dead or alive, and no descriptor. */
static int
teardown(void **state)
{
	struct checked *checked = *state;

	load_check_end(&checked->check);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(rig_count_fds(), checked->nfds);
	free(checked);
	return 0;
}

static int
check_module(struct checked *checked, const char *dir, const char *name)
{
	struct module_file file;
	int rc;

	checked->status = (struct status){ 0 };
	assert_int_equal(module_file_open(&file, dir, name, &checked->status), 0);
	rc = load_check_module(&checked->check, &file, &checked->status);
	module_file_close(&file);
	return rc;
}

static void
accepted(struct checked *checked, const char *dir, const char *name)
{
	int rc = check_module(checked, dir, name);

	assert_string_equal(checked->status.text, "");
	assert_int_equal(rc, 0);
}

static void
refused(struct checked *checked, const char *name, const char *reason)
{
	assert_int_equal(check_module(checked, FIXTURES, name), -1);
	rig_assert_has(checked->status.text, reason);
}

static int
check_open(struct checked *checked, const char *name, const void *settings, size_t len)
{
	const struct load_check_backend backend = { .name = "b1",
						    .settings = settings,
						    .settings_len = len };
	struct module_file file;
	int rc;

	checked->status = (struct status){ 0 };
	assert_int_equal(module_file_open(&file, FIXTURES, name, &checked->status), 0);
	rc = load_check_open(&checked->check, &file, &backend, &checked->status);
	module_file_close(&file);
	return rc;
}

static void
refused_open(struct checked *checked, const char *name, const char *reason)
{
	assert_int_equal(check_open(checked, name, "", 0), -1);
	assert_string_equal(checked->status.text, reason);
}

static void
test_module__one_child_for_all(void **state)
{
	struct checked *checked = *state;
	pid_t pid;

	accepted(checked, FIXTURES, "good");
	pid = checked->check.pid;
	assert_true(pid > 0);
	accepted(checked, FIXTURES "/2", "good");
	accepted(checked, FIXTURES "/stays", "good");
	accepted(checked, FIXTURES, "good");
	assert_int_equal(checked->check.pid, pid);
}

static void
test_module__each_failure_is_named(void **state)
{
	struct checked *checked = *state;

	refused(checked, "major", "the module is built for module API 2.1, cosid has 1.1");
	accepted(checked, FIXTURES, "good");
	refused(checked, "crash", "loading crashed (SIGABRT)");
	refused(checked, "unload", "loading crashed (SIGABRT)");
	accepted(checked, FIXTURES, "good");
	refused(checked, "exit", RIG_EXITS);
	refused(checked, "fork", "loading left a child process running");
	accepted(checked, FIXTURES, "good");
}

/* A stopped child does not see that its socket has ended.  What it was told to die by comes before
 * the daemon can be waited for. */
static void
test_daemon__killed(void **state)
{
	struct checked *checked = *state;
	pid_t daemon, child = 0;
	int fds[2], how;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	daemon = fork();
	assert_true(daemon >= 0);
	if (daemon == 0) {
		(void)check_module(checked, FIXTURES, "good");
		(void)!write(fds[1], &checked->check.pid, sizeof checked->check.pid);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
	assert_true(child > 0);
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(kill(daemon, SIGKILL), 0);
	assert_int_equal(waitpid(daemon, &how, 0), daemon);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void
test_module__hang(void **state)
{
	struct checked *checked = *state;

	accepted(checked, FIXTURES, "good");
	checked->check.limit_ms = SHORT_MS;
	load_check_end(&checked->check);
	refused(checked, "hang", "loading timed out after 0.3 s");
}

/* The daemon blocks signals that have to end the child. */
static void
test_module__blocked_signals(void **state)
{
	sigset_t all, old;

	assert_int_equal(sigfillset(&all), 0);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, &old), 0);
	refused(*state, "crash", "loading crashed (SIGABRT)");
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
}

/* Where the standard streams are closed, sockets have their numbers. */
static void
test_module__closed_streams(void **state)
{
	struct checked *checked = *state;
	int kept[LOAD_CHECK_FD], rc;

	for (int fd = 0; fd < LOAD_CHECK_FD; fd++) {
		kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
		(void)close(fd);
	}
	rc = check_module(checked, FIXTURES, "good");
	load_check_end(&checked->check);
	for (int fd = 0; fd < LOAD_CHECK_FD; fd++) {
		(void)dup2(kept[fd], fd);
		(void)close(kept[fd]);
	}
	assert_string_equal(checked->status.text, "");
	assert_int_equal(rc, 0);
}

static void
send_fd(int to, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = { 0 };
	struct iovec data = { control, 1 };
	const struct msghdr message = { .msg_iov = &data,
					.msg_iovlen = 1,
					.msg_control = control,
					.msg_controllen = sizeof control };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(head), &fd, sizeof fd);
	assert_int_equal(sendmsg(to, &message, 0), 1);
}

/* A daemon that ends while it sends them: open() must not see the half of them. */
static void
test_child__settings_cut_short(void **state)
{
	const struct load_check_request request = {
		.opens = true, .module = "good", .backend = "b1", .settings_len = 8
	};
	struct checked *checked = *state;
	struct module_file file;
	char answer;
	int how;

	accepted(checked, FIXTURES, "good");
	assert_int_equal(module_file_open(&file, FIXTURES, "good", &checked->status), 0);
	send_fd(checked->check.fd, file.fd);
	module_file_close(&file);
	assert_int_equal(send(checked->check.fd, &request, sizeof request, 0), sizeof request);
	assert_int_equal(send(checked->check.fd, "half", 4, 0), 4);
	assert_int_equal(shutdown(checked->check.fd, SHUT_WR), 0);
	assert_int_equal(recv(checked->check.fd, &answer, 1, 0), 0);
	assert_int_equal(waitpid(checked->check.pid, &how, 0), checked->check.pid);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == EXIT_SUCCESS);
	(void)close(checked->check.fd);
	load_check_init(&checked->check, LOAD_CHECK_LIMIT_MS);
}

static void
test_open__each_failure_is_named(void **state)
{
	struct checked *checked = *state;

	refused_open(checked, "open-crash", "open() of module 'open-crash' crashed (SIGABRT)");
	refused_open(checked, "open-exit",
		     "open() of module 'open-exit' ended the process (exit status 3)");
	refused_open(checked, "open-fork",
		     "open() of module 'open-fork' left a child process running");
	refused_open(checked, "close-crash", "close() of module 'close-crash' crashed (SIGABRT)");
	refused_open(checked, "unload", "loading crashed (SIGABRT)");
	checked->check.limit_ms = SHORT_MS;
	refused_open(checked, "open-hang", "open() of module 'open-hang' timed out after 0.3 s");
}

static void
test_open__an_error_is_no_failure_of_the_check(void **state)
{
	struct checked *checked = *state;

	assert_int_equal(check_open(checked, "open-fail", "", 0), 0);
	assert_string_equal(checked->status.text, "");
}

/* The members of good.so, whose open() writes to the file that its settings name. */
struct good_config {
	const char *region, *form, *counter, *password;
	const char *const *old_passwords;
	const char *store, *greeting;
	bool strict, fail_open;
	int64_t n, size, wait;
};

static void
test_open__gets_the_settings(void **state)
{
	static const char *const passwords[] = { "one", "", "two", NULL };
	struct checked *checked = *state;
	char *dir = rig_dir(), *text;
	struct good_config config = { .region = "here",
				      .form = "long",
				      .counter = rig_path(dir, "counter"),
				      .old_passwords = passwords,
				      .n = 7 };
	struct status status;
	struct image *image = rig_load(FIXTURES, "good", &status);
	size_t len;
	void *bytes;

	assert_non_null(image);
	bytes = settings_encode(&image->loaded.module.config, &config, &len);
	assert_non_null(bytes);
	assert_int_equal(check_open(checked, "good", bytes, len), 0);
	wiped_free(bytes);
	text = rig_read(rig_path(dir, "counter.child"), &len);
	assert_string_equal(text, "oc");
	free(text);
	image_unref(image);
	rig_remove(dir);
}

static void *
park(void *arg)
{
	(void)pause();
	return arg;
}

static void
test_settings__come_back(void **state)
{
	static const char *const passwords[] = { "one", "", "two", NULL };
	static const struct cosi_key keys[] = {
		COSI_STRING(struct good_config, region, 0, NULL, "r"),
		COSI_STRING(struct good_config, greeting, 0, NULL, "g"),
		COSI_SECRET_LIST(struct good_config, old_passwords, "o"),
		COSI_BOOL(struct good_config, strict, "false", "s"),
		COSI_INT(struct good_config, n, 0, NULL, "n"),
	};
	static const struct cosi_schema schema = COSI_SCHEMA(struct good_config, keys);
	const struct good_config config = {
		.region = "", .old_passwords = passwords, .strict = true, .n = INT64_MIN
	};
	struct good_config back = { 0 };
	struct arena arena;
	size_t len;
	void *bytes = settings_encode(&schema, &config, &len);

	(void)state;
	arena_init(&arena, 1 << 20);
	assert_non_null(bytes);
	assert_int_equal(settings_decode(&schema, bytes, len, &arena, &back), 0);
	assert_string_equal(back.region, "");
	assert_null(back.greeting);
	assert_string_equal(back.old_passwords[0], "one");
	assert_string_equal(back.old_passwords[1], "");
	assert_string_equal(back.old_passwords[2], "two");
	assert_null(back.old_passwords[3]);
	assert_true(back.strict);
	assert_true(back.n == INT64_MIN);
	/* Cut anywhere, or longer, they are not of that schema. */
	for (size_t i = 0; i < len; i++)
		assert_int_equal(settings_decode(&schema, bytes, i, &arena, &back), -1);
	assert_int_equal(settings_decode(&schema, bytes, len + 1, &arena, &back), -1);
	wiped_free(bytes);
	arena_done(&arena);
}

/* As in a daemon that reloads: the child is spawned, not forked. */
static int
become_threaded(void **state)
{
	static pthread_t parked;

	(void)state;
	assert_int_equal(pthread_create(&parked, NULL, park, NULL), 0);
	assert_false(__libc_single_threaded);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_module__one_child_for_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_module__each_failure_is_named, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_daemon__killed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_module__hang, setup, teardown),
		cmocka_unit_test_setup_teardown(test_module__blocked_signals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_module__closed_streams, setup, teardown),
		cmocka_unit_test_setup_teardown(test_child__settings_cut_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__each_failure_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__an_error_is_no_failure_of_the_check,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__gets_the_settings, setup, teardown),
		cmocka_unit_test(test_settings__come_back),
	};
	int nfailed = cmocka_run_group_tests_name("forked", tests, NULL, NULL);

	return nfailed + cmocka_run_group_tests_name("spawned", tests, become_threaded, NULL);
}
