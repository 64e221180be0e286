/* SPDX-License-Identifier: Apache-2.0
 * serve.c - bytes to a request, the scheduler's answer to bytes; all refusals but the scheduler's
 * own. */
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/secret.h"
#include "rpc/limits.h"
#include "rpc/rpc_call.h"

#include "banned.h"

/* The call's line in the log; error NULL: it succeeded. */
static void
serve_log(const struct rpc_call *rpc, uint32_t code, unsigned grpc, const char *error)
{
	const struct request *req = rpc->routed != NULL ? &rpc->routed->req : NULL;
	enum request_op op = rpc->method->api->op;
	int64_t now_ms = clock_mono_ms();
	struct call_log_entry entry = {
		.fields = { .api = rpc->method->version->name, .method = rpc->method->api->name },
		.code = status_grpc_name(grpc),
		.error = error,
		.ms = now_ms - rpc->arrived_ms,
		.now_ms = now_ms,
	};

	if (rpc->submitted)
		entry.fields = *call_fields(rpc->routed);
	else if (req != NULL) {
		entry.fields.name = req->name;
		*(op == REQUEST_REVOKE ? &entry.fields.account : &entry.fields.bucket) = req->id;
	}
	if (error != NULL)
		entry.level = code == COSI_INTERNAL ? COSI_ERROR : COSI_WARNING;
	else
		entry.level = op == 0 || op == REQUEST_GET ? COSI_DEBUG : COSI_INFO;
	call_log_write(rpc->calls->log, &entry);
}

/* The text goes to clients that take UTF-8 for granted and log it, and may hold what a request or a
 * store said: known secrets are masked, controls and other bytes than UTF-8 become '?'. */
static void
serve_clean(struct status *status)
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
		status_fail(status, 0, "no reason is known");
}

static void
serve_fail(struct rpc_call *rpc, struct status *status, size_t nbuckets)
{
	unsigned grpc = codes_grpc(rpc->method->api->codes, status->code, nbuckets);

	serve_clean(status);
	serve_log(rpc, status->code, grpc, status->text);
	rpc_call_finish(rpc, grpc, status->text, NULL);
}

static void
serve_refuse(struct rpc_call *rpc, struct status *status, size_t nbuckets)
{
	status_fail(status, 0, "cannot serve %s", rpc->method->api->name);
	serve_fail(rpc, status, nbuckets);
}

/* A path that is in no version of the API.  It is the peer's to choose, so its line in the log does
 * not name it. */
static void
serve_unknown(struct rpc_call *rpc)
{
	enum { SHOWN = 100 };
	size_t len = GRPC_SLICE_LENGTH(rpc->details.method);
	const struct call_log_entry entry = {
		.fields = { .method = "unknown" },
		.code = status_grpc_name(GRPC_STATUS_UNIMPLEMENTED),
		.error = "a method was called that no version of COSI has",
		.level = COSI_WARNING,
		.now_ms = rpc->arrived_ms,
	};
	struct status status = { 0 };

	status_fail(&status, COSI_UNSUPPORTED, "unknown method '%.*s'",
		    len < SHOWN ? (int)len : SHOWN,
		    (const char *)GRPC_SLICE_START_PTR(rpc->details.method));
	serve_clean(&status);
	call_log_write(rpc->calls->log, &entry);
	rpc_call_finish(rpc, GRPC_STATUS_UNIMPLEMENTED, status.text, NULL);
}

/* The request in one piece; not copied when the core has it as one.  0, or -1 with status. */
static int
serve_read(struct rpc_call *rpc, grpc_slice *out, struct status *status)
{
	grpc_byte_buffer_reader reader;

	if (rpc->in == NULL || grpc_byte_buffer_reader_init(&reader, rpc->in) == 0)
		return status_fail(status, COSI_INVALID, "the request has no message");
	*out = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	return 0;
}

/* An answer holds credentials: its bytes are overwritten when the core lets go of them. */
static void
serve_wipe(void *bytes, size_t len)
{
	explicit_bzero(bytes, len);
	free(bytes);
}

/* The answer OK with that message; NULL: an empty one.  0, or -1 with status: no memory. */
static int
serve_ok(struct rpc_call *rpc, const ProtobufCMessage *message, struct status *status)
{
	grpc_slice bytes = grpc_empty_slice();

	if (message != NULL) {
		size_t len = protobuf_c_message_get_packed_size(message);
		uint8_t *packed = malloc(len + 1);

		if (packed == NULL)
			return status_no_memory(status);
		(void)protobuf_c_message_pack(message, packed);
		bytes = grpc_slice_new_with_len(packed, len, serve_wipe);
	}
	serve_log(rpc, COSI_OK, GRPC_STATUS_OK, NULL);
	rpc_call_finish(rpc, GRPC_STATUS_OK, NULL, grpc_raw_byte_buffer_create(&bytes, 1));
	grpc_slice_unref(bytes);
	return 0;
}

