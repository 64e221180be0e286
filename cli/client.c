/* SPDX-License-Identifier: Apache-2.0
 * client.c - connect, send one message, wait for one.
 *
 * The socket is connected here and handed to the core, so that a missing listener is
 * reported at once and with its errno, not after the core's own reconnect attempts.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "text.h"

#include "banned.h"

int
client_fail(struct client *client, grpc_status_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	client->error = (struct client_error){ code, arena_vprintf(client->arena, fmt, ap) };
	va_end(ap);
	return -1;
}

int
client_connect(const char *path, int64_t timeout_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = timeout_ms / 1000,
				       .tv_usec = timeout_ms % 1000 * 1000 };
	int fd, error;

	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* A full backlog makes connect() wait. */
	if (fd < 0 || (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
		       connect(fd, (const struct sockaddr *)&address, sizeof address) == 0))
		return fd;
	error = errno;
	(void)close(fd);
	errno = error;
	return -1;
}

const char *
client_connect_error(struct arena *arena, const char *endpoint, int error)
{
	const char *hint = "";

	if (error == EACCES || error == EPERM)
		hint = ": this user may not open the socket (cosid.conf(5), socket_mode; the admin "
		       "socket is for root and the user that cosid runs as)";
	else if (error == ENOENT || error == ECONNREFUSED)
		hint = ": does cosid run, and is this its socket?";
	return arena_printf(arena, "cannot connect to '%s': %s%s", endpoint, strerrordesc_np(error),
			    hint);
}

int
client_open(struct client *client, const char *endpoint, int64_t timeout_ms, struct arena *arena)
{
	const gpr_timespec timeout = gpr_time_from_millis(timeout_ms, GPR_TIMESPAN);
	grpc_arg limit = {
		.type = GRPC_ARG_INTEGER,
		.key = (char[]){ GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH },
		.value.integer = CLIENT_REPLY_MAX,
	};
	const grpc_channel_args args = { .num_args = 1, .args = &limit };
	grpc_channel_credentials *plain;
	int fd;

	*client = (struct client){
		.arena = arena,
		.endpoint = endpoint,
		.deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), timeout),
	};
	fd = client_connect(endpoint + strlen("unix://"), timeout_ms);
	if (fd < 0)
		return client_fail(client, GRPC_STATUS_UNAVAILABLE, "%s",
				   client_connect_error(arena, endpoint, errno));
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	grpc_init();
	plain = grpc_insecure_credentials_create();
	client->channel = grpc_channel_create_from_fd("localhost", fd, plain, &args);
	grpc_channel_credentials_release(plain);
	client->queue = grpc_completion_queue_create_for_pluck(NULL);
	return 0;
}

void
client_close(struct client *client)
{
	if (client->channel == NULL)
		return;
	grpc_channel_destroy(client->channel);
	grpc_completion_queue_shutdown(client->queue);
	grpc_completion_queue_destroy(client->queue);
	grpc_shutdown_blocking();
}

/* ---- messages ----------------------------------------------------------------------- */

static bool message_is_utf8(const ProtobufCMessage *message);

static bool
value_is_utf8(const ProtobufCFieldDescriptor *field, const void *value)
{
	const void *p;

	memcpy(&p, value, sizeof p);
	if (p == NULL)
		return true;
	return field->type == PROTOBUF_C_TYPE_STRING ? parse_utf8(p, strlen(p))
						     : message_is_utf8(p);
}

static bool
field_is_utf8(const ProtobufCFieldDescriptor *field, const char *message)
{
	const char *value = message + field->offset, *list;
	uint32_t chosen;
	size_t n;

	if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
		return true;
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
		memcpy(&chosen, message + field->quantifier_offset, sizeof chosen);
		return chosen != field->id || value_is_utf8(field, value);
	}
	if (field->label != PROTOBUF_C_LABEL_REPEATED)
		return value_is_utf8(field, value);
	memcpy(&n, message + field->quantifier_offset, sizeof n);
	memcpy(&list, value, sizeof list);
	for (size_t i = 0; i < n; i++)
		if (!value_is_utf8(field, list + i * sizeof list))
			return false;
	return true;
}

/* Is every string of the message, at any depth, valid UTF-8?  protobuf-c does not check.  The
 * messages of COSI do not nest in themselves, so the depth is that of their types. */
static bool
message_is_utf8(const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;

	for (unsigned i = 0; i < type->n_fields; i++)
		if (!field_is_utf8(&type->fields[i], (const char *)message))
			return false;
	return true;
}

