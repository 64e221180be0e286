/* SPDX-License-Identifier: Apache-2.0
 * client.c - connect, send one message, wait for one.
 *
 * The socket is connected here and handed to the core, so that "nobody listens" is known at once
 * and by its errno, instead of after the core's own reconnect attempts.
 */
#include "client.h"

#include <fcntl.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "connect.h"
#include "text.h"

#include "banned.h"

struct client {
	grpc_channel *channel;
	grpc_completion_queue *queue;
	gpr_timespec deadline;
	struct arena *arena; /* borrowed */
};

/* One call's state, from start to finish. */
struct exchange {
	grpc_call *call;
	grpc_byte_buffer *request, *reply;
	grpc_metadata_array initial, trailing;
	grpc_status_code code;
	grpc_slice details;
};

int
client_fail(struct client_error *out_error, struct arena *arena, grpc_status_code code,
	    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*out_error = (struct client_error){ code, arena_vprintf(arena, fmt, ap) };
	va_end(ap);
	return -1;
}

static grpc_channel *
channel_new(int fd)
{
	grpc_arg limit = {
		.type = GRPC_ARG_INTEGER,
		.key = (char[]){ GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH },
		.value.integer = CLIENT_REPLY_MAX,
	};
	const grpc_channel_args args = { .num_args = 1, .args = &limit };
	grpc_channel_credentials *plain = grpc_insecure_credentials_create();
	grpc_channel *channel = grpc_channel_create_from_fd("localhost", fd, plain, &args);

	grpc_channel_credentials_release(plain);
	return channel;
}

struct client *
client_open(const char *endpoint, int64_t timeout_ms, struct arena *arena,
	    struct client_error *out_error)
{
	const gpr_timespec timeout = gpr_time_from_millis(timeout_ms, GPR_TIMESPAN);
	const gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), timeout);
	struct client *client = calloc(1, sizeof *client);
	CLEANUP_FD int fd = connect_unix(endpoint + strlen("unix://"), timeout_ms);

	if (client == NULL || fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		(void)client_fail(out_error, arena, GRPC_STATUS_UNAVAILABLE,
				  "cannot connect to '%s': %m", endpoint);
		free(client);
		return NULL;
	}
	grpc_init();
	client->arena = arena;
	client->deadline = deadline;
	client->channel = channel_new(fd);
	fd = -1;
	client->queue = grpc_completion_queue_create_for_pluck(NULL);
	return client;
}

void
client_free(struct client *client)
{
	if (client == NULL)
		return;
	grpc_channel_destroy(client->channel);
	grpc_completion_queue_shutdown(client->queue);
	grpc_completion_queue_destroy(client->queue);
	grpc_shutdown_blocking();
	free(client);
}

static void *
unpack_alloc(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

static void
unpack_free(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

static grpc_byte_buffer *
pack(struct arena *arena, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = arena_alloc(arena, len + 1);
	grpc_byte_buffer *buffer;
	grpc_slice slice;

	if (bytes == NULL)
		return NULL;
	slice = grpc_slice_from_copied_buffer((const char *)bytes,
					      protobuf_c_message_pack(message, bytes));
	buffer = grpc_raw_byte_buffer_create(&slice, 1);
	grpc_slice_unref(slice);
	return buffer;
}

static ProtobufCMessage *
unpack(struct arena *arena, grpc_byte_buffer *buffer, const ProtobufCMessageDescriptor *type)
{
	ProtobufCAllocator allocator = { unpack_alloc, unpack_free, arena };
	ProtobufCMessage *message = NULL;
	grpc_byte_buffer_reader reader;

	if (grpc_byte_buffer_reader_init(&reader, buffer)) {
		grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);

		message = protobuf_c_message_unpack(type, &allocator, GRPC_SLICE_LENGTH(bytes),
						    GRPC_SLICE_START_PTR(bytes));
		grpc_slice_unref(bytes);
		grpc_byte_buffer_reader_destroy(&reader);
	}
	return message != NULL && text_message_is_utf8(message) ? message : NULL;
}

static void
exchange_run(struct client *client, struct exchange *x, const char *path)
{
	grpc_slice method = grpc_slice_from_copied_string(path);
	grpc_op ops[] = {
		{ .op = GRPC_OP_SEND_INITIAL_METADATA },
		{ .op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = x->request },
		{ .op = GRPC_OP_SEND_CLOSE_FROM_CLIENT },
		{ .op = GRPC_OP_RECV_INITIAL_METADATA,
		  .data.recv_initial_metadata.recv_initial_metadata = &x->initial },
		{ .op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &x->reply },
		{ .op = GRPC_OP_RECV_STATUS_ON_CLIENT,
		  .data.recv_status_on_client = { .trailing_metadata = &x->trailing,
						  .status = &x->code,
						  .status_details = &x->details } },
	};

	x->call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
					   client->queue, method, NULL, client->deadline, NULL);
	grpc_slice_unref(method);
	/* Anything else but OK is a mistake in the list above. */
	if (grpc_call_start_batch(x->call, ops, sizeof ops / sizeof ops[0], x, NULL) !=
	    GRPC_CALL_OK)
		abort();
	(void)grpc_completion_queue_pluck(client->queue, x, gpr_inf_future(GPR_CLOCK_MONOTONIC),
					  NULL);
}

static void
exchange_done(struct exchange *x)
{
	grpc_byte_buffer_destroy(x->request);
	if (x->reply != NULL)
		grpc_byte_buffer_destroy(x->reply);
	grpc_metadata_array_destroy(&x->initial);
	grpc_metadata_array_destroy(&x->trailing);
	grpc_slice_unref(x->details);
	grpc_call_unref(x->call);
}

/* The core's words for an other end that answers in no HTTP/2 and closes, whichever it sees first.
 */
static bool
is_no_grpc(const struct exchange *x)
{
	static const char *const words[] = { "Stream removed", "Broken pipe",
					     "Connection reset by peer" };
	bool found = false;

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		found |= grpc_slice_str_cmp(x->details, words[i]) == 0;
	return found && (x->code == GRPC_STATUS_UNKNOWN || x->code == GRPC_STATUS_UNAVAILABLE);
}

static int
exchange_result(struct client *client, struct exchange *x, const ProtobufCMessageDescriptor *type,
		ProtobufCMessage **out, struct client_error *out_error)
{
	if (is_no_grpc(x))
		return client_fail(out_error, client->arena, GRPC_STATUS_UNAVAILABLE,
				   "no gRPC is spoken there: is this COSI's socket, and not the "
				   "admin socket?");
	if (x->code != GRPC_STATUS_OK) {
		*out_error = (struct client_error){
			x->code,
			text_escape(client->arena, (const char *)GRPC_SLICE_START_PTR(x->details),
				    GRPC_SLICE_LENGTH(x->details)),
		};
		return -1;
	}
	*out = x->reply == NULL ? NULL : unpack(client->arena, x->reply, type);
	if (*out == NULL)
		return client_fail(out_error, client->arena, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: it is not a valid %s",
				   type->short_name);
	return 0;
}

int
client_call(struct client *client, const char *path, const ProtobufCMessage *request,
	    const ProtobufCMessageDescriptor *type, ProtobufCMessage **out,
	    struct client_error *out_error)
{
	struct exchange x = { .request = pack(client->arena, request) };
	int result;

	if (x.request == NULL)
		return client_fail(out_error, client->arena, GRPC_STATUS_RESOURCE_EXHAUSTED,
				   "cannot send the request: no memory");
	exchange_run(client, &x, path);
	result = exchange_result(client, &x, type, out, out_error);
	exchange_done(&x);
	return result;
}
