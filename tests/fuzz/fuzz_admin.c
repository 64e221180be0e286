/* SPDX-License-Identifier: Apache-2.0
 * fuzz_admin.c - any bytes as a session on the admin socket, and as a text of an answer's.
 *
 * covers: core/admin/protocol.c
 */
#include <sys/socket.h>
#include <unistd.h>

#include "admin/protocol.h"
#include "input.h"

#include "banned.h"

/* Every answer is one line of JSON, with a code. */
static void
check_told(int fd)
{
	char told[8192];
	ssize_t n = recv(fd, told, sizeof told, MSG_DONTWAIT);
	json_t *answer;

	if (n <= 0)
		return;
	must(told[n - 1] == '\n' && memchr(told, '\n', (size_t)n) == told + n - 1);
	must(parse_utf8(told, (size_t)n));
	answer = json_loadb(told, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
	must(json_is_string(json_object_get(answer, "code")));
	must(json_is_string(json_object_get(answer, "error")));
	json_decref(answer);
}

static void
check_receive(const struct input *in)
{
	struct session session = { .gone = false };
	json_t *request;
	int fds[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	must(send(fds[1], in->at, (size_t)(in->end - in->at), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ||
	     in->at == in->end);
	must(shutdown(fds[1], SHUT_WR) == 0);
	session.fd = fds[0];
	request = session_receive(&session);
	must(request == NULL || json_is_object(request));
	check_told(fds[1]);
	if (request != NULL)
		must(session_send(&session, json_pack("{s:s, s:s, s:o}", "code", "OK", "error", "",
						      "request", request)) == 0);
	check_told(fds[1]);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void
check_text(struct input *in)
{
	struct session session = { .gone = false };
	int64_t when = (int64_t)input_byte(in) << (input_byte(in) % 56);
	json_t *time = session_time(when), *value;
	char *text = input_text(in);
	int fds[2];

	must(time != NULL && (json_is_null(time) || json_is_string(time)));
	json_decref(time);
	value = session_text(text);
	must(json_is_string(value));
	json_decref(value);
	must(json_is_null(session_text(NULL)));
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	session.fd = fds[0];
	must(session_fail(&session, 1 + (unsigned)when % 13, "%s", text) == 0);
	check_told(fds[1]);
	(void)close(fds[1]);
	must(session_fail(&session, COSI_INTERNAL, "%s", text) == -1 && session.gone);
	(void)close(fds[0]);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };

	if (input_byte(&in) % 2 == 0)
		check_receive(&in);
	else
		check_text(&in);
	return 0;
}
