/* SPDX-License-Identifier: Apache-2.0
 * test_unix_socket.c - the socket's node: stale, live, foreign, its mode, its neighbours, races. */
#include "base/unix_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "banned.h"

struct place {
	char dir[32], path[64];
};

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof *place);

	assert_non_null(place);
	(void)snprintf(place->dir, sizeof place->dir, "/tmp/cosid-listen.XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	(void)snprintf(place->path, sizeof place->path, "%s/cosi.sock", place->dir);
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	(void)unlink(place->path);
	assert_int_equal(rmdir(place->dir), 0); /* nothing else was left in it */
	free(place);
	return 0;
}

static int
bound(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

static bool
connects(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	rc = connect(fd, (struct sockaddr *)&address, sizeof address);
	(void)close(fd);
	return rc == 0;
}

static void
refused(const char *path, const char *words)
{
	struct unix_socket node = { .fd = -7 };
	struct status status = { 0 };

	assert_int_equal(unix_socket_open(&node, path, 0600, &status), -1);
	assert_int_equal(node.fd, -7);
	if (strstr(status.text, words) == NULL || strstr(status.text, path) == NULL)
		fail_msg("'%s' is not in '%s'", words, status.text);
}

/* clause 44: no other file beside the socket; clause 57: it is removed at the end. */
static void
test_open__serves_and_cleans_up(void **state)
{
	struct place *place = *state;
	struct unix_socket node;
	struct status status = { 0 };
	struct dirent *entry;
	DIR *dir;
	int n = 0;

	assert_int_equal(unix_socket_open(&node, place->path, 0600, &status), 0);
	assert_true(connects(place->path));
	dir = opendir(place->dir);
	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	(void)closedir(dir);
	assert_int_equal(n, 1);
	unix_socket_close(&node);
	assert_int_equal(access(place->path, F_OK), -1);
	assert_int_equal(node.fd, -1);
	unix_socket_close(&node);
}

static void
test_open__mode(void **state)
{
	static const mode_t modes[] = { 0600, 0660, 0666, 0777, 0400 };
	static const mode_t masks[] = { 0, 022, 077, 0777 };
	struct place *place = *state;
	struct unix_socket node;
	struct status status = { 0 };
	struct stat st;
	mode_t before;

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++) {
			before = umask(masks[m]);
			assert_int_equal(unix_socket_open(&node, place->path, modes[i], &status),
					 0);
			assert_int_equal(umask(before), masks[m]);
			assert_int_equal(stat(place->path, &st), 0);
			assert_int_equal(st.st_mode & 07777, modes[i]);
			unix_socket_close(&node);
		}
	}
}

static void
test_open__stale_node(void **state)
{
	struct place *place = *state;
	struct unix_socket node;
	struct status status = { 0 };

	(void)close(bound(place->path, SOCK_STREAM));
	assert_int_equal(unix_socket_open(&node, place->path, 0600, &status), 0);
	assert_true(connects(place->path));
	unix_socket_close(&node);
}

static void
test_open__live_node(void **state)
{
	struct place *place = *state;
	int fd = bound(place->path, SOCK_STREAM);

	assert_int_equal(listen(fd, 1), 0);
	refused(place->path, "another process listens there");
	assert_true(connects(place->path));
	(void)close(fd);
	assert_int_equal(unlink(place->path), 0);
	fd = bound(place->path, SOCK_DGRAM);
	refused(place->path, "another process listens there");
	assert_int_equal(access(place->path, F_OK), 0);
	(void)close(fd);
}

/* A listener whose queue is full does not answer at once, but it lives. */
static void
test_open__live_and_full(void **state)
{
	struct place *place = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = bound(place->path, SOCK_STREAM), clients[2];

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", place->path);
	assert_int_equal(listen(fd, 0), 0);
	for (int i = 0; i < 2; i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)connect(clients[i], (struct sockaddr *)&address, sizeof address);
	}
	refused(place->path, "another process listens there");
	for (int i = 0; i < 2; i++)
		(void)close(clients[i]);
	(void)close(fd);
}

