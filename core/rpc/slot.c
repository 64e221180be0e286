/* SPDX-License-Identifier: Apache-2.0
 * slot.c - arms slots, takes them through their batches and arms them again. */
#include "rpc/slot.h"

#include <assert.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "rpc/serve.h"

#include "banned.h"

/* Requests for calls that are outstanding per method.  One that is taken is replaced before its
 * call is looked at, so that no call stays in the core's own queue, which has no limit.  Calls that
 * are answered here come fastest: with 8 outstanding their rate is 0.93 of a bare server's at 64 in
 * flight, with 64 it is 1.03 (measured). */
enum { ARMED_HERE = 64, ARMED_ELSE = 16 };

#define SLOT_OF(tag, member) ((struct slot *)(void *)((char *)(tag)-offsetof(struct slot, member)))

static void fill(struct slots *slots, struct slots_method *method);

/* Any error here is a bug of ours, never the peer's doing. */
static void
must(grpc_call_error error)
{
	assert(error == GRPC_CALL_OK);
	(void)error;
}

static void
count_down(struct slots *slots, atomic_size_t *counter)
{
	if (atomic_fetch_sub(counter, 1) == 1 && atomic_load(&slots->draining))
		slots->idle(slots->owner);
}

static void
slot_uncount(struct slot *slot)
{
	if (slot->connection != NULL)
		connections_end_call(slot->slots->connections, slot->connection, clock_mono_ms());
	slot->connection = NULL;
}

static void
slot_forget(struct slot *slot)
{
	LOCK_SCOPE(&slot->slots->mutex);

	LIST_REMOVE(slot, link);
}

static void
slot_end(struct slot *slot)
{
	struct slots *slots = slot->slots;

	if (slot->submitted)
		slot_forget(slot);
	if (slot->routed != NULL) {
		slots->ncalls--;
		slots->nbytes -= slot->nbytes;
		call_unref(slot->routed);
		slot->routed = NULL;
	}
	slot_uncount(slot);
	grpc_byte_buffer_destroy(slot->in);
	grpc_byte_buffer_destroy(slot->out);
	grpc_metadata_array_destroy(&slot->metadata);
	if (slot->method->method == NULL)
		grpc_call_details_destroy(&slot->details);
	grpc_call_unref(slot->call);
	slot->next = slots->free_list;
	slots->free_list = slot;
	fill(slots, slot->method);
	count_down(slots, &slots->nbusy);
}

static void
slot_unref(struct slot *slot)
{
	if (--slot->refs == 0)
		slot_end(slot);
}

static void
on_done(struct tag *tag, bool ok)
{
	(void)ok; /* false: the client was gone */
	slot_unref(SLOT_OF(tag, t_done));
}

static void
on_close(struct tag *tag, bool ok)
{
	struct slot *slot = SLOT_OF(tag, t_close);

	(void)ok; /* always true */
	if (slot->cancelled != 0) {
		slot_uncount(slot); /* the client may begin others; LIMIT_CALLS bounds these */
		router_cancel(slot->slots->router, slot->routed);
	}
	slot_unref(slot);
}

/* The descriptor of the call's connection, which lives as long as the call does; -1: unknown.  The
 * core names a connection that it was given "fd:N", and by nothing else: the arguments, credentials
 * and authentication context of connections are the server's, one for all (1.51). */
static int
fd_of(grpc_call *call)
{
	char *peer = grpc_call_get_peer(call);
	int64_t fd = -1;

	if (peer != NULL && strncmp(peer, "fd:", 3) == 0 && parse_int(peer + 3, &fd) != 0)
		fd = -1;
	gpr_free(peer);
	return (int)fd;
}

static void
on_new(struct tag *tag, bool ok)
{
	struct slot *slot = SLOT_OF(tag, t_new);
	struct slots *slots = slot->slots;

	slot->method->narmed--;
	if (!ok) { /* the server is shutting down */
		grpc_metadata_array_destroy(&slot->metadata);
		if (slot->method->method == NULL)
			grpc_call_details_destroy(&slot->details);
		free(slot);
		return;
	}
	atomic_fetch_add(&slots->nbusy, 1);
	atomic_fetch_add(&slots->nasked, 1);
	fill(slots, slot->method);
	slot->arrived_ms = clock_mono_ms();
	slot->refs = 1;
	slot->connection =
		connections_begin_call(slots->connections, fd_of(slot->call), slot->arrived_ms);
	serve(slot);
}

static struct slot *
slot_take(struct slots *slots)
{
	struct slot *slot = slots->free_list;

	if (slot != NULL)
		slots->free_list = slot->next;
	else
		slot = malloc(sizeof *slot);
	if (slot != NULL)
		*slot = (struct slot){ .t_new = { on_new },
				       .t_close = { on_close },
				       .t_done = { on_done },
				       .slots = slots };
	return slot;
}

