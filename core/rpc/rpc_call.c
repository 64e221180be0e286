/* SPDX-License-Identifier: Apache-2.0
 * rpc_call.c - requests calls, takes them through their batches, and ends them. */
#include "rpc/rpc_call.h"

#include <assert.h>
#include <grpc/support/alloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"

#include "banned.h"

/* Requests for calls that are outstanding per method.  One that is taken is replaced before its
 * call is looked at, so that no call stays in the core's own queue, which has no limit.  Calls that
 * are answered here come fastest: with 8 outstanding their rate is 0.93 of a bare server's at 64 in
 * flight, with 64 it is 1.03 (measured). */
enum { ARMED_HERE = 64, ARMED_ROUTED = 16 };

#define RPC_CALL_OF(tag, member)                                                                   \
	((struct rpc_call *)(void *)((char *)(tag)-offsetof(struct rpc_call, member)))

static void rpc_calls_fill(struct rpc_calls *calls, struct rpc_method *method);

static void
rpc_calls_count_down(struct rpc_calls *calls, atomic_size_t *counter)
{
	if (atomic_fetch_sub(counter, 1) == 1 && atomic_load(&calls->draining))
		calls->idle(calls->owner);
}

static void
rpc_call_uncount(struct rpc_call *rpc)
{
	if (rpc->connection != NULL)
		connections_end_call(rpc->calls->connections, rpc->connection, clock_mono_ms());
	rpc->connection = NULL;
}

/* A batch has come back: the last one ends the call. */
static void
rpc_call_batch_done(struct rpc_call *rpc)
{
	struct rpc_calls *calls = rpc->calls;

	if (--rpc->nbatches > 0)
		return;
	if (rpc->submitted) {
		LOCK_SCOPE(&calls->mutex);
		LIST_REMOVE(rpc, link);
	}
	if (rpc->routed != NULL) {
		calls->ncalls--;
		calls->nbytes -= rpc->nbytes;
		call_release(rpc->routed, CALL_OWNER_RPC);
		rpc->routed = NULL;
	}
	rpc_call_uncount(rpc); /* its connection's descriptor may be closed after the next lines */
	grpc_byte_buffer_destroy(rpc->in);
	grpc_byte_buffer_destroy(rpc->out);
	grpc_metadata_array_destroy(&rpc->metadata);
	if (rpc->method->api == NULL)
		grpc_call_details_destroy(&rpc->details);
	grpc_call_unref(rpc->core);
	rpc->next_free = calls->free_list;
	calls->free_list = rpc;
	rpc_calls_fill(calls, rpc->method);
	rpc_calls_count_down(calls, &calls->nopen);
}

static void
rpc_call_on_done(struct tag *tag, bool ok)
{
	(void)ok; /* false: the client was gone */
	rpc_call_batch_done(RPC_CALL_OF(tag, t_done));
}

static void
rpc_call_on_close(struct tag *tag, bool ok)
{
	struct rpc_call *rpc = RPC_CALL_OF(tag, t_close);

	(void)ok; /* always true */
	if (rpc->cancelled != 0) {
		/* The client may begin others: LIMIT_CALLS bounds those that go on here. */
		rpc_call_uncount(rpc);
		sched_cancel(rpc->calls->sched, rpc->routed, REPLY_CANCELLED);
	}
	rpc_call_batch_done(rpc);
}

static void
rpc_call_on_new(struct tag *tag, bool ok)
{
	struct rpc_call *rpc = RPC_CALL_OF(tag, t_new);
	struct rpc_calls *calls = rpc->calls;
	int64_t fd = -1;
	char *peer;

	rpc->method->narmed--;
	if (!ok) { /* the server is shutting down */
		grpc_metadata_array_destroy(&rpc->metadata);
		if (rpc->method->api == NULL)
			grpc_call_details_destroy(&rpc->details);
		free(rpc);
		return;
	}
	atomic_fetch_add(&calls->nopen, 1);
	atomic_fetch_add(&calls->nunanswered, 1);
	rpc_calls_fill(calls, rpc->method);
	rpc->arrived_ms = clock_mono_ms();
	rpc->nbatches = 1;
	/* The descriptor of its connection lives as long as the call does.  The core names a
	 * connection that it was given "fd:N", and tells it by nothing else: the arguments,
	 * credentials and authentication context of all connections are the server's (1.51). */
	peer = grpc_call_get_peer(rpc->core);
	if (peer != NULL && strncmp(peer, "fd:", 3) == 0)
		(void)parse_int(peer + 3, &fd);
	gpr_free(peer);
	rpc->connection = connections_begin_call(calls->connections, (int)fd, rpc->arrived_ms);
	rpc_call_serve(rpc);
}

/* Any error here is a bug of cosid, never caused by the peer. */
static void
rpc_call_must(grpc_call_error error)
{
	assert(error == GRPC_CALL_OK);
	(void)error;
}

/* Requests calls of the method.  Out of memory leaves fewer armed; the next call that ends makes up
 * for it. */
