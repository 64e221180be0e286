/* SPDX-License-Identifier: Apache-2.0
 * test_server_greedy.c - peers that ignore the limit on streams, read no answers, ping all day. */
#include "server_rig.h"

#include "h2.h"

#include "banned.h"

/* More answers than a socket's buffer holds, by far. */
enum { PLENTY = 100000 };

/* A peer that never confirms the server's SETTINGS may begin any number of calls, the core thinks:
 * LIMIT_OPEN_CALLS it may, and with one more its connection goes and all of them with it. */
static void
test_unfinished__at_the_limit(void **state)
{
	struct fixture *f = *state;
	struct h2 *peer = calloc(1, sizeof *peer);

	assert_non_null(peer);
	f->sched.hold = true;
	h2_hello(peer, raw_connect(f));
	for (uint32_t i = 0; i < LIMIT_OPEN_CALLS; i++)
		h2_call(peer, i, V1 "DriverCreateBucket", CREATE_N);
	fake_wait_held(&f->sched, LIMIT_OPEN_CALLS);
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	assert_int_equal(f->sched.ncancelled, 0);
	h2_call(peer, LIMIT_OPEN_CALLS, V1 "DriverCreateBucket", CREATE_N);
	h2_wait_closed(peer);
	fake_wait_cancelled(&f->sched, LIMIT_OPEN_CALLS + 1);
	f->sched.hold = false;
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
	(void)close(peer->fd);
	free(peer);
	stop(f);
	assert_int_equal(rig_lines("closing a connection of user"), 1);
	assert_int_equal(rig_lines("769 unfinished calls"), 1);
}

/* Calls and reads nothing until it is cut off; says after how many. */
static uint32_t
flood(struct fixture *f, const char *method)
{
	struct h2 *peer = calloc(1, sizeof *peer);
	uint32_t n = 0;

	assert_non_null(peer);
	h2_hello(peer, raw_connect(f));
	while (!peer->dead && n < PLENTY)
		h2_call(peer, n++, method, "", 0);
	(void)close(peer->fd);
	free(peer);
	return n;
}

/* Answers of every kind are held by those who do not read them. */
static void
test_unfinished__answers_not_read(void **state)
{
	struct fixture *f = *state;

	assert_true(flood(f, INFO1) < PLENTY);
	assert_true(flood(f, V2 "DriverCreateBucket") < PLENTY);
	assert_true(flood(f, "/no/method") < PLENTY);
	expect(client_call(f->channel, INFO2, "", 0), GRPC_STATUS_OK, "");
	stop(f);
	assert_int_equal(rig_lines("closing a connection of user"), 1); /* once a minute */
}

/* Each is answered and forgotten: the core would keep about 3 KiB of each that it thinks one too
 * many (measured), as long as it has the connection. */
static void
test_pings__leave_nothing(void **state)
{
	struct fixture *f = *state;
	struct h2 *peer = calloc(1, sizeof *peer);
	uint32_t npings = 0;

	assert_non_null(peer);
	h2_hello(peer, raw_connect(f));
	while (!peer->dead && !peer->unwelcome && peer->npongs < PLENTY) {
		for (int i = 0; i < 100 && npings < PLENTY; i++, npings++)
			h2_frame(peer, H2_PING, 0, 0, "pingpong", 8);
		h2_read(peer, H2_PATIENCE_MS);
	}
	assert_false(peer->unwelcome);
	assert_int_equal(peer->npongs, PLENTY);
	(void)close(peer->fd);
	free(peer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_unfinished__at_the_limit),
		TEST(test_unfinished__answers_not_read),
		TEST(test_pings__leave_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