static void
test_open__something_else_is_there(void **state)
{
	struct place *place = *state;
	char target[64];
	int fd = open(place->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
	refused(place->path, "not a socket");
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(mkdir(place->path, 0700), 0);
	refused(place->path, "not a socket");
	assert_int_equal(rmdir(place->path), 0);
	(void)snprintf(target, sizeof target, "%s/t", place->dir);
	(void)close(bound(target, SOCK_STREAM));
	assert_int_equal(symlink(target, place->path), 0);
	refused(place->path, "not a socket");
	assert_int_equal(access(target, F_OK), 0);
	assert_int_equal(unlink(target), 0);
}

static void
test_open__bad_paths(void **state)
{
	struct unix_socket node;
	struct status status = { 0 };
	struct place *place = *state;
	char path[160];
	int len;

	refused("/tmp/cosid-listen-nowhere/cosi.sock",
		"cannot open the directory '/tmp/cosid-listen-nowhere'");
	refused("cosi.sock", "not absolute");
	len = snprintf(path, sizeof path, "%s/", place->dir);
	memset(path + len, 'x', (size_t)(107 - len));
	path[107] = '\0';
	assert_int_equal(unix_socket_open(&node, path, 0600, &status), 0);
	unix_socket_close(&node);
	assert_int_equal(access(path, F_OK), -1);
	path[107] = 'x';
	path[108] = '\0';
	refused(path, "108 bytes long, at most 107");
}

static void
test_close__only_its_own_node(void **state)
{
	struct place *place = *state;
	struct unix_socket node;
	struct status status = { 0 };
	int fd;

	assert_int_equal(unix_socket_open(&node, place->path, 0600, &status), 0);
	assert_int_equal(unlink(place->path), 0);
	fd = bound(place->path, SOCK_STREAM);
	unix_socket_close(&node);
	assert_int_equal(access(place->path, F_OK), 0);
	(void)close(fd);
}

static void *
open_in_thread(void *arg)
{
	struct unix_socket *node = calloc(1, sizeof *node);
	struct status status = { 0 };

	node->fd = -1;
	if (unix_socket_open(node, arg, 0600, &status) != 0)
		print_error("%s\n", status.text);
	return node;
}

static void
test_open__waits_for_another_starter(void **state)
{
	struct place *place = *state;
	int lock = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct unix_socket *node;
	pthread_t thread;

	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(pthread_create(&thread, NULL, open_in_thread, place->path), 0);
	assert_int_equal(flock(lock, LOCK_UN), 0);
	assert_int_equal(pthread_join(thread, (void **)&node), 0);
	assert_true(node->fd >= 0);
	unix_socket_close(node);
	free(node);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	refused(place->path, "another process keeps the directory");
	(void)close(lock);
}

/* Opens when told to, tells how it went ('w' won, 'l' lost), and keeps what it has until told. */
static pid_t
racer(const struct place *place, int gate, int told, int end)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct unix_socket node = { .fd = -1 };
		struct status status = { 0 };
		char byte;

		(void)!read(gate, &byte, 1);
		if (unix_socket_open(&node, place->path, 0600, &status) == 0)
			byte = 'w';
		else
			byte = strstr(status.text, "listens there") != NULL ? 'l' : '?';
		(void)!write(told, &byte, 1);
		(void)!read(end, &byte, 1);
		_exit(0);
	}
	return pid;
}

/* However many start over a stale node: one gets the socket, all others see it alive. */
static void
test_open__race(void **state)
{
	enum { RACERS = 8, ROUNDS = 5 };
	struct place *place = *state;

	for (int round = 0; round < ROUNDS; round++) {
		int gate[2], told[2], end[2], won = 0, lost = 0;

		(void)unlink(place->path);
		(void)close(bound(place->path, SOCK_STREAM));
		assert_int_equal(
			pipe2(gate, O_CLOEXEC) | pipe2(told, O_CLOEXEC) | pipe2(end, O_CLOEXEC), 0);
		for (int i = 0; i < RACERS; i++)
			assert_true(racer(place, gate[0], told[1], end[0]) > 0);
		assert_int_equal(write(gate[1], "12345678", RACERS), RACERS);
		for (int i = 0; i < RACERS; i++) {
			char byte;

			assert_int_equal(read(told[0], &byte, 1), 1);
			won += byte == 'w';
			lost += byte == 'l';
		}
		assert_int_equal(write(end[1], "12345678", RACERS), RACERS);
		while (wait(NULL) > 0)
			;
		assert_int_equal(won, 1);
		assert_int_equal(lost, RACERS - 1);
		for (int i = 0; i < 2; i++) {
			(void)close(gate[i]);
			(void)close(told[i]);
			(void)close(end[i]);
		}
	}
}

static void
test_adopt__listening_socket_alone(void **state)
{
	struct place *place = *state;
	struct unix_socket node = { .fd = -7 };
	struct status status = { 0 };
	int fd = bound(place->path, SOCK_STREAM), devnull = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(unix_socket_adopt(&node, place->path, devnull, &status), -1);
	assert_int_equal(unix_socket_adopt(&node, place->path, fd, &status), -1);
	assert_int_equal(node.fd, -7);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(unix_socket_adopt(&node, place->path, fd, &status), 0);
	assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
	unix_socket_close(&node);
	assert_int_equal(access(place->path, F_OK),
			 0); /* the process that passed it keeps the node */
	(void)close(devnull);
}

static void
test_mode__of_our_own_node_alone(void **state)
{
	struct place *place = *state;
	struct unix_socket node;
	struct status status = { 0 };
	struct stat st;

	assert_int_equal(unix_socket_open(&node, place->path, 0600, &status), 0);
	assert_int_equal(unix_socket_set_mode(&node, 0666, &status), 0);
	assert_int_equal(stat(place->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(unix_socket_set_mode(&node, 0600, &status), -1);
	assert_non_null(strstr(status.text, "another file has replaced the socket"));
	unix_socket_close(&node);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_open__serves_and_cleans_up),
		TEST(test_open__mode),
		TEST(test_open__stale_node),
		TEST(test_open__live_node),
		TEST(test_open__live_and_full),
		TEST(test_open__something_else_is_there),
		TEST(test_open__bad_paths),
		TEST(test_close__only_its_own_node),
		TEST(test_mode__of_our_own_node_alone),
		TEST(test_open__waits_for_another_starter),
		TEST(test_open__race),
		TEST(test_adopt__listening_socket_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
