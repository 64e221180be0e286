/* SPDX-License-Identifier: Apache-2.0
 * serve.c - bytes to a request, the router's answer to bytes; all refusals but the router's own. */
#include "rpc/serve.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/secret.h"
#include "rpc/limits.h"
#include "rpc/wire.h"

#include "banned.h"

/* An answer holds credentials: its bytes are overwritten when the core lets go of them. */
static void
wipe(void *bytes, size_t len)
{
	explicit_bzero(bytes, len);
	free(bytes);
}

/* 0, or -1 with status. */
static int
pack(const ProtobufCMessage *message, grpc_slice *out, struct status *status)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(len + 1);

	if (bytes == NULL)
		return status_no_memory(status);
	(void)protobuf_c_message_pack(message, bytes);
	*out = grpc_slice_new_with_len(bytes, len, wipe);
	return 0;
}

static uint32_t
level_of(const struct slots_method *method, uint32_t code)
{
	if (code == COSI_INTERNAL)
		return COSI_ERROR;
	if (code != COSI_OK)
		return COSI_WARNING;
	return method->method->op == 0 || method->method->op == REQUEST_GET ? COSI_DEBUG
									    : COSI_INFO;
}

/* Of a call that the router did not get. */
static struct log_fields
fields_of(const struct slot *slot)
{
	const struct request *req = slot->routed != NULL ? &slot->routed->req : NULL;
	struct log_fields fields = { .api = slot->method->dialect->api,
				     .method = slot->method->method->name };

	if (req == NULL)
		return fields;
	fields.name = req->name;
	if (req->op == REQUEST_REVOKE)
		fields.account = req->id;
	else
		fields.bucket = req->id;
	return fields;
}

/* The call's line in the log; error NULL: it went well. */
static void
tell(const struct slot *slot, uint32_t code, unsigned grpc, const char *error)
{
	int64_t now_ms = clock_mono_ms();
	const struct call_log_entry call = {
		.fields = slot->submitted ? *call_fields(slot->routed) : fields_of(slot),
		.code = status_grpc_name(grpc),
		.error = error,
		.level = level_of(slot->method, error != NULL ? code : COSI_OK),
		.ms = now_ms - slot->arrived_ms,
		.now_ms = now_ms,
	};

	call_log_write(slot->slots->log, &call);
}

/* The text goes to clients that take UTF-8 for granted and log it, and may hold what a request or a
 * store said: known secrets are masked, controls and other bytes than UTF-8 become '?'. */
static void
clean(struct status *status)
{
	size_t len = secret_mask(status->text, strlen(status->text));
	uint32_t number;

	status->text[len] = '\0';
	for (size_t i = 0, n; i < len; i += n) {
		n = parse_utf8_char(status->text + i, len - i, &number);
		if (n > 0 && !chars_is_control(number))
			continue;
		n += n == 0;
		memset(status->text + i, '?', n);
	}
	if (len == 0)
		(void)status_fail(status, 0, "no reason is known");
}

static void
fail(struct slot *slot, struct status *status, size_t nbuckets)
{
	unsigned grpc = codes_grpc(slot->method->method->codes, status->code, nbuckets);

	clean(status);
	tell(slot, status->code, grpc, status->text);
	slot_finish(slot, grpc, status->text, NULL);
}

static void
refuse(struct slot *slot, struct status *status)
{
	(void)status_fail(status, 0, "cannot serve %s", slot->method->method->name);
	fail(slot, status, 0);
}

/* A path that is none of ours.  It is the peer's to choose, so its line does not name it. */
static void
refuse_unknown(struct slot *slot)
{
	enum { SHOWN = 100 };
	size_t len = GRPC_SLICE_LENGTH(slot->details.method);
	const struct call_log_entry call = {
		.fields = { .method = "unknown" },
		.code = status_grpc_name(GRPC_STATUS_UNIMPLEMENTED),
		.error = "a method was called that no version of COSI has",
		.level = COSI_WARNING,
		.now_ms = slot->arrived_ms,
	};
	struct status status = { 0 };

	(void)status_fail(&status, COSI_UNSUPPORTED, "unknown method '%.*s'",
			  len < SHOWN ? (int)len : SHOWN,
			  (const char *)GRPC_SLICE_START_PTR(slot->details.method));
	clean(&status);
	call_log_write(slot->slots->log, &call);
	slot_finish(slot, GRPC_STATUS_UNIMPLEMENTED, status.text, NULL);
}

/* The request as one piece; not copied when the core has it as one.  0, or -1 with status. */
static int
read_request(struct slot *slot, grpc_slice *out, struct status *status)
{
	grpc_byte_buffer_reader reader;

	if (slot->in == NULL || grpc_byte_buffer_reader_init(&reader, slot->in) == 0)
		return status_fail(status, COSI_INVALID, "the request has no message");
	*out = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	return 0;
}

/* The bytes of DriverGetInfo's answer are made once; the protocols change with a reload. */
static int
make_info(struct slots *slots, struct slots_method *method, struct status *status)
{
	uint32_t protocols = router_protocols(slots->router);
	const ProtobufCMessage *message;
	struct arena arena;
	int rc = -1;

	if (method->info_made && method->info_protocols == protocols)
		return 0;
	if (method->info_made)
		grpc_slice_unref(method->info);
	method->info_made = false;
	arena_init(&arena, LIMIT_MESSAGE);
	message =
		method->dialect->info(router_driver_name(slots->router), protocols, &arena, status);
	if (message != NULL)
		rc = pack(message, &method->info, status);
	arena_done(&arena);
	method->info_protocols = protocols;
	method->info_made = rc == 0;
	return rc;
}

