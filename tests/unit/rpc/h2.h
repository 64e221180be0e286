/* SPDX-License-Identifier: Apache-2.0
 * h2.h - a peer that speaks just enough HTTP/2 to begin messages and never end them. */
#ifndef TESTS_UNIT_RPC_H2_H
#define TESTS_UNIT_RPC_H2_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { H2_STREAMS = 128, H2_PATIENCE_MS = 1000 };
enum { H2_DATA = 0, H2_HEADERS = 1, H2_SETTINGS = 4, H2_PING = 6, H2_GOAWAY = 7, H2_WINDOW = 8 };

struct h2 {
	int fd;
	bool dead;          /* the server has closed */
	bool unwelcome;     /* the server has sent GOAWAY */
	uint32_t npongs;    /* answers to pings */
	uint32_t nended;    /* calls that the server has answered */
	uint32_t nmessages; /* DATA frames: one for each short answer */
	int64_t window, stream_windows[H2_STREAMS], initial_window;
	uint8_t in[1 << 17];
	size_t nread;
};

static inline void
h2_frame(struct h2 *h2, uint8_t type, uint8_t flags, uint32_t stream, const void *bytes, size_t len)
{
	uint8_t frame[9 + 16384] = {
		(uint8_t)(len >> 16),   (uint8_t)(len >> 8), (uint8_t)len, type, flags, 0, 0,
		(uint8_t)(stream >> 8), (uint8_t)stream
	};

	if (len > 0)
		memcpy(frame + 9, bytes, len);
	if (send(h2->fd, frame, 9 + len, MSG_NOSIGNAL) != (ssize_t)(9 + len))
		h2->dead = true;
}

static inline uint32_t
h2_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void
h2_settings(struct h2 *h2, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i + 6 <= len; i += 6) {
		int64_t change = (int64_t)h2_u32(p + i + 2) - h2->initial_window;

		if (p[i + 1] != 4)
			continue;
		for (int s = 0; s < H2_STREAMS; s++)
			h2->stream_windows[s] += change;
		h2->initial_window += change;
	}
	h2_frame(h2, H2_SETTINGS, 1, 0, NULL, 0);
}

static inline void
h2_take(struct h2 *h2, const uint8_t *frame, size_t len)
{
	uint32_t stream = h2_u32(frame + 5);
	const uint8_t *p = frame + 9;

	if (frame[3] == H2_SETTINGS && (frame[4] & 1) == 0)
		h2_settings(h2, p, len);
	else if (frame[3] == H2_PING && (frame[4] & 1) == 0)
		h2_frame(h2, H2_PING, 1, 0, p, len);
	else if (frame[3] == H2_PING)
		h2->npongs++;
	else if (frame[3] == H2_HEADERS && (frame[4] & 1) != 0)
		h2->nended++;
	else if (frame[3] == H2_DATA)
		h2->nmessages++;
	else if (frame[3] == H2_GOAWAY)
		h2->unwelcome = true;
	else if (frame[3] == H2_WINDOW && stream == 0)
		h2->window += h2_u32(p);
	else if (frame[3] == H2_WINDOW && stream / 2 < H2_STREAMS)
		h2->stream_windows[stream / 2] += h2_u32(p);
}

/* Reads what there is; waits for it at most that long. */
static inline void
h2_read(struct h2 *h2, int timeout_ms)
{
	struct pollfd pollfd = { .fd = h2->fd, .events = POLLIN };
	size_t at = 0;
	ssize_t n;

	if (poll(&pollfd, 1, timeout_ms) <= 0)
		return;
	n = recv(h2->fd, h2->in + h2->nread, sizeof h2->in - h2->nread, 0);
	if (n <= 0) {
		h2->dead = true;
		return;
	}
	h2->nread += (size_t)n;
	while (h2->nread - at >= 9) {
		size_t len = h2_u32(h2->in + at) >> 8;

		if (h2->nread - at < 9 + len)
			break;
		h2_take(h2, h2->in + at, len);
		at += 9 + len;
	}
	memmove(h2->in, h2->in + at, h2->nread - at);
	h2->nread -= at;
}