/* Out of memory leaves fewer armed; the next slot that ends makes up for it. */
static void
fill(struct slots *slots, struct slots_method *method)
{
	bool here = method->method != NULL && method->method->op == 0;
	unsigned wanted = here ? ARMED_HERE : ARMED_ELSE;

	while (method->narmed < wanted && !atomic_load(&slots->closed)) {
		struct slot *slot = slot_take(slots);

		if (slot == NULL)
			return;
		slot->method = method;
		grpc_metadata_array_init(&slot->metadata);
		method->narmed++;
		TAG_POST(&slot->t_new);
		if (method->method != NULL) {
			must(grpc_server_request_registered_call(
				slots->grpc, method->registered, &slot->call, &slot->deadline,
				&slot->metadata, &slot->in, slots->queue, slots->queue,
				&slot->t_new));
			continue;
		}
		grpc_call_details_init(&slot->details);
		must(grpc_server_request_call(slots->grpc, &slot->call, &slot->details,
					      &slot->metadata, slots->queue, slots->queue,
					      &slot->t_new));
	}
}

/* When it returns, the tag may be in another thread's hands already. */
static void
start(struct slot *slot, const grpc_op *ops, size_t n, struct tag *tag)
{
	grpc_call *call = slot->call;

	TAG_POST(tag);
	must(grpc_call_start_batch(call, ops, n, tag, NULL));
}

void
slot_watch(struct slot *slot)
{
	struct slots *slots = slot->slots;
	grpc_op op;

	pthread_mutex_lock(&slots->mutex);
	LIST_INSERT_HEAD(&slots->routed, slot, link);
	pthread_mutex_unlock(&slots->mutex);
	memset(&op, 0, sizeof op);
	op.op = GRPC_OP_RECV_CLOSE_ON_SERVER;
	op.data.recv_close_on_server.cancelled = &slot->cancelled;
	slot->refs++;
	start(slot, &op, 1, &slot->t_close);
}

void
slot_finish(struct slot *slot, unsigned code, const char *text, grpc_byte_buffer *message)
{
	grpc_slice details = grpc_empty_slice();
	grpc_op ops[4];
	size_t n = 0;

	memset(ops, 0, sizeof ops);
	slot->out = message;
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
	if (!slot->submitted) {
		ops[n].op = GRPC_OP_RECV_CLOSE_ON_SERVER;
		ops[n++].data.recv_close_on_server.cancelled = &slot->cancelled;
	}
	count_down(slot->slots, &slot->slots->nasked);
	start(slot, ops, n, &slot->t_done);
	grpc_slice_unref(details);
}

int
slots_init(struct slots *slots, struct status *status)
{
	size_t n = 1;

	pthread_mutex_init(&slots->mutex, NULL);
	LIST_INIT(&slots->routed);
	for (const struct dialect *const *d = dialect_all; *d != NULL; d++)
		n += (*d)->nmethods;
	slots->methods = calloc(n, sizeof *slots->methods);
	if (slots->methods == NULL)
		return status_no_memory(status);
	for (const struct dialect *const *d = dialect_all; *d != NULL; d++) {
		for (size_t i = 0; i < (*d)->nmethods; i++) {
			struct slots_method *method = &slots->methods[slots->nmethods++];

			method->dialect = *d;
			method->method = &(*d)->methods[i];
			method->registered = grpc_server_register_method(
				slots->grpc, method->method->path, NULL,
				GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
			if (method->registered == NULL)
				return status_fail(status, COSI_INTERNAL,
						   "cannot register the method '%s'",
						   method->method->path);
		}
	}
	slots->nmethods++;
	return 0;
}

int
slots_arm(struct slots *slots, struct status *status)
{
	for (size_t i = 0; i < slots->nmethods; i++) {
		fill(slots, &slots->methods[i]);
		if (slots->methods[i].narmed == 0) /* and no slot would end, to arm it */
			return status_no_memory(status);
	}
	return 0;
}

void
slots_drain(struct slots *slots)
{
	atomic_store(&slots->draining, true);
}

void
slots_close(struct slots *slots)
{
	atomic_store(&slots->closed, true);
}

void
slots_cut(struct slots *slots)
{
	LOCK_SCOPE(&slots->mutex);
	struct slot *slot;

	LIST_FOREACH(slot, &slots->routed, link) {
		atomic_store(&slot->cut, true);
		router_cancel(slots->router, slot->routed);
	}
}

void
slots_done(struct slots *slots)
{
	struct slot *next;

	for (struct slot *slot = slots->free_list; slot != NULL; slot = next) {
		next = slot->next;
		free(slot);
	}
	for (size_t i = 0; i < slots->nmethods; i++)
		if (slots->methods[i].info_made)
			grpc_slice_unref(slots->methods[i].info);
	free(slots->methods);
	slots->methods = NULL;
	pthread_mutex_destroy(&slots->mutex);
}
