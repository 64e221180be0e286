/* SPDX-License-Identifier: Apache-2.0
 * test_memory_watch.c - when the process has grown too far, and who has to go then. */
#include "rig.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "rpc/memory.h"

#include "banned.h"

enum { BASE = 20 << 20 };
static const size_t MUCH = (size_t)BASE + LIMIT_GROWTH + 1;
enum { QUIET, SOME_UNREAD, MUCH_UNREAD, SILENT, N };

static void
test_judge__at_and_past(void **state)
{
	struct memory memory = { .base = BASE };

	(void)state;
	assert_int_equal(memory_judge(&memory, MUCH - 1), MEMORY_FITS);
	assert_int_equal(memory_judge(&memory, MUCH), MEMORY_SUSPECTS);
	assert_int_equal(memory_judge(&memory, 0), MEMORY_FITS); /* could not be told */
}

/* While it grows: first those who may have done it, then all. */
static void
test_judge__grows_on(void **state)
{
	struct memory memory = { .base = BASE };
	size_t bytes = MUCH;

	(void)state;
	for (int i = 0; i <= MEMORY_GROWTHS; i++)
		assert_int_equal(memory_judge(&memory, bytes++), MEMORY_SUSPECTS);
	assert_int_equal(memory_judge(&memory, bytes++), MEMORY_ALL);
	assert_int_equal(memory_judge(&memory, bytes), MEMORY_ALL);
	assert_int_equal(memory_judge(&memory, bytes), MEMORY_FITS);
}

/* The core is given its time; then it may be a call that holds it; then it was something else. */
static void
test_judge__stays(void **state)
{
	struct memory memory = { .base = BASE };

	(void)state;
	assert_int_equal(memory_judge(&memory, MUCH), MEMORY_SUSPECTS);
	for (int i = 2; i <= 2 * MEMORY_PATIENCE + 1; i++) {
		assert_int_equal(memory.base, BASE);
		assert_int_equal(memory_judge(&memory, MUCH),
				 i == MEMORY_PATIENCE ? MEMORY_ALL : MEMORY_FITS);
	}
	assert_int_equal(memory.base, MUCH);
	assert_int_equal(memory_judge(&memory, MUCH + LIMIT_GROWTH), MEMORY_FITS);
	assert_int_equal(memory_judge(&memory, MUCH + LIMIT_GROWTH + 1), MEMORY_SUSPECTS);
}

/* What has helped is not followed by more. */
static void
test_judge__begins_anew(void **state)
{
	struct memory memory = { .base = BASE };
	size_t bytes = MUCH;

	(void)state;
	for (int i = 0; i <= MEMORY_GROWTHS; i++)
		assert_int_equal(memory_judge(&memory, bytes++), MEMORY_SUSPECTS);
	assert_int_equal(memory_judge(&memory, BASE), MEMORY_FITS);
	for (int i = 0; i <= MEMORY_GROWTHS; i++)
		assert_int_equal(memory_judge(&memory, bytes++), MEMORY_SUSPECTS);
}

struct hall {
	struct places places;
	int peers[N];
};

static int
fill(void **state)
{
	struct hall *hall = calloc(1, sizeof *hall);
	struct stat st;

	assert_non_null(hall);
	hall->places = (struct places){ .n = N, .most_of_one = N };
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
	struct memory memory = { 0 };

	send_bytes(hall, SOME_UNREAD, 4095);
	send_bytes(hall, MUCH_UNREAD, 4096);
	send_bytes(hall, SILENT, 4096);
	memory_relieve(&memory, &hall->places, MEMORY_FITS, 1);
	assert_false(is_cut(hall, MUCH_UNREAD));
	memory_relieve(&memory, &hall->places, MEMORY_SUSPECTS, 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i == MUCH_UNREAD);
}

/* But for those whom the core does not have yet. */
static void
test_relieve__all(void **state)
{
	const struct hall *hall = *state;
	struct memory memory = { 0 };

	memory_relieve(&memory, &hall->places, MEMORY_ALL, 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(is_cut(hall, i), i != SILENT);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