static inline size_t
h2_literal(uint8_t *to, const char *name, const char *value)
{
	size_t n = strlen(name), m = strlen(value);

	to[0] = 0;
	to[1] = (uint8_t)n;
	memcpy(to + 2, name, n);
	to[2 + n] = (uint8_t)m;
	memcpy(to + 3 + n, value, m);
	return 3 + n + m;
}

/* On a connected socket: the preface. */
static inline void
h2_hello(struct h2 *h2, int fd)
{
	memset(h2, 0, sizeof *h2);
	h2->fd = fd;
	h2->window = h2->initial_window = 65535;
	if (send(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, MSG_NOSIGNAL) != 24)
		h2->dead = true;
	h2_frame(h2, H2_SETTINGS, 0, 0, NULL, 0);
}

/* A call's headers; its message is to come. */
static inline void
h2_headers(struct h2 *h2, uint32_t stream, const char *method)
{
	uint8_t headers[512] = { 0x83, 0x86 }; /* :method POST, :scheme http */
	size_t len = 2;

	len += h2_literal(headers + len, ":path", method);
	len += h2_literal(headers + len, ":authority", "x");
	len += h2_literal(headers + len, "content-type", "application/grpc");
	len += h2_literal(headers + len, "te", "trailers");
	h2_frame(h2, H2_HEADERS, 4, stream, headers, len);
}

/* A whole call with a short message, the first one being number 0.  Nothing is read. */
static inline void
h2_call(struct h2 *h2, uint32_t number, const char *method, const char *bytes, uint8_t len)
{
	uint8_t message[5 + UINT8_MAX] = { 0, 0, 0, 0, len };

	memcpy(message + 5, bytes, len);
	h2_headers(h2, 2 * number + 1, method);
	h2_frame(h2, H2_DATA, 1, 2 * number + 1, message, 5 + (size_t)len);
}

/* The preface and H2_STREAMS calls of that method, their messages to come. */
static inline void
h2_begin(struct h2 *h2, int fd, const char *method)
{
	h2_hello(h2, fd);
	for (uint32_t s = 0; s < H2_STREAMS; s++) {
		h2_headers(h2, 2 * s + 1, method);
		h2->stream_windows[s] = h2->initial_window;
	}
}

/* Without reading: until the server closes. */
static inline void
h2_wait_closed(struct h2 *h2)
{
	struct pollfd pollfd = { .fd = h2->fd };

	(void)poll(&pollfd, 1, -1);
}

/* Sends as much of every stream's message (of `each` bytes) as the server lets it; returns how much
 * that was.  Ends when all is sent, the server closes, or nothing moves for H2_PATIENCE_MS. */
static inline size_t
h2_pour(struct h2 *h2, size_t each)
{
	static uint8_t bytes[16384];
	size_t sent[H2_STREAMS] = { 0 }, total = 0;
	bool moved = true;

	while (!h2->dead && total < each * H2_STREAMS) {
		size_t before = total;

		h2_read(h2, moved ? 0 : H2_PATIENCE_MS);
		for (uint32_t s = 0; s < H2_STREAMS && !h2->dead; s++) {
			int64_t n = h2->window < h2->stream_windows[s] ? h2->window
								       : h2->stream_windows[s];

			if (n > (int64_t)sizeof bytes)
				n = sizeof bytes;
			if (n > (int64_t)(each - sent[s]))
				n = (int64_t)(each - sent[s]);
			if (n <= 0)
				continue;
			/* The first bytes say that a message of 256 KiB less 16 comes. */
			memcpy(bytes, sent[s] == 0 ? "\0\0\x03\xff\xf0" : "xxxxx", 5);
			h2_frame(h2, H2_DATA, 0, 2 * s + 1, bytes, (size_t)n);
			h2->window -= n;
			h2->stream_windows[s] -= n;
			sent[s] += (size_t)n;
			total += (size_t)n;
		}
		if (!moved && total == before)
			break;
		moved = total != before;
	}
	return total;
}

#endif
