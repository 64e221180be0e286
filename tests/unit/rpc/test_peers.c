/* SPDX-License-Identifier: Apache-2.0
 * test_peers.c - the allow-list, by table and with the kernel's word on a real peer. */
#include "rig.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "rpc/peers.h"

#include "banned.h"

static void
test_listed__users_and_groups(void **state)
{
	const uid_t uids[] = { 0, 1000 };
	const gid_t gids[] = { 50, 60 };
	const gid_t theirs[] = { 10, 20, 60 };
	struct peers peers;

	(void)state;
	assert_int_equal(peers_init(&peers, &(struct peers_allowed){ true, 2, 2, uids, gids }), 0);
	assert_true(peers_listed(&peers, 0, NULL, 0));
	assert_true(peers_listed(&peers, 1000, theirs, 2));
	assert_false(peers_listed(&peers, 1001, NULL, 0));
	assert_false(peers_listed(&peers, 1001, theirs, 2));
	assert_true(peers_listed(&peers, 1001, theirs, 3));
	peers_done(&peers);
}

static void
test_listed__nobody(void **state)
{
	struct peers peers;

	(void)state;
	assert_int_equal(peers_init(&peers, &(struct peers_allowed){ .limited = true }), 0);
	assert_false(peers_listed(&peers, 0, &(gid_t){ 0 }, 1));
	peers_done(&peers);
}

static void
test_change__takes_the_place_of_the_lists(void **state)
{
	static const uid_t one[] = { 1000 }, other[] = { 1, 2 };
	struct peers peers;

	(void)state;
	assert_int_equal(peers_init(&peers, &(struct peers_allowed){ true, 1, 0, one, NULL }), 0);
	assert_int_equal(peers_change(&peers, &(struct peers_allowed){ true, 2, 1, other, one }),
			 0);
	assert_false(peers_listed(&peers, 1000, NULL, 0));
	assert_true(peers_listed(&peers, 2, NULL, 0));
	assert_true(peers_listed(&peers, 3, one, 1));
	assert_int_equal(peers_change(&peers, &(struct peers_allowed){ 0 }), 0);
	assert_false(peers.limited);
	peers_done(&peers);
}

static void
test_identify__not_a_socket(void **state)
{
	struct ucred who;

	(void)state;
	rig_capture();
	assert_int_equal(peers_identify(-1, &who), -1);
	rig_captured();
	assert_int_equal(rig_lines("the kernel does not say who connected"), 1);
}

/* A socket whose other end is in this process. */
static int
socket_of_ours(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	(void)close(fds[1]);
	return fds[0];
}

static bool
allows(bool limited, const uid_t *uids, size_t nuids, const gid_t *gids, size_t ngids, int fd)
{
	struct peers peers;
	struct ucred who;
	bool allowed;

	assert_int_equal(
		peers_init(&peers, &(struct peers_allowed){ limited, nuids, ngids, uids, gids }),
		0);
	rig_capture();
	assert_int_equal(peers_identify(fd, &who), 0);
	allowed = peers_allow(&peers, fd, &who);
	rig_captured();
	peers_done(&peers);
	return allowed;
}

static void
test_allow__user_and_group(void **state)
{
	const uid_t us = geteuid(), other = us + 1;
	const gid_t our_group = getegid(), other_group = 54321;
	int fd = socket_of_ours();

	(void)state;
	assert_true(allows(false, NULL, 0, NULL, 0, fd));
	assert_true(allows(true, &us, 1, NULL, 0, fd));
	assert_true(allows(true, &other, 1, &our_group, 1, fd));
	assert_int_equal(rig_lines("refusing"), 0);
	assert_false(allows(true, &other, 1, &other_group, 1, fd));
	assert_int_equal(rig_lines("refusing a connection of user"), 1);
	assert_false(allows(true, NULL, 0, NULL, 0, fd));
	(void)close(fd);
}

/* A child that has group 54321 as a supplementary one connects; needs the right to set groups. */
static void
test_allow__supplementary_group(void **state)
{
	const gid_t group = 54321, another = 54322;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		fail_msg("this test needs root");
	pid = fork();
	if (pid == 0) {
		struct peers peers, others;
		struct ucred who = { 0 };
		bool in, out;
		int fd;

		if (setgroups(1, &group) != 0)
			_exit(9);
		fd = socket_of_ours();
		(void)peers_identify(fd, &who);
		(void)peers_init(&peers, &(struct peers_allowed){ true, 0, 1, NULL, &group });
		(void)peers_init(&others, &(struct peers_allowed){ true, 0, 1, NULL, &another });
		in = peers_allow(&peers, fd, &who);
		(void)close(STDERR_FILENO);
		out = peers_allow(&others, fd, &who);
		_exit(in && !out ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
test_log_due__once_a_minute_each(void **state)
{
	struct peer_log logged = { 0 };

	(void)state;
	assert_true(peer_log_due(&logged, 7, 1000));
	assert_false(peer_log_due(&logged, 7, 1000 + 59999));
	assert_true(peer_log_due(&logged, 8, 2000));
	assert_true(peer_log_due(&logged, 7, 1000 + 60000));
	assert_false(peer_log_due(&logged, 7, 1000 + 60001));
	/* More users than are remembered: the ones longest ago are forgotten. */
	for (uid_t uid = 100; uid < 100 + PEER_LOG_USERS; uid++)
		assert_true(peer_log_due(&logged, uid, 70000 + (int64_t)uid));
	assert_false(peer_log_due(&logged, 100 + PEER_LOG_USERS - 1, 71000));
	assert_true(peer_log_due(&logged, 7, 71001));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listed__users_and_groups),
		cmocka_unit_test(test_listed__nobody),
		cmocka_unit_test(test_change__takes_the_place_of_the_lists),
		cmocka_unit_test(test_identify__not_a_socket),
		cmocka_unit_test(test_allow__user_and_group),
		cmocka_unit_test(test_allow__supplementary_group),
		cmocka_unit_test(test_log_due__once_a_minute_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
