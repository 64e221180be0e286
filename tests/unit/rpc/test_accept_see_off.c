/* SPDX-License-Identifier: Apache-2.0
 * test_accept_see_off.c - who is asked to go before a stop, in which words, and how long it takes.
 */
#include "accept_rig.h"

#include "banned.h"

static int64_t
busy_or_not(void *owner, int fd)
{
	const struct place *place = owner;

	return fd == place->taken[0] ? CLOCK_NEVER : 0;
}

static int64_t
never_busy(void *owner, int fd)
{
	(void)owner;
	(void)fd;
	return 0;
}

/* One without a call is told to, once, in the words of HTTP/2; one that speaks late is heard. */
static void
test_see_off__asks_who_has_no_call(void **state)
{
	static const char goaway[17] = { 0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, -1, -1, -1 };
	struct place *place = *state;
	int busy, idle, late;
	char got[32];

	place->idle_since = busy_or_not;
	begin(place, 4, A_LONG_TIME_MS);
	late = client(place);
	busy = client(place);
	say(busy);
	wait_for(place, &place->ntaken, 1);
	idle = client(place);
	say(idle);
	wait_for(place, &place->ntaken, 2);
	accept_stop(place->acceptor);
	say(late);
	accept_see_off(place->acceptor, 50);
	accept_see_off(place->acceptor, 50);
	assert_int_equal(place->ntaken, 3);
	assert_int_equal(recv(idle, got, sizeof got, 0), sizeof goaway);
	assert_memory_equal(got, goaway, sizeof goaway);
	assert_int_equal(recv(late, got, sizeof got, 0), sizeof goaway);
	assert_int_equal(recv(busy, got, sizeof got, MSG_DONTWAIT), -1);
	(void)close(busy);
	(void)close(idle);
	(void)close(late);
}

/* No longer than there is anybody. */
static void
test_see_off__ends_with_the_last(void **state)
{
	struct place *place = *state;
	int silent;

	begin(place, 4, A_LONG_TIME_MS);
	silent = client(place);
	wait_for(place, &place->nticks, 1);
	accept_stop(place->acceptor);
	(void)close(silent);
	accept_see_off(place->acceptor, A_LONG_TIME_MS);
}

/* Once: a client that stays is not waited for again. */
static void
test_see_off__waits_once_for_each(void **state)
{
	struct place *place = *state;
	int stays;

	place->idle_since = never_busy;
	begin(place, 4, A_LONG_TIME_MS);
	stays = client(place);
	say(stays);
	wait_for(place, &place->ntaken, 1);
	accept_stop(place->acceptor);
	accept_see_off(place->acceptor, 50);
	accept_see_off(place->acceptor, A_LONG_TIME_MS);
	(void)close(stays);
}

/* Whoever had connected when nobody accepted any more is heard all the same. */
static void
test_rest__of_the_queue(void **state)
{
	struct place *place = *state;
	int first, second;

	begin(place, 4, A_LONG_TIME_MS);
	accept_stop(place->acceptor);
	first = client(place);
	say(first);
	second = client(place);
	unix_socket_withdraw(&place->node);
	assert_int_equal(access(place->path, F_OK), -1);
	accept_rest(place->acceptor);
	assert_int_equal(place->ntaken, 1);
	say(second);
	accept_see_off(place->acceptor, 50);
	assert_int_equal(place->ntaken, 2);
	(void)close(first);
	(void)close(second);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_see_off__asks_who_has_no_call),
		TEST(test_see_off__ends_with_the_last),
		TEST(test_see_off__waits_once_for_each),
		TEST(test_rest__of_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
