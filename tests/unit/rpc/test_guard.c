/* SPDX-License-Identifier: Apache-2.0
 * test_guard.c - when the process has grown too far or stands still, and who has to go then. */
#include "rig.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "rpc/guard.h"

#include "banned.h"

enum { BASE = 20 << 20 };
static const size_t MUCH = (size_t)BASE + LIMIT_GROWTH + 1;
enum { QUIET, SOME_UNREAD, MUCH_UNREAD, SILENT, N };

static void
test_judge__at_and_past(void **state)
{
	struct guard guard = { .base = BASE };

	(void)state;
	assert_int_equal(guard_judge(&guard, MUCH - 1), GUARD_FINE);
	assert_int_equal(guard_judge(&guard, MUCH), GUARD_SUSPECTS);
	assert_int_equal(guard_judge(&guard, 0), GUARD_FINE); /* could not be told */
}

/* While it grows: first those who may have done it, then all. */
static void
test_judge__grows_on(void **state)
{
	struct guard guard = { .base = BASE };
	size_t bytes = MUCH;

	(void)state;
	for (int i = 0; i <= GUARD_GROWTHS; i++)
		assert_int_equal(guard_judge(&guard, bytes++), GUARD_SUSPECTS);
	assert_int_equal(guard_judge(&guard, bytes++), GUARD_ALL);
	assert_int_equal(guard_judge(&guard, bytes), GUARD_ALL);
	assert_int_equal(guard_judge(&guard, bytes), GUARD_FINE);
}

/* The core is given its time; then it may be a call that holds it; then it was something else. */
static void
test_judge__stays(void **state)
{
	struct guard guard = { .base = BASE };

	(void)state;
	assert_int_equal(guard_judge(&guard, MUCH), GUARD_SUSPECTS);
	for (int i = 2; i <= 2 * GUARD_PATIENCE + 1; i++) {
		assert_int_equal(guard.base, BASE);
		assert_int_equal(guard_judge(&guard, MUCH),
				 i == GUARD_PATIENCE ? GUARD_ALL : GUARD_FINE);
	}
	assert_int_equal(guard.base, MUCH);
	assert_int_equal(guard_judge(&guard, MUCH + LIMIT_GROWTH), GUARD_FINE);
	assert_int_equal(guard_judge(&guard, MUCH + LIMIT_GROWTH + 1), GUARD_SUSPECTS);
}

/* What has helped is not followed by more. */
static void
test_judge__begins_anew(void **state)
{
	struct guard guard = { .base = BASE };
	size_t bytes = MUCH;

	(void)state;
	for (int i = 0; i <= GUARD_GROWTHS; i++)
		assert_int_equal(guard_judge(&guard, bytes++), GUARD_SUSPECTS);
	assert_int_equal(guard_judge(&guard, BASE), GUARD_FINE);
	for (int i = 0; i <= GUARD_GROWTHS; i++)
		assert_int_equal(guard_judge(&guard, bytes++), GUARD_SUSPECTS);
}

struct hall {
	struct places places;
	int peers[N];
	unsigned nmoves; /* of each */
};

static unsigned
moves(void *owner, int fd)
{
	const struct hall *hall = owner;

	assert_true(fd >= 0);
	return hall->nmoves;
}

static int
fill(void **state)
{
	struct hall *hall = calloc(1, sizeof *hall);
	struct stat st;

	assert_non_null(hall);
	hall->places = (struct places){ .n = N, .most_of_one = N, .moves = moves, .owner = hall };
	assert_int_equal(places_init(&hall->places), 0);
	for (int i = 0; i < N; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(fstat(pair[0], &st), 0);
		hall->places.table[i] = (struct place){ .fd = pair[0],
							.silent_ms = i == SILENT ? 1 : CLOCK_NEVER,
							.ino = st.st_ino };
		hall->peers[i] = pair[1];
	}
	*state = hall;
	return 0;
}

static int
clear(void **state)
{
	struct hall *hall = *state;

	for (int i = 0; i < N; i++) {
		(void)close(hall->places.table[i].fd);
		(void)close(hall->peers[i]);
	}
	places_done(&hall->places);
	free(hall);
	return 0;
}

static void
send_bytes(const struct hall *hall, int i, size_t n)
{
	static const char zeros[4096];

	assert_int_equal(send(hall->peers[i], zeros, n, MSG_NOSIGNAL), n);
}

