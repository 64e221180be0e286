/* SPDX-License-Identifier: Apache-2.0
 * test_server.c - calls over a real socket: answers, refusals, errors, cancellation, deadlines. */
#include <grpc/support/log.h>

#include "server_rig.h"

#include "base/clock.h"
#include "base/secret.h"
#include "cosi_v1alpha1.pb-c.h"
#include "cosi_v1alpha2.pb-c.h"

#include "banned.h"

/* clauses 3, 4, 40, 43, 58: both Identity services on the one socket tell the name. */
static void
test_info__both(void **state)
{
	struct fixture *f = *state;
	struct client_call *c = client_call(f->channel, INFO1, "", 0);
	Cosi__V1alpha1__DriverGetInfoResponse *one;
	Cosi2__DriverGetInfoResponse *two;

	one = cosi__v1alpha1__driver_get_info_response__unpack(NULL, c->reply_len, c->reply);
	assert_string_equal(one->name, "fake.example.org");
	cosi__v1alpha1__driver_get_info_response__free_unpacked(one, NULL);
	expect(c, GRPC_STATUS_OK, "");
	c = client_call(f->channel, INFO2, "", 0);
	two = cosi2__driver_get_info_response__unpack(NULL, c->reply_len, c->reply);
	assert_string_equal(two->name, "fake.example.org");
	assert_int_equal(two->n_supported_protocols, 1);
	cosi2__driver_get_info_response__free_unpacked(two, NULL);
	expect(c, GRPC_STATUS_OK, "");
	assert_int_equal(f->sched.nsubmitted, 0);
}

/* The bytes of the answer are kept, but not beyond a change of the protocols. */
static void
test_info__protocols_change(void **state)
{
	struct fixture *f = *state;
	struct client_call *c;

	for (uint32_t protocols = 1; protocols < 8; protocols++) {
		f->sched.protocols = protocols;
		c = client_call(f->channel, INFO2, "", 0);
		assert_int_equal(c->reply_len, strlen(f->sched.driver_name) + 2 +
						       4 * (size_t)__builtin_popcount(protocols));
		expect(c, GRPC_STATUS_OK, "");
	}
	f->sched.protocols = 0;
	expect(client_call(f->channel, INFO2, "", 0), GRPC_STATUS_UNAVAILABLE, "no backend");
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
}

/* clauses 1, 2: every method of both services is there, nothing else is, and that is said at once.
 */
static void
test_methods__known_and_unknown(void **state)
{
	static const char *const unknown[] = { "/",
					       "/x",
					       "/cosi.v1alpha1.Provisioner/",
					       "/cosi.v1alpha1.Provisioner/DriverNothing",
					       "/cosi.v1alpha3.Identity/DriverGetInfo",
					       "/grpc.health.v1.Health/Check" };
	struct fixture *f = *state;

	for (const struct api_version *const *d = api_versions; *d != NULL; d++)
		for (size_t i = 0; i < (*d)->nmethods; i++)
			expect(client_call(f->channel, (*d)->methods[i].path, "", 0),
			       (*d)->methods[i].op == 0 ? GRPC_STATUS_OK
							: GRPC_STATUS_INVALID_ARGUMENT,
			       "");
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		expect(client_call(f->channel, unknown[i], "", 0), GRPC_STATUS_UNIMPLEMENTED,
		       unknown[i]);
	assert_int_equal(f->sched.nsubmitted, 0);
	stop(f);
	assert_int_equal(rig_lines("no version of COSI has"), 1);
}

static void
test_call__answered_here_and_elsewhere(void **state)
{
	struct fixture *f = *state;
	Cosi__V1alpha1__DriverCreateBucketResponse *reply;
	struct client_call *c;

	for (int i = 0; i < 2; i++) {
		f->sched.elsewhere = i == 1;
		c = client_call(f->channel, V1 "DriverCreateBucket", CREATE_N);
		reply = cosi__v1alpha1__driver_create_bucket_response__unpack(NULL, c->reply_len,
									      c->reply);
		assert_string_equal(reply->bucket_id, "r.n");
		assert_string_equal(reply->bucket_info->s3->region, "eu");
		cosi__v1alpha1__driver_create_bucket_response__free_unpacked(reply, NULL);
		expect(c, GRPC_STATUS_OK, "");
		assert_string_equal(f->sched.last_name, "n");
		assert_string_equal(f->sched.last.api, "v1alpha1");
		assert_string_equal(f->sched.last.method, "DriverCreateBucket");
	}
	c = client_call(f->channel, V2 "DriverDeleteBucket", "\x0a\x03r.n", 5);
	assert_int_equal(c->reply_len, 0);
	expect(c, GRPC_STATUS_OK, "");
	assert_string_equal(f->sched.last.api, "v1alpha2");
}