static void
serve_info(struct rpc_call *rpc)
{
	const struct rpc_method *method = rpc->method;
	struct sched *sched = rpc->calls->sched;
	const ProtobufCMessage *message = NULL;
	struct status status;
	struct arena arena;
	grpc_slice request;

	status.code = COSI_OK; /* its kilobyte of text stays as it is: this is the fast path */
	status.text[0] = '\0';
	if (serve_read(rpc, &request, &status) < 0) {
		serve_refuse(rpc, &status, 0);
		return;
	}
	arena_init(&arena, LIMIT_MESSAGE);
	if (wire_check(method->api->input, GRPC_SLICE_START_PTR(request),
		       GRPC_SLICE_LENGTH(request), &status) == 0)
		message = method->version->info(sched_driver_name(sched), sched_protocols(sched),
						&arena, &status);
	if (message == NULL || serve_ok(rpc, message, &status) < 0)
		serve_refuse(rpc, &status, 0);
	grpc_slice_unref(request);
	arena_done(&arena);
}

/* The scheduler's reply, on any thread.  Of a call that failed only the request is looked at: its
 * handler may be running still. */
static void
serve_on_reply(struct call *call, const struct status *outcome)
{
	struct rpc_call *rpc = call->rpc;
	const struct api_method *method = rpc->method->api;
	const ProtobufCMessage *message = NULL;
	struct status status = *outcome;

	if (status_ok(&status) && method->encode != NULL)
		message = method->encode(rpc->input, call, &status);
	if (status_ok(&status) && serve_ok(rpc, message, &status) == 0)
		return;
	serve_fail(rpc, &status, call->req.nbuckets);
}

/* Decodes the request into a call of the scheduler's, and submits it. */
static void
serve_routed(struct rpc_call *rpc)
{
	const struct api_method *method = rpc->method->api;
	struct rpc_calls *calls = rpc->calls;
	struct call *call = NULL;
	struct status status = { 0 };
	gpr_timespec left;
	grpc_slice bytes;

	rpc->nbytes = rpc->in != NULL ? grpc_byte_buffer_length(rpc->in) : 0;
	if (calls->ncalls >= LIMIT_CALLS || calls->nbytes + rpc->nbytes > LIMIT_CALL_BYTES)
		status_fail(&status, COSI_EXHAUSTED, "too many calls are in flight");
	else if ((call = call_new()) == NULL)
		status_no_memory(&status);
	if (call == NULL) {
		serve_refuse(rpc, &status, 0);
		return;
	}
	rpc->routed = call;
	calls->ncalls++;
	calls->nbytes += rpc->nbytes;
	call->rpc = rpc;
	call->reply = serve_on_reply;
	call->req.op = method->op;
	call->req.api = rpc->method->version->name;
	call->req.method = method->name;
	call->req.arrived_ms = rpc->arrived_ms;
	call->req.deadline_ms = CLOCK_NEVER;
	if (gpr_time_cmp(rpc->deadline, gpr_inf_future(rpc->deadline.clock_type)) != 0) {
		left = gpr_time_sub(rpc->deadline, gpr_now(rpc->deadline.clock_type));
		call->req.deadline_ms = clock_mono_ms() + gpr_time_to_millis(left);
	}
	if (serve_read(rpc, &bytes, &status) == 0) {
		rpc->input = wire_decode(method->input, GRPC_SLICE_START_PTR(bytes),
					 GRPC_SLICE_LENGTH(bytes), &call->arena, &status);
		grpc_slice_unref(bytes);
		grpc_byte_buffer_destroy(rpc->in); /* the message has copies of all of it */
		rpc->in = NULL;
	}
	if (rpc->input == NULL ||
	    method->decode(rpc->input, &call->req, &call->arena, &status) < 0) {
		/* Too many buckets, which alone are OUT_OF_RANGE here, are several. */
		serve_refuse(rpc, &status, LIMIT_BUCKETS + 1);
		return;
	}
	rpc_call_watch(rpc);
	sched_submit(calls->sched, call);
}

void
rpc_call_serve(struct rpc_call *rpc)
{
	struct status status = { 0 };

	if (rpc->method->api == NULL) {
		serve_unknown(rpc);
	} else if (atomic_load(&rpc->calls->draining)) {
		status_fail(&status, COSI_UNAVAILABLE, "the daemon is stopping");
		serve_refuse(rpc, &status, 0);
	} else if (rpc->method->api->op == 0) {
		serve_info(rpc);
	} else {
		serve_routed(rpc);
	}
}
