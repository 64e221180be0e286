/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - any one allocation fails: RESOURCE_EXHAUSTED, nothing is lost, and the next call
 * works.
 *
 * Only allocations in cosid's code fail: gRPC itself ends the process when it has no memory.
 */
#include "fakes/memory.h"
#include "server_rig.h"

#include "banned.h"

enum { STEP_BYTES = 16, DEADLINE_MS = 60000 };

/* A name or id "n", two buckets in different modes, a parameter, Azure with a date: of everything
 * that is decoded or encoded there is something. */
#define PARAM2 "\x22\x06\x0a\x01k\x12\x01v"
#define AUTH2  "\x12\x02\x08\x02\x1a\x02\x08\x01"
#define BUCKET "\x32\x09\x0a\x03r.b\x12\x02\x08\x01\x32\x09\x0a\x03r.c\x12\x02\x08\x02"
static const struct {
	const char *path, *bytes;
	size_t len;
} requests[] = {
	{ V1 "DriverCreateBucket", "\x0a\x01n\x12\x06\x0a\x01k\x12\x01v", 11 },
	{ V1 "DriverDeleteBucket", "\x0a\x03r.n", 5 },
	{ V1 "DriverGrantBucketAccess", "\x0a\x03r.b\x12\x01n\x18\x01", 10 },
	{ V1 "DriverRevokeBucketAccess", "\x0a\x03r.b\x12\x03r.a", 10 },
	{ V2 "DriverCreateBucket", "\x0a\x01n" PARAM2, 11 },
	{ V2 "DriverGetBucket", "\x0a\x03r.n" PARAM2, 13 },
	{ V2 "DriverDeleteBucket", "\x0a\x03r.n", 5 },
	{ V2 "DriverGrantBucketAccess", "\x0a\x01n" AUTH2 BUCKET, 33 },
	{ V2 "DriverRevokeBucketAccess", "\x0a\x03r.a" AUTH2 BUCKET, 35 },
};
enum { NREQUESTS = sizeof requests / sizeof requests[0] };

static struct cosi_bucket bucket = { .protocols = COSI_AZURE,
				     .name = "n",
				     .endpoint = "http://store",
				     .region = "eu",
				     .style = COSI_PATH_STYLE,
				     .azure_account = "acc" };
static struct cosi_bucket *buckets[] = { &bucket, &bucket };
static const struct answer azure = {
	.id = "r.n",
	.protocol = COSI_AZURE,
	.access = { .buckets = buckets, .token = "sas", .token_expires = 1800000000 },
};

/* Bytes in, bytes out, with room for that many bytes of its own; false: it was refused for memory.
 */
static bool
goes_round(size_t request, size_t room)
{
	const struct api_method *method = rig_method(requests[request].path);
	const ProtobufCMessage *message = NULL;
	struct rig_call rig = { .method = method };
	bool well;

	arena_init(&rig.call.arena, room);
	rig.call.answer = azure;
	rig.call.answer.bucket = bucket;
	rig.input = wire_decode(method->input, (const uint8_t *)requests[request].bytes,
				requests[request].len, &rig.call.arena, &rig.status);
	well = rig.input != NULL &&
	       method->decode(rig.input, &rig.call.req, &rig.call.arena, &rig.status) == 0;
	if (well && method->encode != NULL) {
		message = method->encode(rig.input, &rig.call, &rig.status);
		well = message != NULL;
	}
	if (well && message != NULL)
		assert_true(protobuf_c_message_get_packed_size(message) > 0);
	if (!well && rig.status.code != COSI_EXHAUSTED)
		fail_msg("%s: %u '%s'", method->path, rig.status.code, rig.status.text);
	assert_true(well || rig.status.text[0] != '\0');
	arena_done(&rig.call.arena);
	return well;
}

/* clause 56 */
static void
test_arena__too_small(void **state)
{
	(void)state;
	for (size_t request = 0; request < NREQUESTS; request++) {
		size_t room = 0;

		while (!goes_round(request, room))
			room += STEP_BYTES;
		assert_true(room > 2 * STEP_BYTES);
	}
}