/* clauses 28, 34, 35: a canonical code, a text for people, and no details. */
static void
test_call__failure(void **state)
{
	struct fixture *f = *state;
	struct client_call *c;

	for (int i = 0; i < 2; i++) {
		f->sched.elsewhere = i == 1;
		f->sched.outcome =
			(struct status){ .code = COSI_EXISTS, .text = "it is \xc3\xa9t %20" };
		c = client_call(f->channel, V1 "DriverCreateBucket", CREATE_N);
		assert_string_equal(c->text, "it is \xc3\xa9t %20");
		assert_int_equal(c->trailing.count, 0);
		assert_null(c->reply);
		expect(c, GRPC_STATUS_ALREADY_EXISTS, "");
	}
	f->sched.outcome = (struct status){ .code = COSI_BUSY };
	memset(f->sched.outcome.text, 'x', STATUS_TEXT_MAX - 1);
	c = client_call(f->channel, V1 "DriverCreateBucket", CREATE_N);
	assert_int_equal(strlen(c->text), STATUS_TEXT_MAX - 1); /* the longest text gets through */
	expect(c, GRPC_STATUS_ABORTED, "");
}

/* clause 34: there is always a text, and it can always be read. */
static void
test_call__failure_in_odd_words(void **state)
{
	struct fixture *f = *state;

	f->sched.outcome = (struct status){ .code = COSI_UNAVAILABLE };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_UNAVAILABLE,
	       "no reason is known");
	f->sched.outcome =
		(struct status){ .code = COSI_UNAVAILABLE, .text = "\xff it said \xc3\xa9\xc3" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_UNAVAILABLE,
	       "? it said \xc3\xa9?");
	f->sched.outcome =
		(struct status){ .code = COSI_UNAVAILABLE, .text = "a\nb \x1b[2J\xc2\x9b 'c\x7f'" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_UNAVAILABLE,
	       "a?b ?[2J?? 'c?'");
	f->sched.outcome = (struct status){ .code = 99, .text = "no such code" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_INTERNAL,
	       "no such code");
}

static void
test_call__answer_that_cannot_be_told(void **state)
{
	struct fixture *f = *state;

	f->sched.answer.id = "";
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_INTERNAL,
	       "field 'bucket_id' is required");
}

/* clauses 52, 77: what a store was told in confidence is in no text. */
static void
test_call__secrets_are_masked(void **state)
{
	struct fixture *f = *state;
	struct secret *secret = secret_new("hidden-5f0c7d", 13);

	f->sched.outcome = (struct status){ .code = COSI_DENIED,
					    .text = "the store says hidden-5f0c7d is wrong" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N),
	       GRPC_STATUS_PERMISSION_DENIED, "the store says *** is wrong");
	stop(f);
	assert_int_equal(rig_lines("hidden-5f0c7d"), 0);
	assert_int_equal(rig_lines("the store says *** is wrong"), 1);
	secret_free(secret);
}

/* An administrator is woken by errors: a bug of a module is one, a store that is away is none. */
static void
test_call__level_of_its_line(void **state)
{
	struct fixture *f = *state;

	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
	f->sched.outcome = (struct status){ .code = COSI_INTERNAL, .text = "it broke" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_INTERNAL,
	       "");
	f->sched.outcome = (struct status){ .code = COSI_UNAVAILABLE, .text = "it is away" };
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_UNAVAILABLE,
	       "");
	stop(f);
	assert_int_equal(rig_lines(" info done "), 1);
	assert_int_equal(rig_lines(" error it broke "), 1);
	assert_int_equal(rig_lines(" warning it is away "), 1);
}

/* clauses 29, 30: refused before the scheduler, naming the field; logged once, with its object. */
static void
test_call__refused_when_decoded(void **state)
{
	struct fixture *f = *state;

	expect(client_call(f->channel, V2 "DriverCreateBucket", "\x0a\x02_n", 4),
	       GRPC_STATUS_INVALID_ARGUMENT,
	       "cannot serve DriverCreateBucket: field 'name' is not a DNS subdomain");
	expect(client_call(f->channel, V1 "DriverCreateBucket", "\x0a\xff", 2),
	       GRPC_STATUS_INVALID_ARGUMENT, "malformed protobuf");
	expect(client_call(f->channel, INFO1, "\x0a\xff", 2), GRPC_STATUS_INVALID_ARGUMENT,
	       "malformed protobuf");
	assert_int_equal(f->sched.nsubmitted, 0);
	stop(f);
	assert_int_equal(rig_lines("api=v1alpha2 method=DriverCreateBucket name=_n "
				   "code=INVALID_ARGUMENT"),
			 1);
}

