/* SPDX-License-Identifier: Apache-2.0
 * trial.c - a child that loads and unloads one module, and one verdict from a pipe.
 *
 * While the daemon has a single thread, as when it starts, the child is a fork: that costs about a
 * millisecond.  Later it is /proc/self/exe --describe PATH, because a fork of several threads may
 * hang in the loader; that costs the start of a process, 13 ms (measured).
 *
 * The exit status alone would not do: a constructor can call exit(0).  Only trial_run() writes to
 * the pipe, after the module was loaded and unloaded again.
 */
#include "module/trial.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "module/handshake.h"

#include "banned.h"

/* Set for the child; the daemon's own variables never begin with COSI_. */
#define MARK "COSID_TRIAL"
static const char good[] = "loaded";
enum { CHILD_FD = 3 };

static char **
child_environment(void)
{
	static char mark[] = MARK "=1";
	size_t n = 0;
	char **copy;

	while (environ[n] != NULL)
		n++;
	copy = calloc(n + 2, sizeof *copy);
	if (copy == NULL)
		return NULL;
	copy[0] = mark;
	memcpy(copy + 1, environ, n * sizeof *copy);
	return copy;
}

/* The daemon blocks and ignores signals that the child must die of. */
static int
set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	if (posix_spawnattr_setsigmask(attr, &none) != 0 ||
	    posix_spawnattr_setsigdefault(attr, &all) != 0)
		return -1;
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
}

static int
set_files(posix_spawn_file_actions_t *files, int verdict_fd)
{
	for (int fd = 0; fd < CHILD_FD; fd++)
		if (posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0) != 0)
			return -1;
	return posix_spawn_file_actions_adddup2(files, verdict_fd, CHILD_FD);
}

static int
spawn(pid_t *out_pid, const char *path, int verdict_fd)
{
	static const char self[] = "/proc/self/exe";
	char *const argv[] = { (char *)(uintptr_t) "cosid", (char *)(uintptr_t) "--describe",
			       (char *)(uintptr_t)path, NULL };
	CLEANUP_FREE char **environment = child_environment();
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int error = ENOMEM;

	if (environment == NULL || posix_spawn_file_actions_init(&files) != 0)
		return ENOMEM;
	if (posix_spawnattr_init(&attr) == 0) {
		if (set_files(&files, verdict_fd) == 0 && set_attributes(&attr) == 0)
			error = posix_spawn(out_pid, self, &files, &attr, argv, environment);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return error;
}

static bool
is_single_threaded(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	if (dir == NULL)
		return false;
	for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
		n += entry->d_name[0] != '.';
	(void)closedir(dir);
	return n == 1;
}

static void
prepare_to_load(void)
{
	(void)prctl(PR_SET_DUMPABLE, 0);
	/* In case the parent dies first. */
	(void)alarm((TRIAL_LIMIT_MS + 999) / 1000 + 1);
}

/* The rest of the child's life. */
static int
run(const char *path, int verdict_fd)
{
	struct status status = { 0 };
	struct cosi_module module;
	const char *text = good;
	void *handle;

	prepare_to_load();
	handle = handshake_load_file(path, &module, &status);
	if (handle != NULL)
		(void)dlclose(handle);
	else
		text = status.text;
	/* A pipe takes this in one piece; when it cannot, the parent sees no verdict. */
	(void)!write(verdict_fd, text, strlen(text));
	(void)close(verdict_fd);
	return handle != NULL ? 0 : -1;
}

int
trial_run(const char *path)
{
	return run(path, CHILD_FD);
}

static void
become_child(void)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	(void)setpgid(0, 0);
	for (int fd = 0; null_fd >= 0 && fd < CHILD_FD; fd++)
		(void)dup2(null_fd, fd);
	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static int
fork_child(pid_t *out_pid, const char *path, int verdict_fd)
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0) {
		become_child();
		/* Not the daemon: none of its exit handlers may run. */
		_exit(run(path, verdict_fd) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	/* Parent and child both do this, whoever comes first: the group is killed at the end. */
	(void)setpgid(pid, pid);
	*out_pid = pid;
	return 0;
}

int
trial_start(struct trial *trial, const char *path, int64_t limit_ms, struct status *status)
{
	CLEANUP_FD int out = -1;
	int fds[2], error;

	*trial = (struct trial){ .verdict_fd = -1, .limit_ms = limit_ms };
	if (trial_is_child())
		return status_fail(status, COSI_INTERNAL, "a trial cannot start trials");
	if (pipe2(fds, O_CLOEXEC) != 0)
		return status_fail(status, COSI_INTERNAL, "cannot try it: %s",
				   strerrordesc_np(errno));
	trial->verdict_fd = fds[0];
	out = fds[1];
	trial->deadline_ms = clock_mono_ms() + limit_ms;
	error = is_single_threaded() ? fork_child(&trial->pid, path, out)
				     : spawn(&trial->pid, path, out);
	if (error == 0)
		return 0;
	(void)close(trial->verdict_fd);
	*trial = (struct trial){ .verdict_fd = -1 };
	return status_fail(status, COSI_INTERNAL, "cannot try it: cannot start a process: %s",
			   strerrordesc_np(error));
}

/* Waits until the child has something to say.  false: the time was up. */
static bool
wait_for_word(const struct trial *trial)
{
	for (;;) {
		struct pollfd event = { .fd = trial->verdict_fd, .events = POLLIN };
		int64_t left_ms = trial->deadline_ms - clock_mono_ms();

		if (left_ms <= 0)
			return false;
		if (poll(&event, 1, (int)left_ms) > 0)
			return true;
	}
}

/* By looking again and again: a pidfd is unknown to older valgrinds, and this is for failures. */
static bool
wait_for_end(const struct trial *trial)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	do {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)trial->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
		    info.si_pid != 0)
			return true;
		(void)nanosleep(&pause, NULL);
	} while (clock_mono_ms() < trial->deadline_ms);
	return false;
}