static void
rpc_calls_fill(struct rpc_calls *calls, struct rpc_method *method)
{
	bool here = method->api != NULL && method->api->op == 0;
	unsigned wanted = here ? ARMED_HERE : ARMED_ROUTED;

	while (method->narmed < wanted && !atomic_load(&calls->closed)) {
		struct rpc_call *rpc = calls->free_list;

		if (rpc != NULL)
			calls->free_list = rpc->next_free;
		else
			rpc = malloc(sizeof *rpc);
		if (rpc == NULL)
			return;
		*rpc = (struct rpc_call){ .t_new = { rpc_call_on_new },
					  .t_close = { rpc_call_on_close },
					  .t_done = { rpc_call_on_done },
					  .calls = calls,
					  .method = method };
		grpc_metadata_array_init(&rpc->metadata);
		method->narmed++;
		TAG_POST(&rpc->t_new);
		if (method->api != NULL) {
			rpc_call_must(grpc_server_request_registered_call(
				calls->grpc, method->registered, &rpc->core, &rpc->deadline,
				&rpc->metadata, &rpc->in, calls->queue, calls->queue, &rpc->t_new));
			continue;
		}
		grpc_call_details_init(&rpc->details);
		rpc_call_must(grpc_server_request_call(calls->grpc, &rpc->core, &rpc->details,
						       &rpc->metadata, calls->queue, calls->queue,
						       &rpc->t_new));
	}
}

/* When it returns, the tag may be in another thread's hands already. */
static void
rpc_call_start(struct rpc_call *rpc, const grpc_op *ops, size_t n, struct tag *tag)
{
	grpc_call *core = rpc->core;

	TAG_POST(tag);
	rpc_call_must(grpc_call_start_batch(core, ops, n, tag, NULL));
}

void
rpc_call_watch(struct rpc_call *rpc)
{
	struct rpc_calls *calls = rpc->calls;
	grpc_op op;

	pthread_mutex_lock(&calls->mutex);
	LIST_INSERT_HEAD(&calls->routed, rpc, link);
	pthread_mutex_unlock(&calls->mutex);
	memset(&op, 0, sizeof op);
	op.op = GRPC_OP_RECV_CLOSE_ON_SERVER;
	op.data.recv_close_on_server.cancelled = &rpc->cancelled;
	rpc->submitted = true;
	rpc->nbatches++;
	rpc_call_start(rpc, &op, 1, &rpc->t_close);
}

void
rpc_call_finish(struct rpc_call *rpc, unsigned code, const char *text, grpc_byte_buffer *message)
{
	grpc_slice details = grpc_empty_slice();
	grpc_op ops[4];
	size_t n = 0;

	memset(ops, 0, sizeof ops);
	rpc->out = message;
	ops[n++].op = GRPC_OP_SEND_INITIAL_METADATA;
	if (message != NULL) {
		ops[n].op = GRPC_OP_SEND_MESSAGE;
		ops[n++].data.send_message.send_message = message;
	}
	ops[n].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
	ops[n].data.send_status_from_server.status = (grpc_status_code)code;
	if (code != GRPC_STATUS_OK) {
		details = grpc_slice_from_copied_string(text);
		ops[n].data.send_status_from_server.status_details = &details;
	}
	n++;
	if (!rpc->submitted) {
		ops[n].op = GRPC_OP_RECV_CLOSE_ON_SERVER;
		ops[n++].data.recv_close_on_server.cancelled = &rpc->cancelled;
	}
	rpc_calls_count_down(rpc->calls, &rpc->calls->nunanswered);
	rpc_call_start(rpc, ops, n, &rpc->t_done);
	grpc_slice_unref(details);
}

int
rpc_calls_start(struct rpc_calls *calls, struct status *status)
{
	size_t n = 1;

	pthread_mutex_init(&calls->mutex, NULL);
	LIST_INIT(&calls->routed);
	for (const struct api_version *const *v = api_versions; *v != NULL; v++)
		n += (*v)->nmethods;
	calls->methods = calloc(n, sizeof *calls->methods);
	if (calls->methods == NULL)
		return status_no_memory(status);
	for (const struct api_version *const *v = api_versions; *v != NULL; v++) {
		for (size_t i = 0; i < (*v)->nmethods; i++) {
			struct rpc_method *method = &calls->methods[calls->nmethods++];

			method->version = *v;
			method->api = &(*v)->methods[i];
			method->registered = grpc_server_register_method(
				calls->grpc, method->api->path, NULL,
				GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
			if (method->registered == NULL)
				return status_fail(status, COSI_INTERNAL,
						   "cannot register the method '%s'",
						   method->api->path);
		}
	}
	calls->nmethods++;
	grpc_server_start(calls->grpc);
	for (size_t i = 0; i < calls->nmethods; i++) {
		rpc_calls_fill(calls, &calls->methods[i]);
		if (calls->methods[i].narmed == 0) /* and no call would end, to arm it */
			return status_no_memory(status);
	}
	return 0;
}

void
rpc_calls_cut(struct rpc_calls *calls)
{
	LOCK_SCOPE(&calls->mutex);
	struct rpc_call *rpc;

	LIST_FOREACH(rpc, &calls->routed, link)
		sched_cancel(calls->sched, rpc->routed, REPLY_STOPPED);
}

void
rpc_calls_done(struct rpc_calls *calls)
{
	struct rpc_call *next;

	for (struct rpc_call *rpc = calls->free_list; rpc != NULL; rpc = next) {
		next = rpc->next_free;
		free(rpc);
	}
	free(calls->methods);
	calls->methods = NULL;
	pthread_mutex_destroy(&calls->mutex);
}
