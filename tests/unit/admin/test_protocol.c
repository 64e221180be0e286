/* SPDX-License-Identifier: Apache-2.0
 * test_protocol.c - lines to a client, and none to one that is gone. */
#include "admin/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "banned.h"

static void
test_send__nothing_to_a_client_that_is_gone(void **state)
{
	struct session session = { .gone = false };
	int first[2], second[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, first), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, second), 0);
	(void)close(first[1]);
	session.fd = first[0];
	assert_int_equal(session_send(&session, json_pack("{s:i}", "item", 1)), -1);
	assert_true(session.gone);
	/* Where it would be seen. */
	session.fd = second[0];
	assert_int_equal(session_send(&session, json_pack("{s:s}", "code", "OK")), -1);
	assert_int_equal(recv(second[1], &byte, 1, MSG_DONTWAIT), -1);
	(void)close(first[0]);
	(void)close(second[0]);
	(void)close(second[1]);
}

/* A line that could not be made is not the client's doing: it is told. */
static void
test_send__line_without_memory(void **state)
{
	static const char told[] = "{\"code\":\"RESOURCE_EXHAUSTED\",\"error\":\"8 lines\"}\n";
	struct session session = { .gone = false };
	char line[256] = "";
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	session.fd = fds[0];
	assert_int_equal(session_send(&session, NULL), -1);
	assert_false(session.gone);
	assert_int_equal(session_fail(&session, COSI_EXHAUSTED, "8 lines"), 0);
	assert_int_equal(recv(fds[1], line, sizeof line - 1, 0), sizeof told - 1);
	assert_string_equal(line, told);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send__nothing_to_a_client_that_is_gone),
		cmocka_unit_test(test_send__line_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