static void
test_cancel__reaches_the_router(void **state)
{
	struct fixture *f = *state;
	struct client_call *c;

	f->sched.hold = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	assert_true(f->sched.last.deadline_ms == CLOCK_NEVER);
	assert_int_equal(grpc_call_cancel(c->call, NULL), GRPC_CALL_OK);
	fake_wait_cancelled(&f->sched, 1);
	(void)client_wait(c);
	expect(c, GRPC_STATUS_CANCELLED, "");
}

/* A client that dies is a client that cancels. */
static void
test_cancel__connection_lost(void **state)
{
	struct fixture *f = *state;
	struct client_call *c;

	f->sched.hold = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, -1);
	fake_wait_held(&f->sched, 1);
	grpc_channel_destroy(f->channel);
	grpc_call_cancel_with_status(c->call, GRPC_STATUS_CANCELLED, "gone", NULL);
	fake_wait_cancelled(&f->sched, 1);
	(void)client_wait(c);
	client_free(c);
	f->channel = client_connect(f->path);
	f->sched.hold = false;
	expect(client_call(f->channel, V1 "DriverCreateBucket", CREATE_N), GRPC_STATUS_OK, "");
}

static void
test_deadline__told_and_kept(void **state)
{
	enum { TIMEOUT_MS = 50, ROUNDED_MS = 2 };
	struct fixture *f = *state;
	int64_t before_ms = clock_mono_ms();
	struct client_call *c;

	f->sched.hold = true;
	c = client_start(f->channel, V1 "DriverCreateBucket", CREATE_N, TIMEOUT_MS);
	(void)client_wait(c);
	expect(c, GRPC_STATUS_DEADLINE_EXCEEDED, "");
	fake_wait_cancelled(&f->sched, 1);
	/* It counts from when the request came in, which is some time after it was sent. */
	assert_true(f->sched.last.arrived_ms >= before_ms);
	assert_true(f->sched.last.deadline_ms >= before_ms + TIMEOUT_MS - ROUNDED_MS);
	assert_true(f->sched.last.deadline_ms <=
		    f->sched.last.arrived_ms + TIMEOUT_MS + ROUNDED_MS);
}

static void
test_message__none(void **state)
{
	struct fixture *f = *state;

	expect(client_call(f->channel, V1 "DriverCreateBucket", NULL, 0),
	       GRPC_STATUS_INVALID_ARGUMENT, "the request has no message");
	expect(client_call(f->channel, INFO1, NULL, 0), GRPC_STATUS_INVALID_ARGUMENT,
	       "the request has no message");
}

/* Compressed requests would be unpacked to any size before anybody could refuse them. */
static void
test_message__compressed(void **state)
{
	struct fixture *f = *state;
	grpc_metadata gzip = { .key = grpc_slice_from_static_string(
				       "grpc-internal-encoding-request"),
			       .value = grpc_slice_from_static_string("gzip") };
	struct client_call *c = client_start_with(f->channel, V1 "DriverCreateBucket",
						  rig_long(8000, 'n'), 8000, -1, &gzip, 1);

	(void)client_wait(c);
	expect(c, GRPC_STATUS_UNIMPLEMENTED, "gzip");
	assert_int_equal(f->sched.nsubmitted, 0);
}

/* What ends the process is known; what else the core says is for those who ask for it. */
static void
test_log__of_the_core(void **state)
{
	struct fixture *f = *state;

	gpr_log(GPR_ERROR, "assertion failed: %s", "x == y");
	gpr_log(GPR_ERROR, "a peer did this or that");
	stop(f);
	assert_int_equal(rig_lines("error gRPC cannot go on: assertion failed: x == y at "), 1);
	assert_int_equal(rig_lines("this or that"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_info__both),
		TEST(test_info__protocols_change),
		TEST(test_methods__known_and_unknown),
		TEST(test_call__answered_here_and_elsewhere),
		TEST(test_call__failure),
		TEST(test_call__failure_in_odd_words),
		TEST(test_call__answer_that_cannot_be_told),
		TEST(test_call__secrets_are_masked),
		TEST(test_call__level_of_its_line),
		TEST(test_call__refused_when_decoded),
		TEST(test_cancel__reaches_the_router),
		TEST(test_cancel__connection_lost),
		TEST(test_deadline__told_and_kept),
		TEST(test_message__none),
		TEST(test_message__compressed),
		TEST(test_log__of_the_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