static void
test_malloc__in_an_arena(void **state)
{
	(void)state;
	for (size_t request = 0; request < NREQUESTS; request++) {
		for (int n = 0;; n++) {
			bool well;

			memory_fail_after(n);
			well = goes_round(request, LIMIT_MESSAGE);
			assert_true(memory_has_failed() != well);
			if (well)
				break;
		}
	}
}

/* Of a call to the whole server, seen from its client: the n-th allocation fails.  False: there was
 * no such allocation. */
static bool
survives(struct fixture *f, int n, const char *path, const char *bytes, size_t len, bool known)
{
	struct client_call *c;
	bool hit;

	/* Its answer to DriverGetInfo is made anew. */
	TAG_GOT(&fake_order);
	f->sched.protocols ^= COSI_AZURE;
	TAG_POST(&fake_order);
	memory_fail_after(n);
	c = client_start(f->channel, path, bytes, len, DEADLINE_MS);
	(void)client_wait(c);
	hit = memory_has_failed();
	if (known && c->code != GRPC_STATUS_RESOURCE_EXHAUSTED)
		expect(c, GRPC_STATUS_OK, "");
	else
		expect(c, known ? GRPC_STATUS_RESOURCE_EXHAUSTED : GRPC_STATUS_UNIMPLEMENTED,
		       known ? "memory" : "unknown method");
	/* Whatever happened, the next one works. */
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
	return hit;
}

static void
test_malloc__in_the_server(void **state)
{
	static const char grant[] = "\x0a\x01n\x12\x02\x08\x01\x1a\x02\x08\x01"
				    "\x32\x09\x0a\x03r.n\x12\x02\x08\x01";
	struct fixture *f = *state;

	memory_spare(true);
	for (int n = 0; survives(f, n, V1 "DriverCreateBucket", CREATE_N, true); n++)
		;
	for (int n = 0; survives(f, n, V2 "DriverGrantBucketAccess", grant, sizeof grant - 1, true);
	     n++)
		;
	for (int n = 0; survives(f, n, INFO2, "", 0, true); n++)
		;
	for (int n = 0; survives(f, n, "/no/such", "", 0, false); n++)
		;
	memory_spare(false);
}

/* By the server, whatever it is that the fake scheduler's answer comes to. */
static void
all_answer(const struct fixture *f)
{
	grpc_channel *channel = client_connect(f->path);

	for (size_t i = 0; i < NREQUESTS; i++) {
		struct client_call *c = client_start(channel, requests[i].path, requests[i].bytes,
						     requests[i].len, DEADLINE_MS);

		(void)client_wait(c);
		assert_int_not_equal(c->code, GRPC_STATUS_DEADLINE_EXCEEDED);
		assert_int_not_equal(c->code, GRPC_STATUS_UNAVAILABLE);
		client_free(c);
	}
	grpc_channel_destroy(channel);
}

/* A start without some memory or some thread is refused whole, or comes to a server that serves. */
static void
test_start__any_failure(void **state)
{
	struct fixture *f = *state;
	struct server_config config = { .socket_mode = 0600, .listen_fd = -1 };
	bool hit = true;

	stop(f);
	rig_capture();
	config.socket_path = f->path;
	for (int n = 0; hit; n++) {
		struct status status = { 0 };

		memory_fail_after(n);
		f->server = server_start(&config, &f->sched, &status);
		hit = memory_has_failed();
		if (f->server == NULL) {
			assert_true(hit);
			assert_int_equal(status.code, COSI_EXHAUSTED);
			assert_true(status.text[0] != '\0');
			assert_int_equal(access(f->path, F_OK), -1);
			continue;
		}
		all_answer(f);
		assert_int_equal(server_stop(f->server, DEADLINE_MS), 0);
		server_done();
	}
	f->server = NULL;
	rig_captured();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__too_small),
		cmocka_unit_test(test_malloc__in_an_arena),
		TEST(test_malloc__in_the_server),
		TEST(test_start__any_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