static grpc_byte_buffer *
message_pack(struct arena *arena, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = arena_alloc(arena, len + 1);
	grpc_byte_buffer *buffer;
	grpc_slice slice;

	if (bytes == NULL)
		return NULL;
	len = protobuf_c_message_pack(message, bytes);
	slice = grpc_slice_from_copied_buffer((const char *)bytes, len);
	buffer = grpc_raw_byte_buffer_create(&slice, 1);
	grpc_slice_unref(slice);
	return buffer;
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

static ProtobufCMessage *
message_unpack(struct arena *arena, grpc_byte_buffer *buffer,
	       const ProtobufCMessageDescriptor *type)
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
	return message != NULL && message_is_utf8(message) ? message : NULL;
}

/* ---- the call ----------------------------------------------------------------------- */

/* NULL; or, for the core's words for a connection that was closed, what the reason may be.  Which
 * words they are is a matter of time: what was not read yet when the other end closes resets it. */
static const char *
closed_hint(grpc_status_code code, grpc_slice details)
{
	static const char *const closed[] = { "Stream removed", "Broken pipe",
					      "Connection reset by peer", "Transport closed",
					      "Socket closed" };

	if (code != GRPC_STATUS_UNKNOWN && code != GRPC_STATUS_UNAVAILABLE)
		return NULL;
	for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
		if (grpc_slice_str_cmp(details, closed[i]) == 0)
			return "the driver closed the connection: has cosid ended (systemctl "
			       "status cosid), does it not allow this user (cosid.conf(5), "
			       "allowed_peers; its log names users that it refuses), or is this "
			       "the admin socket, not the COSI socket?";
	return NULL;
}

const void *
client_call(struct client *client, const char *path, const ProtobufCMessage *request,
	    const ProtobufCMessageDescriptor *type)
{
	grpc_byte_buffer *packed = message_pack(client->arena, request), *reply = NULL;
	grpc_metadata_array initial = { 0 }, trailing = { 0 };
	grpc_status_code code = GRPC_STATUS_UNKNOWN;
	ProtobufCMessage *message = NULL;
	grpc_slice details = { 0 }, method;
	const char *hint;
	grpc_call *call;
	grpc_op ops[] = {
		{ .op = GRPC_OP_SEND_INITIAL_METADATA },
		{ .op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = packed },
		{ .op = GRPC_OP_SEND_CLOSE_FROM_CLIENT },
		{ .op = GRPC_OP_RECV_INITIAL_METADATA,
		  .data.recv_initial_metadata.recv_initial_metadata = &initial },
		{ .op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &reply },
		{ .op = GRPC_OP_RECV_STATUS_ON_CLIENT,
		  .data.recv_status_on_client = { .trailing_metadata = &trailing,
						  .status = &code,
						  .status_details = &details } },
	};

	if (packed == NULL) {
		(void)client_fail(client, GRPC_STATUS_RESOURCE_EXHAUSTED,
				  "cannot send the request: out of memory");
		return NULL;
	}
	method = grpc_slice_from_copied_string(path);
	call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
					client->queue, method, NULL, client->deadline, NULL);
	grpc_slice_unref(method);
	/* Anything else but OK is a mistake in the list above. */
	if (grpc_call_start_batch(call, ops, sizeof ops / sizeof ops[0], call, NULL) !=
	    GRPC_CALL_OK)
		abort();
	(void)grpc_completion_queue_pluck(client->queue, call, gpr_inf_future(GPR_CLOCK_MONOTONIC),
					  NULL);
	hint = closed_hint(code, details);
	if (hint != NULL) {
		(void)client_fail(client, GRPC_STATUS_UNAVAILABLE, "cannot call '%s': %s",
				  client->endpoint, hint);
	} else if (code != GRPC_STATUS_OK) {
		client->error = (struct client_error){
			code,
			text_escape(client->arena, (const char *)GRPC_SLICE_START_PTR(details),
				    GRPC_SLICE_LENGTH(details)),
		};
	} else {
		if (reply != NULL)
			message = message_unpack(client->arena, reply, type);
		if (message == NULL)
			(void)client_fail(client, GRPC_STATUS_INTERNAL,
					  "cannot read the answer: it is not a valid %s",
					  type->short_name);
	}
	grpc_byte_buffer_destroy(packed);
	if (reply != NULL)
		grpc_byte_buffer_destroy(reply);
	grpc_metadata_array_destroy(&initial);
	grpc_metadata_array_destroy(&trailing);
	grpc_slice_unref(details);
	grpc_call_unref(call);
	return message;
}