static void
serve_info(struct slot *slot)
{
	struct slots_method *method = slot->method;
	struct status status;
	grpc_slice request;
	int rc;

	status.code = COSI_OK; /* its kilobyte of text stays as it is: this is the fast path */
	status.text[0] = '\0';
	if (read_request(slot, &request, &status) != 0) {
		refuse(slot, &status);
		return;
	}
	rc = wire_check(method->method->input, GRPC_SLICE_START_PTR(request),
			GRPC_SLICE_LENGTH(request), &status);
	grpc_slice_unref(request);
	if (rc != 0 || make_info(slot->slots, method, &status) != 0) {
		refuse(slot, &status);
		return;
	}
	if (log_wants(COSI_DEBUG))
		tell(slot, COSI_OK, GRPC_STATUS_OK, NULL);
	slot_finish(slot, GRPC_STATUS_OK, NULL, grpc_raw_byte_buffer_create(&method->info, 1));
}

/* The router's reply, on any thread.  Of a call that failed nothing but the request is looked at:
 * its handler may be running still. */
static void
on_reply(struct call *call, const struct status *outcome)
{
	struct slot *slot = call->owner;
	const struct dialect_method *method = slot->method->method;
	const ProtobufCMessage *message = NULL;
	struct status status = *outcome;
	grpc_slice bytes = grpc_empty_slice();

	if (status_ok(&status) && method->encode != NULL) {
		message = method->encode(slot->input, call, &status);
		if (message != NULL)
			(void)pack(message, &bytes, &status);
	}
	if (status.code == COSI_TIMEOUT && atomic_load(&slot->cut)) {
		status = (struct status){ 0 };
		(void)status_fail(&status, COSI_UNAVAILABLE, "cannot serve %s: cosid stops",
				  method->name);
	}
	if (!status_ok(&status)) {
		fail(slot, &status, call->req.nbuckets);
		return;
	}
	tell(slot, COSI_OK, GRPC_STATUS_OK, NULL);
	slot_finish(slot, GRPC_STATUS_OK, NULL, grpc_raw_byte_buffer_create(&bytes, 1));
	grpc_slice_unref(bytes);
}

static int64_t
deadline_of(gpr_timespec deadline)
{
	gpr_timespec left;

	if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0)
		return CLOCK_NEVER;
	left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
	return clock_mono_ms() + gpr_time_to_millis(left);
}

/* Fills call->req out of the slot's message.  0, or -1 with status. */
static int
decode(struct slot *slot, struct call *call, struct status *status)
{
	const struct dialect_method *method = slot->method->method;
	grpc_slice bytes;

	call->req.op = method->op;
	call->req.api = slot->method->dialect->api;
	call->req.method = method->name;
	call->req.arrived_ms = slot->arrived_ms;
	call->req.deadline_ms = deadline_of(slot->deadline);
	if (read_request(slot, &bytes, status) != 0)
		return -1;
	slot->nbytes = GRPC_SLICE_LENGTH(bytes);
	slot->input = wire_decode(method->input, GRPC_SLICE_START_PTR(bytes), slot->nbytes,
				  &call->arena, status);
	grpc_slice_unref(bytes);
	grpc_byte_buffer_destroy(slot->in); /* the message has copies of all of it */
	slot->in = NULL;
	if (slot->input == NULL)
		return -1;
	return method->decode(slot->input, &call->req, &call->arena, status);
}

static bool
has_room(const struct slots *slots, const struct slot *slot)
{
	size_t nbytes = slot->in != NULL ? grpc_byte_buffer_length(slot->in) : 0;

	return slots->ncalls < LIMIT_CALLS && slots->nbytes + nbytes <= LIMIT_CALL_BYTES;
}

static void
serve_routed(struct slot *slot)
{
	struct slots *slots = slot->slots;
	struct status status = { 0 };
	struct call *call = NULL;

	if (!has_room(slots, slot))
		(void)status_fail(&status, COSI_EXHAUSTED, "too many calls are in flight");
	else if ((call = call_new(slots->router)) == NULL)
		(void)status_no_memory(&status);
	if (call == NULL) {
		refuse(slot, &status);
		return;
	}
	slot->routed = call;
	slots->ncalls++;
	call->owner = slot;
	call->reply = on_reply;
	if (decode(slot, call, &status) != 0) {
		slots->nbytes += slot->nbytes;
		(void)status_fail(&status, 0, "cannot serve %s", slot->method->method->name);
		fail(slot, &status, call->req.nbuckets);
		return;
	}
	slots->nbytes += slot->nbytes;
	slot->submitted = true;
	slot_watch(slot);
	router_submit(slots->router, call);
}

void
serve(struct slot *slot)
{
	struct status status = { 0 };

	if (slot->method->method == NULL) {
		refuse_unknown(slot);
	} else if (atomic_load(&slot->slots->draining)) {
		(void)status_fail(&status, COSI_UNAVAILABLE, "the daemon is stopping");
		refuse(slot, &status);
	} else if (slot->method->method->op == 0) {
		serve_info(slot);
	} else {
		serve_routed(slot);
	}
}
