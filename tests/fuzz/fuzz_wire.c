/* SPDX-License-Identifier: Apache-2.0
 * fuzz_wire.c - any bytes as a request of any method, and as what a module answers to it.
 *
 * covers: core/rpc/limits.c core/rpc/v1alpha1.c core/rpc/v1alpha2.c core/rpc/v1alpha2_answer.c
 *
 * The first byte picks the method, the second says how many bytes of an answer follow; the rest is
 * the message.  It is refused in words, or keeps every promise that request.h makes to the
 * scheduler, and packs to bytes that are taken again; so does the answer.
 */
#include "base/parse.h"
#include "input.h"
#include "rpc/api_version.h"
#include "rpc/limits.h"

#include "banned.h"

enum { PROTOCOLS = COSI_S3 | COSI_AZURE | COSI_GCS };

static const struct api_method *
method_of(uint8_t byte, const struct api_version **out_api)
{
	size_t n = api_v1alpha1.nmethods;
	size_t i = byte % (n + api_v1alpha2.nmethods);

	*out_api = i < n ? &api_v1alpha1 : &api_v1alpha2;
	return i < n ? &api_v1alpha1.methods[i] : &api_v1alpha2.methods[i - n];
}

/* ---- the request ---- */

static void
check_text(const char *text, size_t max)
{
	must(text != NULL && strlen(text) <= max && parse_utf8(text, strlen(text)));
}

static void
check_buckets(const struct request *req)
{
	must(req->nbuckets >= 1 && req->nbuckets <= LIMIT_BUCKETS);
	for (size_t i = 0; i < req->nbuckets; i++) {
		check_text(req->buckets[i].id, LIMIT_LONG_ID);
		must(*req->buckets[i].id != '\0');
		must(req->buckets[i].mode <= COSI_WRITE_ONLY);
		for (size_t j = 0; j < i; j++)
			must(strcmp(req->buckets[i].id, req->buckets[j].id) != 0);
	}
}

static void
check_request(const struct request *req)
{
	size_t map = 0;

	if (req->op == REQUEST_CREATE || req->op == REQUEST_GRANT)
		check_text(req->name, LIMIT_DNS_NAME);
	else
		check_text(req->id, LIMIT_LONG_ID);
	must(*(req->name != NULL ? req->name : req->id) != '\0');
	for (size_t i = 0; i < req->nparams; i++) {
		check_text(req->params[i].key, LIMIT_MAP);
		check_text(req->params[i].value, LIMIT_MAP);
		map += strlen(req->params[i].key) + strlen(req->params[i].value);
		must(i == 0 || strcmp(req->params[i - 1].key, req->params[i].key) < 0);
	}
	must(map <= LIMIT_MAP);
	must((req->protocols & ~(uint32_t)PROTOCOLS) == 0);
	if (req->op == REQUEST_GRANT || req->op == REQUEST_REVOKE)
		check_buckets(req);
	if (req->op == REQUEST_GRANT)
		must(req->auth == COSI_AUTH_KEY || req->auth == COSI_AUTH_SERVICE_ACCOUNT);
}

/* Packs to bytes that are taken as the same message. */
static void
check_packed(const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(len + 1), *again = malloc(len + 1);
	struct status status = { 0 };
	ProtobufCMessage *read;

	must(bytes != NULL && again != NULL);
	must(protobuf_c_message_pack(message, bytes) == len);
	must(wire_check(message->descriptor, bytes, len, &status) == 0);
	read = protobuf_c_message_unpack(message->descriptor, NULL, len, bytes);
	must(read != NULL && protobuf_c_message_get_packed_size(read) == len);
	must(protobuf_c_message_pack(read, again) == len && memcmp(bytes, again, len) == 0);
	protobuf_c_message_free_unpacked(read, NULL);
	free(bytes);
	free(again);
}

/* ---- the answer ---- */

