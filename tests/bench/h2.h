/* SPDX-License-Identifier: Apache-2.0
 * h2.h - unary gRPC calls over one connection, by libnghttp2; for load.c. */
#ifndef BENCH_H2_H
#define BENCH_H2_H
#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

enum { H2_FRAME = 5, H2_MESSAGE_MAX = 8192, H2_MAX_CALLS = 1024 };

struct h2_conn {
	int fd;
	nghttp2_session *session;
};
struct h2_call {
	uint8_t out[H2_MESSAGE_MAX],
		in[H2_MESSAGE_MAX];       /* the message stands after H2_FRAME bytes */
	size_t out_len, out_sent, in_len; /* with the frame */
	int status;                       /* gRPC code; -1: none came */
	char message[256];
};

/* Calls whose answer is complete, since the reader last set h2_nfinished to 0. */
extern struct h2_call *h2_finished[H2_MAX_CALLS];
extern size_t h2_nfinished;

void h2_fail(const char *what) __attribute__((noreturn));
/* Tries to connect until then (monotonic); 0: once. */
void h2_open(struct h2_conn *conn, const char *socket_path, int64_t until_us);
/* len: of the message that stands in call->out. */
void h2_submit(struct h2_conn *conn, struct h2_call *call, const char *path, size_t len);
void h2_flush(struct h2_conn *conn);
void h2_read(struct h2_conn *conn);

#endif
