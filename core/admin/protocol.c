/* SPDX-License-Identifier: Apache-2.0
 * protocol.c - one request line in, answer lines out, each within its time. */
#include "admin/protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

json_t *
session_text(const char *text)
{
	struct line line = { 0 };
	CLEANUP_FREE char *masked = NULL;
	json_t *value;

	if (text == NULL)
		return json_null();
	masked = strdup(text);
	if (masked == NULL)
		return NULL;
	masked[secret_mask(masked, strlen(masked))] = '\0';
	value = json_string(masked);
	if (value != NULL)
		return value;
	line_add_escaped(&line, LINE_SHOWN, LINE_MAX_BYTES, masked, strlen(masked));
	return json_stringn(line.text, line.len);
}

json_t *
session_time(int64_t wall_s)
{
	char text[UTC_MAX];

	if (wall_s == 0 || utc_text(text, wall_s)[0] == '\0')
		return json_null();
	return json_string(text);
}

static bool
wait_for_peer(int fd, short events, int64_t until_ms)
{
	struct pollfd event = { .fd = fd, .events = events };
	int64_t left_ms = until_ms - clock_mono_ms();

	return left_ms > 0 && poll(&event, 1, (int)left_ms) > 0;
}

/* A client that reads nothing holds no thread, and no generation, for ever. */
static int
send_in_time(int fd, const char *bytes, size_t len)
{
	int64_t until_ms = clock_mono_ms() + ADMIN_READ_S * 1000;

	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && (errno != EAGAIN || !wait_for_peer(fd, POLLOUT, until_ms)))
			return -1;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int
session_send(struct session *session, json_t *value)
{
	char *text = value != NULL && !session->gone
			     ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6))
			     : NULL;
	int rc = text != NULL ? 0 : -1;

	/* A line may be half sent: no other follows it. */
	if (text != NULL && (send_in_time(session->fd, text, strlen(text)) < 0 ||
			     send_in_time(session->fd, "\n", 1) < 0)) {
		session->gone = true;
		rc = -1;
	}
	/* jansson was given allocators that wipe. */
	wiped_free(text);
	json_decref(value);
	return rc;
}

int
session_fail(struct session *session, uint32_t code, const char *fmt, ...)
{
	struct status status = { 0 };
	va_list ap;

	va_start(ap, fmt);
	(void)status_vfail(&status, code, fmt, ap);
	va_end(ap);
	return session_send(session, json_pack("{s:s, s:o}", "code", status_code_name(status.code),
					       "error", session_text(status.text)));
}

json_t *
session_receive(struct session *session)
{
	int64_t until_ms = clock_mono_ms() + ADMIN_SEND_S * 1000;
	char line[ADMIN_REQUEST_MAX];
	const char *end = NULL;
	json_t *request;

	for (size_t len = 0; end == NULL;) {
		ssize_t n;

		if (len == sizeof line) {
			(void)session_fail(session, COSI_INVALID,
					   "the request is longer than %d bytes",
					   ADMIN_REQUEST_MAX);
			return NULL;
		}
		if (!wait_for_peer(session->fd, POLLIN, until_ms)) {
			(void)session_fail(session, COSI_TIMEOUT,
					   "the request was not complete after %d s", ADMIN_SEND_S);
			return NULL;
		}
		n = recv(session->fd, line + len, sizeof line - len, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return NULL;
		if (n > 0) {
			end = memchr(line + len, '\n', (size_t)n);
			len += (size_t)n;
		}
	}
	request = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(request))
		return request;
	json_decref(request);
	(void)session_fail(session, COSI_INVALID, "the request is not a JSON object");
	return NULL;
}
