/* SPDX-License-Identifier: Apache-2.0
 * client.c - a caller on the C core that sends any bytes, for tests of core/rpc; included by them.
 */
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client_call {
	grpc_completion_queue *queue;
	grpc_call *call;
	grpc_metadata_array initial, trailing;
	grpc_byte_buffer *out, *in;
	grpc_slice details;
	grpc_status_code code;
	/* After client_wait(): */
	char text[2048];
	uint8_t *reply; /* owned; NULL: there is none */
	size_t reply_len;
};

/* A connection of its own each. */
static grpc_channel *
client_connect(const char *path)
{
	char target[256];
	grpc_arg arg = { .type = GRPC_ARG_INTEGER,
			 .key = (char *)(uintptr_t)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL,
			 .value.integer = 1 };
	grpc_channel_args args = { 1, &arg };
	grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
	grpc_channel *channel;

	(void)snprintf(target, sizeof target, "unix:%s", path);
	channel = grpc_channel_create(target, credentials, &args);
	grpc_channel_credentials_release(credentials);
	return channel;
}

/* bytes NULL: no message is sent. */
static struct client_call *
client_start_with(grpc_channel *channel, const char *method, const void *bytes, size_t len,
		  int64_t timeout_ms, grpc_metadata *metadata, size_t nmetadata)
{
	struct client_call *c = calloc(1, sizeof *c);
	grpc_slice payload = grpc_slice_from_copied_buffer(bytes, len);
	grpc_slice path = grpc_slice_from_copied_string(method);
	gpr_timespec deadline =
		timeout_ms < 0 ? gpr_inf_future(GPR_CLOCK_REALTIME)
			       : gpr_time_add(gpr_now(GPR_CLOCK_REALTIME),
					      gpr_time_from_millis(timeout_ms, GPR_TIMESPAN));
	grpc_op ops[6];
	size_t n = 0;

	if (c == NULL)
		abort();
	c->queue = grpc_completion_queue_create_for_next(NULL);
	c->call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, c->queue, path,
					   NULL, deadline, NULL);
	grpc_metadata_array_init(&c->initial);
	grpc_metadata_array_init(&c->trailing);
	c->out = grpc_raw_byte_buffer_create(&payload, 1);
	memset(ops, 0, sizeof ops);
	ops[n].op = GRPC_OP_SEND_INITIAL_METADATA;
	ops[n].data.send_initial_metadata.metadata = metadata;
	ops[n++].data.send_initial_metadata.count = nmetadata;
	ops[n].op = GRPC_OP_SEND_MESSAGE;
	ops[n].data.send_message.send_message = c->out;
	n += bytes != NULL;
	ops[n++].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
	ops[n].op = GRPC_OP_RECV_INITIAL_METADATA;
	ops[n++].data.recv_initial_metadata.recv_initial_metadata = &c->initial;
	ops[n].op = GRPC_OP_RECV_MESSAGE;
	ops[n++].data.recv_message.recv_message = &c->in;
	ops[n].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
	ops[n].data.recv_status_on_client.trailing_metadata = &c->trailing;
	ops[n].data.recv_status_on_client.status = &c->code;
	ops[n++].data.recv_status_on_client.status_details = &c->details;
	TAG_POST(&fake_order);
	if (grpc_call_start_batch(c->call, ops, n, c, NULL) != GRPC_CALL_OK)
		abort();
	grpc_slice_unref(payload);
	grpc_slice_unref(path);
	return c;
}

static struct client_call *
client_start(grpc_channel *channel, const char *method, const void *bytes, size_t len,
	     int64_t timeout_ms)
{
	return client_start_with(channel, method, bytes, len, timeout_ms, NULL, 0);
}

static void
client_read(struct client_call *c)
{
	grpc_byte_buffer_reader reader;
	grpc_slice slice;

	if (c->in == NULL || !grpc_byte_buffer_reader_init(&reader, c->in))
		return;
	slice = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	c->reply_len = GRPC_SLICE_LENGTH(slice);
	c->reply = malloc(c->reply_len + 1);
	memcpy(c->reply, GRPC_SLICE_START_PTR(slice), c->reply_len);
	grpc_slice_unref(slice);
}

/* Blocks until the call has ended. */
static grpc_status_code
client_wait(struct client_call *c)
{
	grpc_event event =
		grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);

	if (event.type != GRPC_OP_COMPLETE)
		abort();
	TAG_GOT(&fake_order);
	(void)snprintf(c->text, sizeof c->text, "%.*s", (int)GRPC_SLICE_LENGTH(c->details),
		       (const char *)GRPC_SLICE_START_PTR(c->details));
	client_read(c);
	return c->code;
}

static void
client_free(struct client_call *c)
{
	grpc_slice_unref(c->details);
	grpc_byte_buffer_destroy(c->out);
	grpc_byte_buffer_destroy(c->in);
	grpc_metadata_array_destroy(&c->initial);
	grpc_metadata_array_destroy(&c->trailing);
	grpc_call_unref(c->call);
	grpc_completion_queue_shutdown(c->queue);
	while (grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL)
		       .type != GRPC_QUEUE_SHUTDOWN)
		;
	grpc_completion_queue_destroy(c->queue);
	free(c->reply);
	free(c);
}

/* A whole call; the caller frees it. */
static struct client_call *
client_call(grpc_channel *channel, const char *method, const void *bytes, size_t len)
{
	struct client_call *c = client_start(channel, method, bytes, len, -1);

	(void)client_wait(c);
	return c;
}