/* What the child wrote until it closed the pipe, as a string; false: the time was up. */
static bool
read_verdict(const struct trial *trial, char *out, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		out[len] = '\0';
		if (!wait_for_word(trial))
			return false;
		n = read(trial->verdict_fd, out + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && len < size - 1);
	out[len] = '\0';
	return true;
}

/* The whole group: a constructor may have forked. */
static int
reap(const struct trial *trial)
{
	int how = 0;

	(void)kill(-trial->pid, SIGKILL);
	while (waitpid(trial->pid, &how, 0) < 0 && errno == EINTR)
		;
	return how;
}

/* There was no verdict: the child crashed, left, or closed the pipe and goes on; or somebody else
 * has the pipe, too. */
static int
explain(const struct trial *trial, const char *verdict, struct status *status)
{
	bool ended = wait_for_end(trial);
	int how = reap(trial);

	if (!ended)
		return status_fail(status, COSI_INVALID,
				   "it does not return from being loaded (%g s)",
				   (double)trial->limit_ms / 1000);
	if (*verdict != '\0')
		return status_fail(status, COSI_INVALID,
				   "it leaves a process behind when it is loaded");
	if (WIFSIGNALED(how))
		return status_fail(status, COSI_INVALID, "it crashes when it is loaded (SIG%s)",
				   sigabbrev_np(WTERMSIG(how)));
	return status_fail(status, COSI_INVALID,
			   "it ends the process that loads it (exit status %d)", WEXITSTATUS(how));
}

int
trial_wait(struct trial *trial, struct status *status)
{
	char verdict[STATUS_TEXT_MAX];
	int result;

	if (!read_verdict(trial, verdict, sizeof verdict) || verdict[0] == '\0') {
		result = explain(trial, verdict, status);
	} else {
		(void)reap(trial);
		result = strcmp(verdict, good) == 0
				 ? 0
				 : status_fail(status, COSI_INVALID, "%s", verdict);
	}
	(void)close(trial->verdict_fd);
	*trial = (struct trial){ .verdict_fd = -1 };
	return result;
}

/* One byte for each that can be loaded. */
static void
load_in_turn(const char *const *paths, size_t npaths, int verdict_fd)
{
	struct status status = { 0 };
	struct cosi_module module;

	prepare_to_load();
	for (size_t i = 0; i < npaths; i++) {
		void *handle = handshake_load_file(paths[i], &module, &status);

		if (handle == NULL || dlclose(handle) != 0 || write(verdict_fd, good, 1) != 1)
			return;
	}
}

size_t
trial_together(const char *const *paths, size_t npaths, int64_t limit_ms)
{
	struct trial trial = { .deadline_ms = clock_mono_ms() + limit_ms };
	char verdict[STATUS_TEXT_MAX] = "";
	size_t npassed = 0;
	int fds[2];

	if (npaths < 2 || npaths >= sizeof verdict || !is_single_threaded() || trial_is_child() ||
	    pipe2(fds, O_CLOEXEC) != 0)
		return 0;
	trial.verdict_fd = fds[0];
	trial.pid = fork();
	if (trial.pid == 0) {
		become_child();
		load_in_turn(paths, npaths, fds[1]);
		_exit(EXIT_SUCCESS);
	}
	(void)close(fds[1]);
	if (trial.pid > 0) {
		(void)setpgid(trial.pid, trial.pid);
		if (read_verdict(&trial, verdict, sizeof verdict))
			npassed = strlen(verdict);
		(void)reap(&trial);
	}
	(void)close(fds[0]);
	return npassed;
}

bool
trial_is_child(void)
{
	return getenv(MARK) != NULL;
}