static bool
is_cut(const struct hall *hall, int i)
{
	char byte;

	return recv(hall->peers[i], &byte, 1, MSG_DONTWAIT) == 0;
}

static void
test_relieve__suspects_alone(void **state)
{
	const struct hall *hall = *state;
	struct guard guard = { 0 };

	send_bytes(hall, SOME_UNREAD, 4095);
	send_bytes(hall, MUCH_UNREAD, 4096);
	send_bytes(hall, SILENT, 4096);
	guard_relieve(&guard, &hall->places, GUARD_FINE, 1);
	assert_false(is_cut(hall, MUCH_UNREAD));
	guard_relieve(&guard, &hall->places, GUARD_SUSPECTS, 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i == MUCH_UNREAD);
}

/* But for those whom the core does not have yet. */
static void
test_relieve__all(void **state)
{
	const struct hall *hall = *state;
	struct guard guard = { 0 };

	guard_relieve(&guard, &hall->places, GUARD_ALL, 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i != SILENT);
}

/* Its descriptor is somebody else's by now. */
static void
test_relieve__not_whom_the_core_has_closed(void **state)
{
	struct hall *hall = *state;
	struct guard guard = { 0 };
	char line[96];

	hall->places.table[QUIET].ino++;
	rig_capture();
	guard_relieve(&guard, &hall->places, GUARD_ALL, 1);
	rig_captured();
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i != SILENT && i != QUIET);
	(void)snprintf(line, sizeof line,
		       "closing 2 connections, the first of user %u, process %d:", getuid(),
		       getpid());
	assert_non_null(strstr(rig_log, line));
	hall->places.table[QUIET].ino--;
}

static void
test_unstick__at_and_past(void **state)
{
	const struct hall *hall = *state;
	struct guard guard = { 0 };

	send_bytes(hall, SOME_UNREAD, 4095);
	send_bytes(hall, MUCH_UNREAD, 4096);
	send_bytes(hall, SILENT, 4096);
	guard_unstick(&guard, &hall->places, 1000);
	guard_unstick(&guard, &hall->places, 1000 + LIMIT_STALL_MS - 1);
	assert_false(is_cut(hall, MUCH_UNREAD));
	guard_unstick(&guard, &hall->places, 1000 + LIMIT_STALL_MS);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i == MUCH_UNREAD);
}

/* Whoever is read now and then, or whose calls begin and end, is busy and no more. */
static void
test_unstick__not_who_gets_on(void **state)
{
	struct hall *hall = *state;
	struct guard guard = { 0 };
	char bytes[4096];
	int64_t now_ms = 1000;

	send_bytes(hall, MUCH_UNREAD, sizeof bytes);
	for (int i = 0; i < 4; i++, now_ms += LIMIT_STALL_MS - 1) {
		guard_unstick(&guard, &hall->places, now_ms);
		hall->nmoves++;
	}
	guard_unstick(&guard, &hall->places, now_ms++);
	guard_unstick(&guard, &hall->places, now_ms);
	assert_int_equal(recv(hall->places.table[MUCH_UNREAD].fd, bytes, 1, 0), 1);
	guard_unstick(&guard, &hall->places, now_ms + LIMIT_STALL_MS / 2);
	send_bytes(hall, MUCH_UNREAD, 1);
	guard_unstick(&guard, &hall->places, now_ms + LIMIT_STALL_MS);
	assert_false(is_cut(hall, MUCH_UNREAD));
	guard_unstick(&guard, &hall->places, now_ms + 2 * LIMIT_STALL_MS);
	assert_true(is_cut(hall, MUCH_UNREAD));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge__at_and_past),
		cmocka_unit_test(test_judge__grows_on),
		cmocka_unit_test(test_judge__stays),
		cmocka_unit_test(test_judge__begins_anew),
		cmocka_unit_test_setup_teardown(test_relieve__suspects_alone, fill, clear),
		cmocka_unit_test_setup_teardown(test_relieve__all, fill, clear),
		cmocka_unit_test_setup_teardown(test_relieve__not_whom_the_core_has_closed, fill,
						clear),
		cmocka_unit_test_setup_teardown(test_unstick__at_and_past, fill, clear),
		cmocka_unit_test_setup_teardown(test_unstick__not_who_gets_on, fill, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