/* The module layer has checked what a module answers; how long a text is, and whether there is one,
 * is what an API version has to look at. */
static const char *
answer_text(struct input *in)
{
	static char longer[LIMIT_TOKEN + 2];
	static const size_t lens[] = {
		1,           LIMIT_STRING,   LIMIT_STRING + 1, LIMIT_LONG_ID, LIMIT_LONG_ID + 1,
		LIMIT_TOKEN, LIMIT_TOKEN + 1
	};
	enum { NLENS = sizeof lens / sizeof lens[0] };
	size_t pick = input_pick(in, NLENS + 3);

	memset(longer, 'a', sizeof longer - 1);
	if (pick >= NLENS)
		return pick == NLENS ? NULL : pick == NLENS + 1 ? "" : "\xc3\xbc";
	return longer + sizeof longer - 1 - lens[pick];
}

static void
answer_bucket(struct input *in, struct cosi_bucket *out)
{
	*out = (struct cosi_bucket){
		.ours = true,
		.protocols = input_byte(in) & PROTOCOLS,
		.name = answer_text(in),
		.endpoint = answer_text(in),
		.region = answer_text(in),
		.style = input_byte(in) % 3,
		.azure_account = answer_text(in),
		.gcs_project = answer_text(in),
	};
}

static void
check_answer(struct input *in, const struct api_method *method, const void *message,
	     struct call *call)
{
	static const int64_t times[] = { 0, 1, 253402300799, 253402300800, INT64_MAX, -1 };
	struct cosi_bucket all[LIMIT_BUCKETS], *buckets[LIMIT_BUCKETS];
	struct answer *answer = &call->answer;
	const ProtobufCMessage *output;

	*answer = (struct answer){
		.id = answer_text(in),
		.protocol = 1u << input_pick(in, 4),
		.access = {
			.buckets = buckets,
			.key_id = answer_text(in),
			.key_secret = answer_text(in),
			.token = answer_text(in),
			.token_expires = times[input_pick(in, 6)],
			.key_name = answer_text(in),
			.service_account = answer_text(in),
		},
	};
	answer_bucket(in, &answer->bucket);
	for (size_t i = 0; i < call->req.nbuckets; i++) {
		answer_bucket(in, &all[i]);
		buckets[i] = &all[i];
	}
	output = method->encode(message, call, &call->status);
	if (output != NULL)
		check_packed(output);
	else
		must(call->status.code == COSI_INTERNAL && call->status.text[0] != '\0');
}

static void
check_info(struct input *in, const struct api_version *api, struct call *call)
{
	uint32_t protocols = input_byte(in) & PROTOCOLS;
	const ProtobufCMessage *output =
		api->info("cosid.example.org", protocols, &call->arena, &call->status);

	if (output != NULL)
		check_packed(output);
	else
		must(protocols == 0 && call->status.code == COSI_UNAVAILABLE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input answer, in = { data, data + size };
	const struct api_version *api;
	const struct api_method *method = method_of(input_byte(&in), &api);
	size_t len = input_byte(&in), left = (size_t)(in.end - in.at);
	const ProtobufCMessage *message;
	struct call call = { .req.op = method->op };
	struct status *status = &call.status;

	answer = (struct input){ in.at, in.at + (len < left ? len : left) };
	arena_init(&call.arena, 16 << 20);
	message = wire_decode(method->input, answer.end, (size_t)(in.end - answer.end), &call.arena,
			      status);
	if (message != NULL)
		check_packed(message);
	if (message != NULL && method->decode == NULL) {
		check_info(&answer, api, &call);
	} else if (message != NULL &&
		   method->decode(message, &call.req, &call.arena, status) == 0) {
		check_request(&call.req);
		if (method->encode != NULL)
			check_answer(&answer, method, message, &call);
	} else {
		must(!status_ok(status) && status->text[0] != '\0');
	}
	must(!arena_failed(&call.arena));
	arena_done(&call.arena);
	return 0;
}
