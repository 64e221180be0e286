/* SPDX-License-Identifier: Apache-2.0
 * client.h - one unary call over a UNIX socket, by the gRPC C core. */
#ifndef COSID_CLI_CLIENT_H
#define COSID_CLI_CLIENT_H
#include <grpc/status.h>
#include <grpc/support/time.h>
#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "base/arena.h"

/* A reply above this is refused: RESOURCE_EXHAUSTED. */
enum { CLIENT_REPLY_MAX = 1024 * 1024 };

/* Why a call failed: the server's own status, or what the client found out itself. */
struct client_error {
	grpc_status_code code;
	const char *text; /* from the arena; what came from the server is escaped (text.h) */
};

struct client {
	struct arena *arena; /* borrowed; owns requests and replies */
	const char *endpoint;
	struct grpc_channel *channel;
	struct grpc_completion_queue *queue;
	gpr_timespec deadline;
	struct client_error error;
};

/* Connects to "unix:///path".  0, or -1 with client->error if no process listens there.  The
 * timeout covers everything from here on.  client_close() either way. */
int client_open(struct client *client, const char *endpoint, int64_t timeout_ms,
		struct arena *arena);
void client_close(struct client *client);

/* Sends the request to "/package.Service/Method" and waits.  A reply of that type whose strings are
 * all valid UTF-8, owned by the arena; or NULL with client->error. */
const void *client_call(struct client *client, const char *path, const ProtobufCMessage *request,
			const ProtobufCMessageDescriptor *type);

/* Sets client->error and returns -1. */
int client_fail(struct client *client, grpc_status_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Connects to a UNIX socket; fails at once if no process listens there.  The descriptor, blocking;
 * -1 with errno.  It waits that long for a full backlog. */
int client_connect(const char *path, int64_t timeout_ms);
/* What to say of its errno, with what the reason may be; from the arena. */
const char *client_connect_error(struct arena *arena, const char *endpoint, int error);

#endif
