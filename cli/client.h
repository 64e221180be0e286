/* SPDX-License-Identifier: Apache-2.0
 * client.h - one unary call at a time over a UNIX socket, by the gRPC C core.
 */
#ifndef COSID_CLI_CLIENT_H
#define COSID_CLI_CLIENT_H
#include <grpc/status.h>
#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "base/arena.h"

/* An answer above this is refused: RESOURCE_EXHAUSTED. */
enum { CLIENT_REPLY_MAX = 1024 * 1024 };

/* Why a call failed: the server's own status, or what the client found out itself. */
struct client_error {
	grpc_status_code code;
	const char *text; /* from the arena; what came from the server is escaped (text.h) */
};

struct client;
/* Connects to "unix:///path".  NULL with *out_error: nobody listens there.  The timeout covers
 * everything from here on.  The arena is borrowed for the client's life and owns every answer. */
struct client *client_open(const char *endpoint, int64_t timeout_ms, struct arena *arena,
			   struct client_error *out_error);
void client_free(struct client *client);

/* Sends the request to "/package.Service/Method" and waits.  0, with an answer of the type asked
 * for whose strings are all valid UTF-8, owned by the arena; or -1 with *out_error. */
int client_call(struct client *client, const char *path, const ProtobufCMessage *request,
		const ProtobufCMessageDescriptor *type, ProtobufCMessage **out,
		struct client_error *out_error);

/* Fills *out_error and returns -1. */
int client_fail(struct client_error *out_error, struct arena *arena, grpc_status_code code,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
