/* SPDX-License-Identifier: Apache-2.0
 * peer.c - one request line in, answer lines out. */
#include "admin/peer.h"

#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/utc.h"

#include "banned.h"

json_t *
peer_text(const char *text)
{
	struct line line = { 0 };
	CLEANUP_FREE char *masked = text != NULL ? strdup(text) : NULL;
	json_t *value;

	if (masked == NULL)
		return json_null();
	masked[secret_mask(masked, strlen(masked))] = '\0';
	value = json_string(masked);
	if (value != NULL)
		return value;
	line_add_escaped(&line, LINE_SHOWN, LINE_MAX_BYTES, masked, strlen(masked));
	return json_stringn(line.text, line.len);
}

json_t *
peer_time(int64_t wall_s)
{
	char text[UTC_MAX];

	if (wall_s == 0 || utc_text(text, wall_s)[0] == '\0')
		return json_null();
	return json_string(text);
}

static int
send_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

int
peer_send(const struct peer *peer, json_t *value)
{
	char *text =
		value != NULL ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
	int result = -1;

	if (text != NULL && send_all(peer->fd, text, strlen(text)) == 0)
		result = send_all(peer->fd, "\n", 1);
	/* jansson was given allocators that wipe. */
	wiped_free(text);
	json_decref(value);
	return result;
}

int
peer_fail(const struct peer *peer, uint32_t code, const char *text)
{
	return peer_send(peer, json_pack("{s:s, s:o}", "code", status_code_name(code), "error",
					 peer_text(text)));
}

/* The line without its end.  False: the peer is gone, too slow, or says too much. */
static bool
read_line(const struct peer *peer, char *line, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1) {
		n = recv(peer->fd, line + len, size - 1 - len, 0);
		if (n <= 0)
			return false;
		len += (size_t)n;
		line[len] = '\0';
		if (strchr(line, '\n') != NULL) {
			*strchr(line, '\n') = '\0';
			return true;
		}
	}
	(void)peer_fail(peer, COSI_INVALID, "the request is too long");
	return false;
}

static void
obey(const struct peer *peer, const json_t *request)
{
	const char *command = json_string_value(json_object_get(request, "command"));
	const json_t *backend = json_object_get(request, "backend");

	if (command == NULL || (backend != NULL && !json_is_string(backend)))
		(void)peer_fail(peer, COSI_INVALID, "the request is no command");
	else if (strcmp(command, "status") == 0)
		peer_status(peer);
	else if (strcmp(command, "reload") == 0)
		peer_reload(peer);
	else if (strcmp(command, "list") == 0)
		peer_list(peer, json_string_value(backend));
	else
		(void)peer_fail(peer, COSI_UNSUPPORTED, "unknown command");
}

void
peer_serve(const struct peer *peer)
{
	const struct timeval patience = { .tv_sec = ADMIN_PATIENCE_S };
	char line[ADMIN_REQUEST_MAX + 1];
	json_t *request;

	(void)setsockopt(peer->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	(void)setsockopt(peer->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (!read_line(peer, line, sizeof line))
		return;
	request = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(request))
		(void)peer_fail(peer, COSI_INVALID, "the request is not a JSON object");
	else
		obey(peer, request);
	json_decref(request);
}
