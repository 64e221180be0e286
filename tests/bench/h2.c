/* SPDX-License-Identifier: Apache-2.0
 * h2.c - frames, headers and flow of one HTTP/2 connection. */
#include "h2.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

#include "banned.h"

struct h2_call *h2_finished[H2_MAX_CALLS];
size_t h2_nfinished;

void
h2_fail(const char *what)
{
	(void)fprintf(stderr, "load: %s: %m\n", what);
	exit(2);
}

static ssize_t
read_body(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t len, uint32_t *flags,
	  nghttp2_data_source *source, void *user)
{
	struct h2_call *w = source->ptr;
	size_t left = w->out_len - w->out_sent;

	(void)session, (void)stream, (void)user;
	if (len > left)
		len = left;
	memcpy(buf, w->out + w->out_sent, len);
	w->out_sent += len;
	if (w->out_sent == w->out_len)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)len;
}

#define HEADER(k, v)                                                                               \
	{                                                                                          \
		(uint8_t *)(uintptr_t)(k), (uint8_t *)(uintptr_t)(v), strlen(k), strlen(v), 0      \
	}

void
h2_submit(struct h2_conn *conn, struct h2_call *call, const char *path, size_t len)
{
	const nghttp2_nv headers[] = {
		HEADER(":method", "POST"),
		HEADER(":scheme", "http"),
		HEADER(":path", path),
		HEADER(":authority", "localhost"),
		HEADER("content-type", "application/grpc"),
		HEADER("te", "trailers"),
	};
	nghttp2_data_provider body = { .source.ptr = call, .read_callback = read_body };

	call->out[0] = 0;
	for (int i = 0; i < 4; i++)
		call->out[1 + i] = (uint8_t)(len >> (24 - 8 * i));
	call->out_len = len + H2_FRAME;
	call->out_sent = call->in_len = 0;
	call->status = -1;
	call->message[0] = '\0';
	if (nghttp2_submit_request(conn->session, NULL, headers, sizeof headers / sizeof headers[0],
				   &body, call) < 0)
		h2_fail("nghttp2_submit_request");
}

static int
on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	  size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags, void *user)
{
	struct h2_call *w = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	(void)flags, (void)user;
	if (w == NULL)
		return 0;
	if (name_len == 11 && memcmp(name, "grpc-status", 11) == 0 && value_len < 3)
		w->status =
			value_len == 1 ? value[0] - '0' : (value[0] - '0') * 10 + value[1] - '0';
	if (name_len == 12 && memcmp(name, "grpc-message", 12) == 0)
		(void)snprintf(w->message, sizeof w->message, "%.*s", (int)value_len,
			       (const char *)value);
	return 0;
}

static int
on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t len,
	void *user)
{
	struct h2_call *w = nghttp2_session_get_stream_user_data(session, stream);

	(void)flags, (void)user;
	if (w != NULL && len <= sizeof w->in - w->in_len) {
		memcpy(w->in + w->in_len, data, len);
		w->in_len += len;
	}
	return 0;
}

static int
on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
	struct h2_call *w = nghttp2_session_get_stream_user_data(session, stream);

	(void)error, (void)user;
	if (w != NULL)
		h2_finished[h2_nfinished++] = w;
	return 0;
}

/* Waits for a new file in the socket's folder, or until then. */
static void
h2_wait_created(int watch, int64_t left_us)
{
	struct pollfd pollfd = { .fd = watch, .events = POLLIN };
	char events[4096];

	if (poll(&pollfd, 1, (int)(left_us / 1000) + 1) > 0)
		(void)!read(watch, events, sizeof events);
}

/* Watches the folder of that path for new files. */
static int
h2_watch(const char *socket_path)
{
	const char *slash = strrchr(socket_path, '/');
	char *folder = strndup(socket_path, slash != NULL ? (size_t)(slash - socket_path) + 1 : 0);
	int watch = inotify_init1(IN_CLOEXEC);

	if (folder == NULL || watch < 0 ||
	    inotify_add_watch(watch, folder[0] != '\0' ? folder : ".", IN_CREATE) < 0)
		h2_fail(socket_path);
	free(folder);
	return watch;
}

void
h2_open(struct h2_conn *conn, const char *socket_path, int64_t until_us)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	nghttp2_session_callbacks *callbacks;
	int watch = h2_watch(socket_path);

	if (strlen(socket_path) >= sizeof addr.sun_path)
		h2_fail("socket path");
	memcpy(addr.sun_path, socket_path, strlen(socket_path) + 1);
	conn->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	while (connect(conn->fd, (struct sockaddr *)&addr, sizeof addr) != 0) {
		int64_t left_us = until_us - clock_mono_us();

		if (left_us <= 0)
			h2_fail(socket_path);
		/* Between bind() and listen() there is no event. */
		if (errno == ENOENT)
			h2_wait_created(watch, left_us);
		else
			(void)sched_yield();
	}
	(void)close(watch);
	(void)fcntl(conn->fd, F_SETFL, O_NONBLOCK);
	nghttp2_session_callbacks_new(&callbacks);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
	nghttp2_session_client_new(&conn->session, callbacks, conn);
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_submit_settings(conn->session, 0, NULL, 0);
	nghttp2_session_set_local_window_size(conn->session, 0, 0, 1 << 24);
}

void
h2_flush(struct h2_conn *conn)
{
	const uint8_t *data;
	ssize_t len;

	while ((len = nghttp2_session_mem_send(conn->session, &data)) > 0) {
		while (len > 0) {
			ssize_t n = send(conn->fd, data, (size_t)len, MSG_NOSIGNAL);
			if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
				(void)poll(&(struct pollfd){ .fd = conn->fd, .events = POLLOUT }, 1,
					   -1);
				continue;
			}
			if (n < 0)
				h2_fail("send");
			data += n;
			len -= n;
		}
	}
}

void
h2_read(struct h2_conn *conn)
{
	static uint8_t buf[65536];
	ssize_t n = recv(conn->fd, buf, sizeof buf, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || nghttp2_session_mem_recv(conn->session, buf, (size_t)n) < 0)
		h2_fail("the connection was closed");
}
