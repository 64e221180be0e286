/* SPDX-License-Identifier: Apache-2.0
 * fuzz_wire.c - any bytes as a request of any method: refused in words, or a request that holds.
 *
 * The first byte picks the method, the rest is the message.  What is taken must keep every promise
 * that request.h makes to the scheduler, and must pack to bytes that are taken again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "rpc/api_version.h"
#include "rpc/limits.h"

#include "banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool holds)
{
	if (!holds)
		abort();
}

static const struct api_method *
method_of(uint8_t byte)
{
	size_t n = api_v1alpha1.nmethods;
	size_t i = byte % (n + api_v1alpha2.nmethods);

	return i < n ? &api_v1alpha1.methods[i] : &api_v1alpha2.methods[i - n];
}

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
	must((req->protocols & ~(uint32_t)(COSI_S3 | COSI_AZURE | COSI_GCS)) == 0);
	if (req->op == REQUEST_GRANT || req->op == REQUEST_REVOKE)
		check_buckets(req);
	if (req->op == REQUEST_GRANT)
		must(req->auth == COSI_AUTH_KEY || req->auth == COSI_AUTH_SERVICE_ACCOUNT);
}

static void
check_packed(const struct api_method *method, const ProtobufCMessage *input)
{
	size_t len = protobuf_c_message_get_packed_size(input);
	uint8_t *bytes = malloc(len + 1);
	struct status status = { 0 };

	must(bytes != NULL);
	must(protobuf_c_message_pack(input, bytes) == len);
	must(wire_check(method->input, bytes, len, &status) == 0);
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct api_method *method;
	const ProtobufCMessage *input;
	struct request request = { 0 };
	struct status status = { 0 };
	struct arena arena;

	if (len == 0 || len > LIMIT_MESSAGE)
		return 0;
	method = method_of(bytes[0]);
	request.op = method->op;
	arena_init(&arena, 16 << 20);
	input = wire_decode(method->input, bytes + 1, len - 1, &arena, &status);
	if (input != NULL)
		check_packed(method, input);
	if (input != NULL && method->decode != NULL &&
	    method->decode(input, &request, &arena, &status) == 0)
		check_request(&request);
	else if (input == NULL || method->decode != NULL)
		must(status.code != COSI_OK && status.text[0] != '\0');
	must(!arena_failed(&arena));
	arena_done(&arena);
	return 0;
}
